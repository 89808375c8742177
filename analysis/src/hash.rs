//! Maps and sets of names and places. They are queried for every name of a source, so their hash is a quick one; an
//! attack by colliding names gains nothing, and the cost of a map is bounded by the steps of an analysis.

pub(crate) use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
