//! Query parameters that show how a reader came to a page, not which page it is. The list is the project's own; each
//! group has a reason. A parameter that may select content on some site (`id`, `page`, `ref`, `tag`, `source`, `lang`)
//! stays, except on listed sites where it only tracks.

use super::host::is_subdomain;

/// Parameters that only track, on every site.
const EVERYWHERE: &[&str] = &[
    // Click ids that ad networks append.
    "dclid",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "gad_source",
    "li_fat_id",
    "msclkid",
    "rb_clickid",
    "ttclid",
    "twclid",
    "wbraid",
    "yclid",
    "ysclid",
    "_openstat",
    // Share links of social networks: the sharer and the app.
    "fb_action_ids",
    "fb_action_types",
    "fb_ref",
    "fb_source",
    "igsh",
    "igshid",
    "mibextid",
    "ref_src",
    "ref_url",
    "sr_share",
    // Mail campaigns: the mail and the recipient (Mailchimp, HubSpot, Marketo, Vero, Omeda).
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "__hssc",
    "__hstc",
    "__hsfp",
    "hsctatracking",
    "mkt_tok",
    "vero_conv",
    "vero_id",
    "oly_anon_id",
    "oly_enc_id",
    // Web analytics: cross-domain visitors and campaigns (Google, Matomo, Piano, Webtrends, comScore, Adobe).
    "_ga",
    "_gl",
    "pk_campaign",
    "pk_content",
    "pk_cid",
    "pk_keyword",
    "pk_kwd",
    "pk_medium",
    "pk_source",
    "at_campaign",
    "at_medium",
    "xtor",
    "wt.mc_id",
    "wt.nav",
    "ns_campaign",
    "ns_fee",
    "ns_linkname",
    "ns_mchannel",
    "ns_source",
    "cmpid",
    "s_cid",
    // Session ids.
    "jsessionid",
    "phpsessid",
];

/// Prefixes of parameters that only track, on every site.
const EVERYWHERE_PREFIXES: &[&str] = &[
    // Campaign parameters of web analytics, and of Matomo.
    "utm_", "mtm_",
];

/// Parameters that only track on some sites and their subdomains. Elsewhere they may select content.
const ON_SITES: &[(&[&str], &[&str])] = &[
    // Share buttons: the medium and account from which the link was copied.
    (&["x.com"], &["cxt", "s", "src", "t"]),
    (&["youtube.com", "youtu.be"], &["ab_channel", "feature", "pp", "si"]),
    (&["open.spotify.com"], &["si"]),
    (&["reddit.com"], &["correlation_id", "rdt", "ref_source", "share_id"]),
    (&["tiktok.com"], &["_r", "_t", "is_copy_url", "is_from_webapp", "sender_device"]),
    (&["facebook.com"], &["__tn__", "__cft__%5B0%5D", "fref", "hc_ref", "refid", "refsrc"]),
    (&["linkedin.com"], &["licu", "lipi", "rcm", "trackingid", "trk"]),
    // The feed or list in which a story was clicked.
    (&["medium.com"], &["gi", "source"]),
    // Shops: affiliate, position of the click, search number. The path identifies the article.
    (
        &[
            "amazon.ca",
            "amazon.co.jp",
            "amazon.co.uk",
            "amazon.com",
            "amazon.com.au",
            "amazon.com.br",
            "amazon.com.mx",
            "amazon.de",
            "amazon.es",
            "amazon.fr",
            "amazon.in",
            "amazon.it",
            "amazon.nl",
        ],
        &[
            "ascsubtag",
            "linkcode",
            "linkid",
            "pd_rd_i",
            "pd_rd_r",
            "pd_rd_w",
            "pd_rd_wg",
            "pf_rd_i",
            "pf_rd_m",
            "pf_rd_p",
            "pf_rd_r",
            "pf_rd_s",
            "pf_rd_t",
            "qid",
            "ref",
            "ref_",
            "sr",
            "tag",
        ],
    ),
    (&["imdb.com"], &["pf_rd_i", "pf_rd_m", "pf_rd_p", "pf_rd_r", "pf_rd_s", "pf_rd_t", "ref_"]),
    (&["alibaba.com", "aliexpress.com", "taobao.com", "tmall.com"], &["pvid", "scm", "spm"]),
    // Newspapers: position on the front page, share button, newsletter.
    (
        &["nytimes.com"],
        &[
            "_r",
            "clicksource",
            "contentcollection",
            "contentplacement",
            "em_pos",
            "emc",
            "hp",
            "hpw",
            "moduledetail",
            "mtrref",
            "nl",
            "nlid",
            "partner",
            "pgtype",
            "referringsource",
            "rref",
            "smid",
            "smprod",
            "smtyp",
        ],
    ),
    (&["washingtonpost.com"], &["hpid", "itid", "postshare", "tid", "wpisrc", "wpmm"]),
    (
        &["bbc.co.uk", "bbc.com"],
        &["at_bbc_team", "at_format", "at_link_id", "at_link_origin", "at_link_type", "at_ptr_name", "ocid"],
    ),
    (&["theguardian.com"], &["cmp"]),
    (&["bloomberg.com"], &["sref", "srnd"]),
    (&["wsj.com"], &["mod"]),
    (&["techcrunch.com"], &["ncid"]),
    (&["economist.com"], &["fsrc"]),
];

/// Whether a parameter only tracks. `host` is canonical, `name` is percent-normalised; ignores case.
pub(super) fn is_tracking(host: &str, name: &str) -> bool {
    let is = |known: &&str| name.eq_ignore_ascii_case(known);
    EVERYWHERE.iter().any(is)
        || EVERYWHERE_PREFIXES.iter().any(|p| name.get(..p.len()).is_some_and(|front| front.eq_ignore_ascii_case(p)))
        || ON_SITES
            .iter()
            .any(|(sites, names)| names.iter().any(is) && sites.iter().any(|site| is_subdomain(host, site)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_may_select_content_is_never_tracking_on_an_unnamed_site() {
        for name in [
            "id",
            "p",
            "page",
            "q",
            "v",
            "t",
            "s",
            "list",
            "lang",
            "hl",
            "ref",
            "ref_",
            "tag",
            "source",
            "src",
            "sid",
            "cid",
            "story_fbid",
            "article",
            "date",
            "sort",
            "section",
            "version",
            "action",
            "region",
            "mod",
            "si",
            "u",
            "url",
            "w",
            "tid",
            "ut",
            "utm",
            "mtm",
            "single_page",
            "pagewanted",
            "hp",
            "",
        ] {
            assert!(!is_tracking("example.com", name), "{name}");
        }
    }

    #[test]
    fn tracking_parameters_are_recognised_by_name_prefix_and_site() {
        for (host, name) in [
            ("example.com", "utm_source"),
            ("example.com", "UTM_Anything"),
            ("example.com", "fbclid"),
            ("example.com", "hsCtaTracking"),
            ("x.com", "s"),
            ("music.youtube.com", "si"),
            ("smile.amazon.co.uk", "tag"),
        ] {
            assert!(is_tracking(host, name), "{host} {name}");
        }
        assert!(!is_tracking("notyoutube.com", "si"));
    }

    #[test]
    fn every_name_is_lower_case_ascii_and_listed_once() {
        let mut names: Vec<&str> = EVERYWHERE.to_vec();
        names.sort_unstable();
        let listed = names.len();
        names.dedup();
        assert_eq!(names.len(), listed);
        assert!(names.iter().all(|name| name.is_ascii() && !name.bytes().any(|b| b.is_ascii_uppercase())));
    }
}
