//! Maps and sets of names and places. They are asked for every name of a source, so their hash is a quick one;
//! nobody gains by names that collide, and what a map costs is bounded by the steps of an analysis.

pub(crate) use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
