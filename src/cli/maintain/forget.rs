//! `db forget`: erases an author, an item or a topic's findings for good and keeps them out. `collect` finds what to
//! erase; `wiring/journal` keeps the list that outlives a restored backup.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::forget_text::{RemainingMentions, Summary, print};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::cli::wiring::journal::{self, Journal};
use crate::cli::wiring::options::Common;
use crate::collect::{Eraser, Forgotten};
use crate::config::nearest;
use crate::model::{AccessChanges, Follower, LinkRow, SharedKind, Time, TokenRow};
use crate::normalise::address_keys;
use crate::store::{ForgetKey, ReportFiles, Store, Tombstone, TombstoneKind, Tombstones, normalize_handle};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub struct ForgetArgs {
    /// Everything by this author, now and later (repeat for more)
    #[arg(long, value_name = "HANDLE", group = "what")]
    pub author: Vec<String>,
    /// One item, by key or URL (repeat for more)
    #[arg(long, value_name = "KEY", group = "what")]
    pub item: Vec<String>,
    /// Items that no other topic has found so far
    #[arg(long, value_name = "ID", group = "what")]
    pub topic: Vec<String>,
    /// Continue after an interruption, or apply the journal to a restored database
    #[arg(long, group = "what")]
    pub resume: bool,
    /// Export the tombstones to a file, to apply them to a backup restored later
    #[arg(long, value_name = "FILE", group = "what", conflicts_with_all = ["author", "item", "topic", "resume", "import"])]
    pub export: Option<PathBuf>,
    /// Import tombstones from such a file, and erase what they name
    #[arg(long, value_name = "FILE", group = "what", conflicts_with_all = ["author", "item", "topic", "resume"])]
    pub import: Option<PathBuf>,
    /// Change nothing; show how much would be erased
    #[arg(long, conflicts_with_all = ["resume", "export", "import"])]
    pub dry_run: bool,
    /// Erase it; this cannot be undone
    #[arg(long)]
    pub yes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The most reports listed.
const REPORTS: u32 = 200;

pub(in crate::cli) async fn run(common: &Common, args: &ForgetArgs) -> Result<Exit, Failure> {
    let context = Context::load_without_topics(common)?;
    let mut names = parse_names(&context, args)?;
    let imported = args.import.as_deref().map(read_import).transpose()?;
    let harmless = args.dry_run || args.resume || args.export.is_some();
    if !harmless && !args.yes {
        return Err(Failure::usage(
            "nothing was erased: add --yes",
            "it cannot be undone; --dry-run shows how much would be erased",
        ));
    }
    let store = context.store_for_forget().await?;
    let at_addresses = crate::collect::keys_at(&store, &args.item).await?;
    names.extend(at_addresses.into_iter().map(|key| (TombstoneKind::Item, key)));
    if let Some(path) = &args.export {
        let written = Journal::write(&store, path, &context.protected()).await?;
        store.close().await;
        if args.json {
            let file = written.map(|_| path.display().to_string());
            output::json(&json!({ "file": file, "tombstones": written.unwrap_or(0) }))?;
            return Ok(Exit::Ok);
        }
        output::text(&match written {
            Some(1) => "1 tombstone written; it contains no names\n".to_owned(),
            Some(written) => format!("{written} tombstones written; they contain no names\n"),
            None => "nothing was ever erased here: there are no tombstones, and no file was written\n".to_owned(),
        })?;
        return Ok(Exit::Ok);
    }
    check_topics(&context, &store, &args.topic).await?;
    if args.dry_run {
        return dry_run(&context, &store, &names, args.json).await;
    }
    let now = (context.clock)();
    let journal = match (imported, journal::path_for(&store)) {
        (Some(journal), _) => Some(journal),
        (None, Some(path)) => Journal::read(&path)?,
        (None, None) => None,
    };
    if let Some(journal) = journal {
        store.import_tombstones(journal.key, &journal.all).await?;
    }
    store.overwrite_deleted().await?;
    // A topic that has never run leaves nothing but its tombstone.
    let topics = store.topics_of_runs().await?.into_iter().map(|(topic, _)| topic);
    let ended = topics.filter(|topic| args.topic.contains(topic)).collect();
    let mut begun = Forgotten { topics: ended, ..Forgotten::default() };
    if !names.is_empty() {
        begun.access = store.add_tombstones(&names, new_key()?, now).await?;
        crate::failpoint::at("forget/left");
    }
    journal::keep(&store).await?;
    erase(&context, &store, now, begun, args.json).await
}

fn read_import(path: &Path) -> Result<Journal, Failure> {
    const HINT: &str = "give the file that --export wrote";
    let read = Journal::read(path).map_err(|error| {
        let hint = error.hint(HINT);
        Failure::usage(error.text, hint)
    })?;
    read.ok_or_else(|| {
        Failure::usage(format!("there is no file {}", output::escape_control(&path.display().to_string())), HINT)
    })
}

/// Returns the named authors, items and topics, normalised as tombstones store them.
fn parse_names(context: &Context, args: &ForgetArgs) -> Result<Vec<(TombstoneKind, String)>, Failure> {
    let mut names = Vec::new();
    for author in &args.author {
        let name = normalize_handle(author);
        if name.is_empty() || name.len() > 200 {
            let text = format!("`{}` is not a handle", output::truncate(author, 60));
            return Err(Failure::usage(text, "write it as the platform does, with or without @"));
        }
        names.push((TombstoneKind::Author, name));
    }
    for item in &args.item {
        let mut keys = address_keys(item);
        if ["post:", "page:", "text:"].iter().any(|kind| item.starts_with(kind)) {
            keys.push(item.clone());
        }
        if keys.is_empty() {
            let text = format!("`{}` is neither an item key nor a URL", output::truncate(item, 80));
            return Err(Failure::usage(text, "`topicwatch items --json` shows keys: post:x:123, page:https://…"));
        }
        names.extend(keys.into_iter().map(|key| (TombstoneKind::Item, key)));
    }
    for topic in &args.topic {
        if context.config.topics.iter().any(|watched| watched.id == *topic) {
            return Err(Failure::usage(
                format!(
                    "topic `{}` is still watched by {}",
                    output::truncate(topic, 64),
                    output::escape_control(&context.config.file.display().to_string())
                ),
                "remove it from the file first; a daemon reloads the file automatically",
            ));
        }
        names.push((TombstoneKind::Topic, topic.clone()));
    }
    Ok(names)
}

/// Rejects topics of which nothing is stored, since a typo would leave the topic that was meant. Forgetting a topic
/// again does no harm, and one without runs may still have tokens and links.
async fn check_topics(context: &Context, store: &Store, named: &[String]) -> Result<(), Failure> {
    if named.is_empty() {
        return Ok(());
    }
    let stored: Vec<String> = store.topics_of_runs().await?.into_iter().map(|(topic, _)| topic).collect();
    let (key, earlier) = (store.forget_key().await?, store.tombstones().await?);
    for topic in named.iter().filter(|topic| !stored.contains(topic)) {
        let hash = key.as_ref().map(|key| key.hash(TombstoneKind::Topic, topic));
        let was_forgotten = earlier.iter().any(|(one, _)| Some(&one.hash) == hash.as_ref());
        let access = access_without(store, &[(TombstoneKind::Topic, topic.clone())], (context.clock)()).await?;
        if was_forgotten || !access.tokens.is_empty() || !access.links.is_empty() {
            continue;
        }
        renamed(context, store, std::slice::from_ref(topic)).await?;
        let is_watched = |id: &&str| context.config.topics.iter().any(|watched| watched.id == *id);
        let left: Vec<&str> = stored.iter().map(String::as_str).filter(|id| !is_watched(id)).collect();
        let hint = match (nearest(topic, left.iter().copied()), left.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) if stored.is_empty() => "it has no topics yet".to_owned(),
            (None, []) => "all topics in it are still in the file".to_owned(),
            (None, left) => format!("those no longer in the file are: {}", output::truncate(&left.join(", "), 400)),
        };
        let text = format!("there is no topic `{}` in the database; nothing was erased", output::truncate(topic, 64));
        return Err(Failure::usage(text, hint));
    }
    Ok(())
}

