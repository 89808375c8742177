//! Names of libraries whose words the vocabulary has.

use tree_sitter_cute::tree::Segment;

use crate::vocabulary::rust::Library;

/// Namespaces whose words are the vocabulary's.
pub(super) const LIBRARIES: &[&str] = &["cute", "cutlass", "std", "thrust"];

pub(super) fn is_library(segment: &Segment) -> bool {
    LIBRARIES.contains(&segment.name.name.as_str())
}

/// A name of a library, with the generic arguments of the path.
#[derive(Debug, Clone)]
pub(super) struct LibraryName<'u> {
    pub(super) library: &'static Library,
    /// From the crate inwards, the crate left out.
    pub(super) names: Vec<&'u str>,
    /// The last segment as written.
    pub(super) segment: &'u Segment,
    /// The segment whose generic arguments count: `Swizzle::<3, 3, 3>` of `::new`.
    pub(super) generic: &'u Segment,
}
