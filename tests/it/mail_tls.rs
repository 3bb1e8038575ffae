//! Mail and webhooks over TLS to a real server on loopback, through the binary: STARTTLS, implicit TLS, a server
//! without TLS, invalid certificates. Nothing sensitive is sent in clear. A test authority replaces the system's.

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place, ProgramOutput};
use crate::support::receivers::{MailEncryption, MailServer, certificate};
use crate::support::service::Sandbox;

const PASSWORD: &str = "mail-pa55word";

/// Sends one report by mail over this wire; `trusts` is whether the system trusts the test authority.
fn send_report(wire: MailEncryption, tls: &str, host: &str, trusts: bool) -> (ProgramOutput, MailServer) {
    send_report_within("30s", wire, tls, host, trusts)
}

fn send_report_within(
    timeout: &str,
    wire: MailEncryption,
    tls: &str,
    host: &str,
    trusts: bool,
) -> (ProgramOutput, MailServer) {
    let (sandbox, post) = (Sandbox::at(NINE, &[]), MailServer::encrypted(wire, |_| None));
    let rest = format!(
        "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n\n\
         [[reports]]\nname = \"daily\"\nevery = \"1h\"\nwindow = \"since_last\"\npath = \"out/{{name}}-{{date}}\"\n\
         channels = [\"mail\"]\n\n\
         [[channels]]\nname = \"mail\"\nkind = \"email\"\nhost = \"{host}\"\nport = {}\ntls = \"{tls}\"\n\
         timeout = \"{timeout}\"\nfrom = \"Watch <watch@example.com>\"\nto = [\"team@example.com\"]\nuser = \"mail-user\"\npassword_env = \"MAIL_PASSWORD\"\n",
        post.port()
    );
    let place = Place::new(sqlite(), &sandbox.lines(), &rest);
    let run = |args: &[&str]| {
        let program = place.program(args).env("MAIL_PASSWORD", PASSWORD);
        let authority = certificate(if trusts { "authority" } else { "elsewhere" });
        program.env("SSL_CERT_FILE", authority.to_str().unwrap()).run()
    };
    run(&["once", "--due", "--at", NINE]).assert_stdout(0, &["nothing was due"]);
    run(&["once", "--at", NINE]);
    sandbox.set_clock("2026-03-11T10:00:00Z");
    let output = run(&["once", "--due", "--at", "2026-03-11T10:00:00Z"]);
    (output, post)
}

/// The bytes sent in clear must only show that a mail client connected.
fn assert_nothing_in_clear(post: &MailServer) {
    let clear = post.unencrypted_lines();
    let reported = clear.iter().any(|line| {
        ["AUTH", "MAIL", "RCPT", "DATA", "SUBJECT"].iter().any(|word| line.to_uppercase().starts_with(word))
    });
    assert!(!reported && !clear.concat().contains("example.com"), "{clear:?}");
}

#[test]
fn a_mail_is_sent_encrypted_over_starttls_and_implicit_tls() {
    for (wire, tls, host) in [
        (MailEncryption::StartTls("localhost"), "starttls", "localhost"),
        (MailEncryption::Implicit("localhost"), "implicit", "localhost"),
        (MailEncryption::Implicit("localhost"), "implicit", "127.0.0.1"),
    ] {
        let (reported, post) = send_report(wire, tls, host, true);
        reported.assert_stdout(0, &["/mail: delivered"]);
        let [mail] = &post.received()[..] else { panic!("{tls}: {reported}") };
        assert!(mail.encrypted && mail.data.contains("X-Topicwatch-Event"), "{tls}: {mail:?}");
        assert!(mail.login.as_deref().is_some_and(|login| login.starts_with("AUTH PLAIN ")), "{mail:?}");
        assert_nothing_in_clear(&post);
    }
}

#[test]
fn a_server_without_starttls_gets_neither_the_login_nor_the_mail() {
    let (reported, post) = send_report(MailEncryption::Plain, "starttls", "localhost", true);
    assert_eq!(post.received().len(), 0, "{reported}");
    assert_nothing_in_clear(&post);
    assert!(!reported.out.contains("delivered"), "{reported}");
    assert!(reported.out.contains("offers no STARTTLS; nothing was sent"), "{reported}");
    assert!(!reported.out.contains(PASSWORD) && !reported.err.contains(PASSWORD));
}

#[test]
fn an_invalid_certificate_is_an_error_with_a_hint_and_sends_no_mail() {
    for (wire, tls, trusts) in [
        (MailEncryption::StartTls("localhost"), "starttls", false),
        (MailEncryption::Implicit("localhost"), "implicit", false),
        (MailEncryption::StartTls("elsewhere"), "starttls", true),
        (MailEncryption::Implicit("elsewhere"), "implicit", true),
    ] {
        let (reported, post) = send_report(wire, tls, "localhost", trusts);
        assert_eq!(post.received().len(), 0, "{reported}");
        assert_nothing_in_clear(&post);
        assert!(!reported.out.contains("delivered"), "{reported}");
        assert!(
            reported.out.contains("certificate") && reported.out.contains("for localhost"),
            "{tls} {trusts}: {reported}"
        );
    }
}

#[test]
fn an_error_names_the_port_of_each_kind_of_tls() {
    let ports = "nothing was sent (tls = \"starttls\" is usual at port 587, tls = \"implicit\" at 465";
    for (timeout, wire, tls, says) in [
        ("30s", MailEncryption::StartTls("localhost"), "implicit", "localhost does not begin with TLS; "),
        ("30s", MailEncryption::Plain, "implicit", "localhost does not begin with TLS; "),
        ("30s", MailEncryption::Plain, "starttls", "localhost offers no STARTTLS; "),
        // Both sides wait for the other.
        ("1s", MailEncryption::Implicit("localhost"), "starttls", "no answer within 1 s; "),
    ] {
        let (reported, post) = send_report_within(timeout, wire, tls, "localhost", true);
        assert_eq!(post.received().len(), 0, "{tls}: {reported}");
        assert_nothing_in_clear(&post);
        assert!(reported.out.contains(&format!("{says}{ports}")), "{tls}: {reported}");
    }
}

#[test]
fn a_webhook_error_says_what_to_do_about_a_certificate() {
    for (wire, trusts, says) in [
        (MailEncryption::Implicit("localhost"), false, "(does this machine trust its issuer, see SSL_CERT_FILE"),
        (MailEncryption::Plain, true, "(the server does not begin with TLS: check the port)"),
    ] {
        let (sandbox, server) = (Sandbox::at(NINE, &[]), MailServer::encrypted(wire, |_| None));
        let rest = format!(
            "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n\n\
             [[alerts]]\nname = \"any\"\nrule = \"items\"\nmin = 3\nchannels = [\"hook\"]\n\n\
             [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"https://localhost:{}/hook\"\nallow_private = true\n",
            server.port()
        );
        let place = Place::new(sqlite(), &sandbox.lines(), &rest);
        let authority = certificate(if trusts { "authority" } else { "elsewhere" });
        let program = place.program(&["alerts", "test", "any"]);
        let ended = program.env("SSL_CERT_FILE", authority.to_str().unwrap()).run();
        assert!(ended.out.contains("not delivered: ") && ended.out.contains(says), "{says}: {ended}");
    }
}