/// Makes a key of 256 random bits of the system.
fn new_key() -> Result<ForgetKey, Failure> {
    let hint = "the system returned no random numbers; nothing was erased";
    let random =
        ids::key().map_err(|e| Failure::new(Exit::Unexpected, format!("no key could be generated: {e}"), hint))?;
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    ForgetKey::parse(&digits)
        .ok_or_else(|| Failure::new(Exit::Unexpected, "no key could be generated", "please report it"))
}

async fn dry_run(
    context: &Context,
    store: &Store,
    names: &[(TombstoneKind, String)],
    json: bool,
) -> Result<Exit, Failure> {
    let key = store.forget_key().await?.map_or_else(new_key, Ok)?;
    let now = (context.clock)();
    let requested: Vec<Tombstone> =
        names.iter().map(|(kind, name)| Tombstone { kind: *kind, hash: key.hash(*kind, name), at: now }).collect();
    // Names that were forgotten before are erased, too, in case they were written again since.
    let earlier = store.tombstones().await?;
    let open = earlier.iter().filter(|(_, done)| !done).map(|(one, _)| one);
    let topics = requested.iter().chain(open).filter(|one| one.kind == TombstoneKind::Topic).cloned().collect();
    let platform = &context.config.service.platform;
    let tombstones = Tombstones::new(key, earlier.iter().map(|(one, _)| one).chain(&requested));
    let (known, watched) = (tombstones.clone(), context.config.topics.as_slice());
    let mut found = Eraser { store, known, topics, watched, platform, now, dry_run: true }.erase().await?;
    found.access = access_without(store, names, now).await?;
    let naming = remaining_mentions(store, &tombstones).await?;
    let reports = reports(store, &found).await?;
    store.close().await;
    print(&Summary { found, reports, naming, dry_run: true, scrubbed: true, copies: false }, json)?;
    Ok(Exit::Ok)
}

