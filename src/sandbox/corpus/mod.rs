//! What the sandbox knows: posts and pages for a query at a time, either invented or read from a folder. It says what
//! there is; how a reply spells it is `shape`'s business.

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

pub(crate) use entry::{Author, HOUR_MS, Hour, Page, PageDate, Post, Quirk, Wanted};
pub use files::Loaded;
pub(crate) use index::about;

/// The corpus in use.
#[derive(Debug)]
pub(crate) enum Corpus {
    /// Invented on the spot.
    Invented,
    /// Read from a folder.
    Folder(Box<folder::Folder>),
}

impl Corpus {
    /// Opens the corpus; reads files, so call it where blocking is allowed. `now` is when the folder's span ends.
    pub(crate) fn open(source: &CorpusSource, now: Time) -> Result<Self, StartError> {
        match source {
            CorpusSource::BuiltIn => Ok(Self::Invented),
            CorpusSource::Folder { path, span } => {
                folder::Folder::read(path, *span, Hour::of(now)).map(|folder| Self::Folder(Box::new(folder)))
            }
        }
    }

    /// What was read, for a folder.
    pub(crate) fn loaded(&self) -> Option<Loaded> {
        match self {
            Self::Invented => None,
            Self::Folder(folder) => Some(folder.loaded()),
        }
    }

    /// Posts, newest first.
    pub(crate) fn posts(&self, wanted: &Wanted<'_>) -> Vec<Post> {
        self.posts_about(wanted.query, wanted)
    }

    /// The same of a prompt, which is about something.
    pub(crate) fn posts_about(&self, about: &str, wanted: &Wanted<'_>) -> Vec<Post> {
        match self {
            Self::Invented => invented::posts(about, wanted),
            Self::Folder(folder) => folder.posts(&Wanted { query: about, ..wanted.clone() }),
        }
    }

    /// Posts of a window hour by hour, newest first: the same ones however long the window is, and none from outside it.
    pub(crate) fn archive(&self, wanted: &Wanted<'_>) -> Vec<Post> {
        match self {
            Self::Invented => invented::archive(wanted),
            Self::Folder(folder) => folder.posts(wanted),
        }
    }

    /// Pages, best first; their window is the corpus's own.
    pub(crate) fn pages(&self, wanted: &Wanted<'_>) -> Vec<Page> {
        self.pages_about(wanted.query, wanted)
    }

    /// The same of a prompt, which is about something.
    pub(crate) fn pages_about(&self, about: &str, wanted: &Wanted<'_>) -> Vec<Page> {
        match self {
            Self::Invented => pages::pages(about, wanted),
            Self::Folder(folder) => folder.pages(&Wanted { query: about, ..wanted.clone() }),
        }
    }
}
