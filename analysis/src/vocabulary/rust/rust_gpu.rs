//! `rust-gpu`: it has no words for layouts. A source that uses its crate has kernels, whose accesses are layouts.

use super::Library;

pub(super) static LIBRARY: Library = Library {
    crates: &["spirv_std"],
    types: &[],
    functions: &[],
    methods: &[],
    macros: &[],
};