/// Returns the tokens and links that change when these topics are forgotten, as they are then.
async fn access_without(store: &Store, names: &[(TombstoneKind, String)], now: Time) -> Result<AccessChanges, Failure> {
    let (tokens, links) = (store.tokens().await?, store.links().await?);
    let mut changed = AccessChanges::default();
    for (_, topic) in names.iter().filter(|(kind, _)| *kind == TombstoneKind::Topic) {
        let as_now = |token: &TokenRow| changed.tokens.iter().find(|one| one.name == token.name).cloned();
        let tokens = tokens.iter().map(|token| as_now(token).unwrap_or_else(|| token.clone()));
        let tokens = tokens.filter_map(|token| token.without_topic(topic, now)).collect();
        let shows = |link: &&LinkRow| link.kind == SharedKind::Topic && link.of == *topic && link.is_valid(now);
        // A topic may be named twice.
        let is_new = |link: &&LinkRow| changed.links.iter().all(|one| one.id != link.id);
        let links =
            links.iter().filter(shows).filter(is_new).map(|link| LinkRow { withdrawn_at: Some(now), ..link.clone() });
        let links = links.collect();
        changed.add(AccessChanges { tokens, links });
    }
    Ok(changed)
}

/// Erases what all tombstones name. `begun` is what was done when they were added: topics ended, and tokens and links
/// changed.
async fn erase(context: &Context, store: &Store, now: Time, begun: Forgotten, json: bool) -> Result<Exit, Failure> {
    let (all, key) = (store.tombstones().await?, store.forget_key().await?);
    let open: Vec<Tombstone> = all.iter().filter(|(_, done)| !done).map(|(one, _)| one.clone()).collect();
    let Some(key) = key.filter(|_| !open.is_empty()) else {
        store.close().await;
        if json {
            let naming = RemainingMentions { topics: Vec::new(), jobs: Vec::new() };
            let reports = Vec::new();
            print(&Summary { found: begun, reports, naming, dry_run: false, scrubbed: false, copies: false }, true)?;
        } else {
            output::text("nothing is left to erase\n")?;
        }
        return Ok(Exit::Ok);
    };
    let tombstones = Tombstones::new(key, all.iter().map(|(one, _)| one));
    let topics = open.iter().filter(|one| one.kind == TombstoneKind::Topic).cloned().collect();
    let platform = &context.config.service.platform;
    let (known, watched) = (tombstones.clone(), context.config.topics.as_slice());
    let mut found = Eraser { store, known, topics, watched, platform, now, dry_run: false }.erase().await?;
    found.topics.extend(begun.topics);
    found.topics.sort_unstable();
    found.topics.dedup();
    let mut access = withdrawn_before(store, key, &open, now).await?;
    access.add(begun.access);
    access.add(found.access);
    found.access = access;
    for topic in found.topics.iter().filter(|topic| watched.iter().all(|watched| watched.id != **topic)) {
        store.end_former_ids(topic).await?;
    }
    // Only the tombstones show which data was erased before an interruption.
    found.since = found.since.into_iter().chain(store.first_erased_seen_at().await?).min();
    let (naming, reports) = (remaining_mentions(store, &tombstones).await?, reports(store, &found).await?);
    crate::failpoint::at("forget/swept");
    // Cluster again the copies whose first item is gone: until then each would count as a text of its own.
    crate::collect::catch_up(Follower::NearCopies, store, &context.clock, &|| false).await?;
    // The word index keeps erased words until it is rebuilt.
    store.rebuild_word_index().await?;
    let scrubbed = store.scrub().await?;
    if scrubbed {
        store.close_tombstones(&open.iter().map(|one| one.hash.as_str()).collect()).await?;
        // Write the journal again, now that the erasure is complete.
        journal::keep(store).await?;
    }
    store.close().await;
    let copies = found.taken.items > 0 || !found.topics.is_empty();
    print(&Summary { found, reports, naming, dry_run: false, scrubbed, copies }, json)?;
    if !scrubbed {
        output::print_stderr(
            "error: another process prevented the file from being rewritten: erased data may remain in its unused space",
        );
        output::print_stderr("hint: run `topicwatch db forget --resume` when the daemon is idle or stopped");
        return Ok(Exit::Store);
    }
    Ok(Exit::Ok)
}

