//! Results of translation units for headers, kept until they are requested.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use crate::hash::{HashMap, HashSet};
use crate::output::Output;
use crate::sources::{Inclusion, Sources};

/// Translation units that are evaluated once for all the headers that are requested, one after the other, with the same
/// options. The results of a unit for a header are kept until they are requested.
///
/// ```
/// use std::path::PathBuf;
/// let units = cute_analysis::Units::for_headers([PathBuf::from("tile.hpp")]);
/// assert!(units.are_for(&PathBuf::from("tile.hpp")));
/// assert!(!units.are_for(&PathBuf::from("other.hpp")));
/// ```
#[derive(Debug, Default)]
pub struct Units {
    pub(super) headers: HashSet<PathBuf>,
    pub(super) evaluated: Mutex<HashMap<Asked, Arc<Kept>>>,
}

/// The path of a unit, and whether only findings were requested.
pub(super) type Asked = (PathBuf, bool);

/// A unit, from the start of its evaluation.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) is_begun: AtomicBool,
    pub(super) evaluated: OnceLock<Evaluated>,
}

/// Results of one translation unit for headers.
#[derive(Debug)]
pub(super) struct Evaluated {
    /// By the path of the header; nothing where it was taken, or where the header is a library's and is evaluated for
    /// itself.
    pub(super) parts: Mutex<HashMap<PathBuf, Option<Part>>>,
    pub(super) files: Vec<(usize, PathBuf)>,
    pub(super) inclusions: Vec<Inclusion>,
}

/// The results for one header.
#[derive(Debug)]
pub(super) struct Part {
    /// The header as it was read.
    pub(super) text: Arc<str>,
    pub(super) output: Output,
}

impl Units {
    /// Those that an analysis keeps.
    pub(super) fn of(sources: &dyn Sources) -> Option<&Self> {
        sources.units()?.downcast_ref()
    }

    /// The translation units of headers, by paths as [`Sources`](crate::Sources) know them.
    pub fn for_headers(headers: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            headers: headers.into_iter().collect(),
            evaluated: Mutex::default(),
        }
    }

    /// Whether a header is one of the requested ones.
    pub fn are_for(&self, header: &Path) -> bool {
        self.headers.contains(header)
    }

    /// Whether no header is requested.
    pub fn are_for_none(&self) -> bool {
        self.headers.is_empty()
    }
}
