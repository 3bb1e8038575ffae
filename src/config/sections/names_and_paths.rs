//! Names and paths of exports and of reports, where no two may have the same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::config::file::key_reader::Reader;
use crate::config::mistakes::mistake::Mistakes;

/// What could be read of an export or a report. Its name and path are compared with those of others even if another key
/// is wrong.
pub(super) struct Parsed<T> {
    pub(super) name: Option<String>,
    pub(super) path: Option<String>,
    /// Missing if any key is wrong.
    pub(super) spec: Option<T>,
}

/// Names and paths read so far.
pub(super) struct NamesAndPaths<'d> {
    /// `export` or `report`, for messages.
    kind: &'static str,
    /// Why a name cannot be used twice.
    name_hint: &'static str,
    /// Paths are relative to this folder.
    dir: &'d Path,
    names: BTreeSet<String>,
    paths: BTreeSet<String>,
}

impl<'d> NamesAndPaths<'d> {
    pub(super) fn new(kind: &'static str, name_hint: &'static str, dir: &'d Path) -> Self {
        Self { kind, name_hint, dir, names: BTreeSet::new(), paths: BTreeSet::new() }
    }

    /// Reports a name or a path that is already used. Returns the parsed value with its full path, if both could be
    /// read.
    pub(super) fn check<T>(
        &mut self,
        reader: &Reader<'_>,
        parsed: Parsed<T>,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<(T, String)> {
        let Self { kind, name_hint, dir, names, paths } = self;
        let Parsed { name, path, spec } = parsed;
        let is_repeated = name.as_ref().is_some_and(|name| names.contains(name));
        if let Some(name) = &name {
            reader.check_unique(mistakes, "name", names, name.clone(), kind, name_hint);
        }
        // Compare components: `./out` is the same as `out`.
        let path: PathBuf = dir.join(path?).components().collect();
        let path = path.to_string_lossy().into_owned();
        // Files with the name in their path are the same only if the names are, which was reported.
        let is_named_after = path.contains("{name}");
        if !is_named_after || name.is_some() && !is_repeated {
            let filled = path.replace("{name}", name.as_deref().unwrap_or_default());
            let hint = "one would overwrite the other: use {name}";
            reader.check_unique(mistakes, "path", paths, filled, kind, hint);
        }
        spec.map(|spec| (spec, path))
    }
}
