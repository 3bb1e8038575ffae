//! The posts and pages that the sandbox has for a query at a time, either invented or read from a folder. `shape`
//! formats them for replies.

mod dates;
mod entry;
mod files;
mod folder;
mod index;
mod invented;
mod pages;
mod phrases;
mod rows;

use crate::model::Time;

use super::{CorpusSource, StartError};

pub(crate) use entry::{Author, CorpusQuery, HOUR_MS, Hour, Page, PageDate, Post, Quirk};
pub use files::LoadStats;
pub(crate) use index::prompt_subject;

/// The corpus in use.
#[derive(Debug)]
pub(crate) enum Corpus {
    /// Invented on demand.
    Invented,
    /// Read from a folder.
    Folder(Box<folder::Folder>),
}

impl Corpus {
    /// Opens the corpus. It reads files, so call it where blocking is allowed. `now` is the end of the folder's span.
    pub(crate) fn open(source: &CorpusSource, now: Time) -> Result<Self, StartError> {
        match source {
            CorpusSource::BuiltIn => Ok(Self::Invented),
            CorpusSource::Folder { path, span } => {
                folder::Folder::read(path, *span, Hour::of(now)).map(|folder| Self::Folder(Box::new(folder)))
            }
        }
    }

    /// Returns the counts of read files, posts and pages, for a folder.
    pub(crate) fn loaded(&self) -> Option<LoadStats> {
        match self {
            Self::Invented => None,
            Self::Folder(folder) => Some(folder.loaded()),
        }
    }

    /// Returns posts, newest first.
    pub(crate) fn posts(&self, corpus_query: &CorpusQuery<'_>) -> Vec<Post> {
        self.posts_about(corpus_query.query, corpus_query)
    }

    /// Returns posts about the subject of a prompt, newest first.
    pub(crate) fn posts_about(&self, about: &str, corpus_query: &CorpusQuery<'_>) -> Vec<Post> {
        match self {
            Self::Invented => invented::posts(about, corpus_query),
            Self::Folder(folder) => folder.posts(&CorpusQuery { query: about, ..corpus_query.clone() }),
        }
    }

    /// Returns all posts of a window, newest first. They do not depend on the length of the window, and none is outside
    /// it.
    pub(crate) fn archive(&self, corpus_query: &CorpusQuery<'_>) -> Vec<Post> {
        match self {
            Self::Invented => invented::archive(corpus_query),
            Self::Folder(folder) => folder.posts(corpus_query),
        }
    }

    /// Returns pages, best first. The window of `corpus_query` does not apply.
    pub(crate) fn pages(&self, corpus_query: &CorpusQuery<'_>) -> Vec<Page> {
        self.pages_about(corpus_query.query, corpus_query)
    }

    /// Returns pages about the subject of a prompt, best first.
    pub(crate) fn pages_about(&self, about: &str, corpus_query: &CorpusQuery<'_>) -> Vec<Page> {
        match self {
            Self::Invented => pages::pages(about, corpus_query),
            Self::Folder(folder) => folder.pages(&CorpusQuery { query: about, ..corpus_query.clone() }),
        }
    }
}
