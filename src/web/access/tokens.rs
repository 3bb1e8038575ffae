//! The named tokens and the links of the database, cached: they are read at most once in two seconds, and again if an
//! unknown one is sent, as often as `guess_limit` allows. A token or link that was found is checked each time by an
//! index, because it may have been withdrawn since.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Access;
use super::visitor::{Identity, Scope, Visitor};
use crate::model::{LinkRow, Time, TokenRow, secret_hash};
use crate::store::{Store, StoreError, StoreErrorKind};

/// How long a reading is valid.
const FRESH: Duration = Duration::from_secs(2);
/// How long reading may take.
const SOON: Duration = Duration::from_secs(3);
/// Least time between two recorded uses of a token, so that reading pages writes next to nothing.
const NOTED: Duration = Duration::from_secs(60);

/// A named token that is valid.
#[derive(Debug, Clone)]
pub(in crate::web) struct NamedToken {
    pub(in crate::web) visitor: Visitor,
    pub(in crate::web) name: String,
    /// The key that signs the passes of its sessions.
    pub(in crate::web) key: Access,
}

/// The tokens and links that were read.
#[derive(Debug, Default)]
pub(in crate::web) struct TokenTable {
    /// Whether any token was ever made. Withdrawing the last one does not open the pages to everybody.
    pub(in crate::web) any: bool,
    by_hash: HashMap<String, NamedToken>,
    links: HashMap<String, LinkRow>,
}

impl TokenTable {
    /// The token with this secret.
    pub(in crate::web) fn of(&self, secret: &str) -> Option<&NamedToken> {
        self.by_hash.get(&secret_hash(secret))
    }

    fn has_secret(&self, secret: &str) -> bool {
        let hash = secret_hash(secret);
        self.by_hash.contains_key(&hash) || self.links.contains_key(&hash)
    }

    /// The token of this name.
    pub(in crate::web) fn by_name(&self, name: &str) -> Option<&NamedToken> {
        self.by_hash.values().find(|holder| holder.name == name)
    }

    /// The link with this secret, if it is valid.
    pub(in crate::web) fn link(&self, secret: &str, now: Time) -> Option<&LinkRow> {
        self.links.get(&secret_hash(secret)).filter(|link| link.is_valid(now))
    }

    async fn read(store: &Store) -> Result<Self, StoreError> {
        let (tokens, links) = (store.tokens().await?, store.links().await?);
        let any = !tokens.is_empty();
        let good: Vec<TokenRow> = tokens.into_iter().filter(|token| token.withdrawn_at.is_none()).collect();
        let tags: BTreeSet<String> = good.iter().flat_map(|token| token.tags.iter().cloned()).collect();
        let tags: Vec<String> = tags.into_iter().collect();
        let tagged = if tags.is_empty() { Vec::new() } else { store.topics_with_tags(&tags).await? };
        let by_hash = good.into_iter().map(|token| (token.hash.clone(), holder(token, &tagged))).collect();
        Ok(Self { any, by_hash, links: links.into_iter().map(|link| (link.hash.clone(), link)).collect() })
    }
}

fn holder(token: TokenRow, tagged: &[(String, Vec<String>)]) -> NamedToken {
    let scope = if token.covers_all_topics() {
        Scope::All
    } else {
        let by_tag = tagged.iter().filter(|(_, tags)| tags.iter().any(|tag| token.tags.contains(tag)));
        Scope::Topics(Arc::new(by_tag.map(|(topic, _)| topic.clone()).chain(token.topics).collect()))
    };
    NamedToken {
        visitor: Visitor {
            who: Identity::Named { name: token.name.clone(), hash: token.hash.clone() },
            role: token.role,
            scope,
        },
        name: token.name,
        key: Access::named(&token.hash),
    }
}

/// The last reading.
struct CachedTokens {
    /// When it began: everything that was made before is in it.
    at: Instant,
    table: Result<Arc<TokenTable>, StoreError>,
}