/// Returns the tokens and links that were withdrawn when the erasure of these topics began, if it was interrupted since.
/// What a token of several topics lost then is recorded nowhere.
async fn withdrawn_before(
    store: &Store,
    key: ForgetKey,
    open: &[Tombstone],
    now: Time,
) -> Result<AccessChanges, Failure> {
    let is_earlier = |one: &&Tombstone| one.kind == TombstoneKind::Topic && one.at < now;
    let topics: Vec<&Tombstone> = open.iter().filter(is_earlier).collect();
    let is_of = |topic: &str, withdrawn_at: Option<Time>| {
        let hash = key.hash(TombstoneKind::Topic, topic);
        topics.iter().any(|one| one.hash == hash && withdrawn_at == Some(one.at))
    };
    let (mut tokens, mut links) = (store.tokens().await?, store.links().await?);
    tokens.retain(|token| token.topics.iter().any(|topic| is_of(topic, token.withdrawn_at)));
    links.retain(|link| link.kind == SharedKind::Topic && is_of(&link.of, link.withdrawn_at));
    links.retain(|link| link.withdrawn_at < Some(link.expires_at));
    Ok(AccessChanges { tokens, links })
}

async fn remaining_mentions(store: &Store, tombstones: &Tombstones) -> Result<RemainingMentions, Failure> {
    let topics = store.definitions().await?;
    let names = |topic: &crate::model::Topic| {
        serde_json::to_string(topic).is_ok_and(|text| tombstones.mentions_forgotten(&text))
    };
    let jobs =
        store.job_definitions().await?.into_iter().filter(|(_, definition)| tombstones.mentions_forgotten(definition));
    Ok(RemainingMentions {
        topics: topics.into_iter().filter(names).map(|topic| topic.id).collect(),
        jobs: jobs.map(|(job, _)| job).collect(),
    })
}

async fn reports(store: &Store, found: &Forgotten) -> Result<Vec<ReportFiles>, Failure> {
    match found.since {
        Some(since) => Ok(store.reports_since(since, REPORTS).await?),
        None => Ok(Vec::new()),
    }
}
