//! Examples for the verbs that show findings, and for those that star, mark or share them.

pub(in crate::cli) const STATUS: &str = "\
Examples:
  topicwatch status
  topicwatch status --fail-on stale,silent
  topicwatch status --json | jq '.topics[] | select(.state != \"ok\")'";
pub(in crate::cli) const RUNS: &str = "\
Examples:
  topicwatch runs
  topicwatch runs --topic acme-launches --since 7d --searches";
pub(in crate::cli) const SHOW: &str = "\
Examples:
  topicwatch show acme-launches
  topicwatch show acme-launches --md | less
  topicwatch show acme-launches --run RUN       # from `topicwatch runs`";
pub(in crate::cli) const DIFF: &str = "\
Examples:
  topicwatch diff acme-launches         # what the last run changed
  topicwatch diff acme-launches --since 24h
  topicwatch diff acme-launches --since 2026-03-11T06:00:00Z --json

Definitions: docs/explanation/changes.md. The first answers to a query are a
baseline.";
pub(in crate::cli) const FILTER: &str = "\
Examples:
  topicwatch topic filter test acme-launches        # file against stored filter
  topicwatch topic filter test acme-launches --exclude hiring --lang en
  topicwatch topic filter test acme-launches --exclude '/\\bjobs?\\b/'

Entries: whole words, part*, one | other, /pattern/
(docs/explanation/changes.md).";
pub(in crate::cli) const TERMS: &str = "\
Examples:
  topicwatch terms acme-launches                # the last 24 hours
  topicwatch terms acme-launches --since 7d
  topicwatch terms acme-launches --since 2026-03-10 --until 2026-03-11 --json

Words, word pairs, hashtags, names, sites and emoji used by three or more people
and more often than expected from the previous four weeks. A copied text counts
once, and each author once a day.
";

pub(in crate::cli) const ITEMS: &str = "\
Examples:
  topicwatch items --new-since 24h
  topicwatch items --topic acme-launches --json
  topicwatch items --search 'price increase'              # both words
  topicwatch items --search '\"price increase\" -rumour'   # exclude a word
  topicwatch items --search '#acme launch*' --since 7d --json
  topicwatch items --topic acme-launches --rank relevance --fold-noise
  topicwatch items --starred                               # each with its key
  topicwatch items story post:x:2031610711893905509        # how it spread

Case and accents do not matter. `acme` also finds #acme; `#acme` only that.
How words are matched: docs/reference/search.md.";
pub(in crate::cli) const STAR: &str = "\
Examples:
  topicwatch items star post:x:2031610711893905509
  topicwatch items star post:x:1 post:x:2 --off     # remove the stars
  topicwatch items --starred                        # list them";
pub(in crate::cli) const NOTE: &str = "\
Examples:
  topicwatch items note post:x:2031610711893905509 'ask Ann about it'
  topicwatch items note post:x:2031610711893905509 --clear
  topicwatch items --noted                          # list them";
pub(in crate::cli) const MARK: &str = "\
Examples:
  topicwatch items mark acme-launches post:x:2031610711893905509 noise
  topicwatch items mark acme-launches post:x:1 post:x:2 good
  topicwatch items mark acme-launches post:x:1 none      # remove the mark
  topicwatch items --topic acme-launches --suggest       # what to mark next

With 20 or more marks of both kinds, items --rank relevance lists likely good
items first: docs/explanation/relevance.md. It hides nothing.";
pub(in crate::cli) const TOKEN: &str = "\
Examples:
  topicwatch token add ann --role read --tag competitor
  topicwatch token add desk --role act
  topicwatch token list
  topicwatch token share --topic acme-launches --for 7d
  topicwatch token withdraw ann

Roles: docs/how-to/give-access.md.";
pub(in crate::cli) const TOKEN_ADD: &str = "\
Examples:
  topicwatch token add ann --role read --topic acme-launches --topic rust-async
  topicwatch token add grafana --role read

read: view. act: also run, pause, mark, acknowledge. edit: also change what is
watched. The token is shown once; the database stores only its hash.";
pub(in crate::cli) const TOKEN_LIST: &str = "\
Examples:
  topicwatch token list
  topicwatch token list --json";
pub(in crate::cli) const TOKEN_WITHDRAW: &str = "\
Examples:
  topicwatch token withdraw ann
  topicwatch token withdraw link-ID     # id from `token list`";
pub(in crate::cli) const TOKEN_SHARE_USAGE: &str = "\
topicwatch token share [OPTIONS] --for <DURATION> --topic <ID>
       topicwatch token share [OPTIONS] --for <DURATION> --report <NAME>";
pub(in crate::cli) const TOKEN_SHARE: &str = "\
Examples:
  topicwatch token share --topic acme-launches --for 7d
  topicwatch token share --report daily --for 3d           # the latest
  topicwatch token share --report daily@2026-03-11T07:00:00Z --for 3d

Anyone with the link sees that topic or report and nothing else. A report is
shown as it was created, with all its topics.";
pub(in crate::cli) const SEARCH: &str = "\
Examples:
  topicwatch items --search 'price increase'              # both words
  topicwatch items --search '\"price increase\" -rumour'   # exclude a word
  topicwatch items --search '#acme launch*' --since 7d --json

Case and accents do not matter. `acme` also finds #acme; `#acme` only that.
How words are matched: docs/reference/search.md.";
pub(in crate::cli) const STORY: &str = "\
Examples:
  topicwatch items story post:x:2031610711893905509
  topicwatch items story https://acme.example/news/launch
  topicwatch items story post:x:2031610711893905509 --format json | jq .story

Shows the item, its near-copies and items that share a link with it
(docs/explanation/stories.md). Keys: topicwatch items --json.";
pub(in crate::cli) const COVERAGE: &str = "\
Examples:
  topicwatch coverage
  topicwatch coverage acme-launches --since 30d --source social
  topicwatch coverage --json | jq '.topics[].sources[].holes'

Social searches cover time spans; pages and answers are checks at one moment.";
