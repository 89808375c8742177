//! The tables of functions and members that are built in, by name.

use std::sync::LazyLock;

use super::super::native::{Implementation, Native};
use super::super::tests;
use super::{
    algebra, atoms, effects, extents, issued, registers, scales, tensors, tiled, trace, words,
};
use crate::hash::HashMap;

/// Functions that only our own sources in Python call: they are in no entry of the catalogue.
const OWN: [&[Native]; 9] = [
    extents::NATIVES,
    algebra::NATIVES,
    effects::NATIVES,
    issued::NATIVES,
    tests::NATIVES,
    tensors::NATIVES,
    trace::NATIVES,
    atoms::NATIVES,
    scales::NATIVES,
];

const OF_MODULES: [&[Implementation]; 8] = [
    extents::FUNCTIONS,
    effects::FUNCTIONS,
    issued::FUNCTIONS,
    tensors::FUNCTIONS,
    trace::FUNCTIONS,
    atoms::FUNCTIONS,
    algebra::FUNCTIONS,
    registers::FUNCTIONS,
];

/// Members of values, by the name of the kind of value in the DSL.
const OF_VALUES: [&[Implementation]; 6] = [
    extents::MEMBERS,
    effects::MEMBERS,
    tensors::MEMBERS,
    words::MEMBERS,
    tiled::MEMBERS,
    algebra::MEMBERS,
];

/// All functions of modules that are built in.
static ALL: LazyLock<Vec<Native>> = LazyLock::new(|| {
    let of_modules = OF_MODULES.into_iter().flatten();
    of_modules.map(Implementation::with_parameters).collect()
});

/// Members of values that are built in.
static ALL_MEMBERS: LazyLock<Vec<Native>> = LazyLock::new(|| {
    let of_values = OF_VALUES.into_iter().flatten();
    of_values.map(Implementation::with_parameters).collect()
});

/// Functions by the module or the kind of value, and the name in it.
pub(super) type ByName = HashMap<(&'static str, &'static str), &'static Native>;

/// The functions that are built in.
pub(super) static FUNCTIONS: LazyLock<ByName> = LazyLock::new(|| {
    let all = OWN.into_iter().flatten().chain(ALL.iter());
    by_name(all.filter_map(|native| Some((native.name.rsplit_once('.')?, native))))
});

/// The members of values.
pub(super) static MEMBERS: LazyLock<ByName> = LazyLock::new(|| {
    by_name(
        ALL_MEMBERS
            .iter()
            .filter_map(|native| Some((native.name.split_once('.')?, native))),
    )
});

/// Of one name the first counts.
fn by_name(all: impl Iterator<Item = ((&'static str, &'static str), &'static Native)>) -> ByName {
    let mut found = ByName::default();
    for (name, native) in all {
        found.entry(name).or_insert(native);
    }
    found
}

#[cfg(test)]
mod tests_of_names {
    use super::*;
    use crate::vocabulary::python::ON_OBJECTS;

    #[test]
    fn each_implementation_is_that_of_an_entry_and_each_entry_has_one() {
        let all = ALL.iter().chain(ALL_MEMBERS.iter());
        let mut implemented: Vec<String> = all.map(|native| native.name.to_owned()).collect();
        implemented.extend(super::super::device::names());
        implemented.sort_unstable();
        let mut entries: Vec<String> = ON_OBJECTS.keys().cloned().collect();
        entries.sort_unstable();
        assert_eq!(implemented, entries);
    }
}