/// Returns the result of a call to the store, if it comes in time. The call has a task of its own, because a visitor
/// who goes away must not drop it midway.
async fn with_timeout<T: Send + 'static>(
    call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    let late = || StoreError::new(StoreErrorKind::Unreachable, "reading the tokens took too long", "");
    match tokio::time::timeout(SOON, tokio::spawn(call)).await {
        Ok(Ok(read)) => read,
        Ok(Err(_)) | Err(_) => Err(late()),
    }
}

async fn read_into(cache: &mut Option<CachedTokens>, store: &Store) -> Result<Arc<TokenTable>, StoreError> {
    let mut at = Instant::now();
    let before = cache.take().and_then(|cache| cache.table.ok()).filter(|table| !table.any);
    let read = with_timeout({
        let store = store.clone();
        async move { TokenTable::read(&store).await.map(Arc::new) }
    })
    .await;
    // A failure counts from its end, so that those who waited for it do not wait once more.
    if read.is_err() {
        at = Instant::now();
    }
    let table = match (read, before) {
        (Err(error), Some(before)) => {
            tracing::debug!("cannot read the tokens: {error}");
            Ok(before)
        }
        (read, _) => read,
    };
    *cache = Some(CachedTokens { at, table: table.clone() });
    table
}

/// The tokens and links of a process's pages.
#[derive(Default)]
pub(in crate::web) struct Tokens {
    cached: tokio::sync::Mutex<Option<CachedTokens>>,
    /// When each token's use was last recorded, by hash.
    noted: Mutex<HashMap<String, Time>>,
}

impl Tokens {
    /// Returns the tokens and links. If the database cannot be read, an installation without tokens stays one.
    pub(in crate::web) async fn table(&self, store: &Store) -> Result<Arc<TokenTable>, StoreError> {
        let mut cache = self.cached.lock().await;
        match cache.as_ref() {
            Some(read) if read.at.elapsed() < FRESH => read.table.clone(),
            _ => read_into(&mut cache, store).await,
        }
    }

    /// The same for a visitor who sends a secret: an unknown one may have been made just now, so everything is read
    /// again. The caller limits how often somebody may be wrong.
    pub(super) async fn known_with(&self, secret: &str, store: &Store) -> Result<Arc<TokenTable>, StoreError> {
        let asked_at = Instant::now();
        let table = self.table(store).await?;
        if table.has_secret(secret) {
            return Ok(table);
        }
        // Visitors who wait for the same reading share it.
        let mut cache = self.cached.lock().await;
        match cache.as_ref() {
            Some(read) if read.at >= asked_at => read.table.clone(),
            _ => read_into(&mut cache, store).await,
        }
    }

    /// Whether a token that was found is still valid.
    pub(in crate::web) async fn is_valid(&self, visitor: &Visitor, store: &Store) -> Result<bool, StoreError> {
        let Identity::Named { hash, .. } = &visitor.who else { return Ok(true) };
        let (store, hash) = (store.clone(), hash.clone());
        self.drop_cache_unless(with_timeout(async move { store.is_token_valid(&hash).await }).await?).await
    }

    /// The same for a link.
    pub(in crate::web) async fn is_link_valid(&self, link: &LinkRow, store: &Store) -> Result<bool, StoreError> {
        let (store, hash) = (store.clone(), link.hash.clone());
        self.drop_cache_unless(with_timeout(async move { store.is_link_valid(&hash).await }).await?).await
    }

    /// Drops the last reading if something in it was withdrawn.
    async fn drop_cache_unless(&self, holds: bool) -> Result<bool, StoreError> {
        if !holds {
            *self.cached.lock().await = None;
        }
        Ok(holds)
    }

    /// Records that a token was used, unless that was done within the last minute.
    pub(super) fn record_use(&self, store: &Store, hash: &str, now: Time) {
        {
            let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
            if noted.get(hash).is_some_and(|at| now.since(*at) < NOTED && *at <= now) {
                return;
            }
            noted.insert(hash.to_owned(), now);
        }
        let (store, hash) = (store.clone(), hash.to_owned());
        tokio::spawn(async move {
            if let Err(error) = store.record_token_use(&hash, now).await {
                tracing::debug!("cannot record the use of a token: {error}");
            }
        });
    }
}
