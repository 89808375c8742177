//! The tables of functions and attributes that are built in, by name.

use std::sync::LazyLock;

use super::super::native::Native;
use super::super::tests;
use super::{algebra, atoms, effects, issued, registers, scales, tensors, tiled, trace, words};
use crate::hash::HashMap;

/// All functions that are built in, by table.
pub(super) fn tables() -> [&'static [Native]; 9] {
    [
        effects::NATIVES,
        issued::NATIVES,
        tests::NATIVES,
        tensors::NATIVES,
        trace::NATIVES,
        atoms::NATIVES,
        algebra::NATIVES,
        registers::NATIVES,
        scales::NATIVES,
    ]
}

/// Attributes of values: `.Layout.shape`, by the name of the kind of value in the DSL.
fn attributes() -> [&'static [Native]; 5] {
    [
        effects::ATTRIBUTES,
        tensors::ATTRIBUTES,
        words::ATTRIBUTES,
        tiled::ATTRIBUTES,
        algebra::ATTRIBUTES,
    ]
}

/// Functions by the module or the kind of value, and the name in it.
pub(super) type ByName = HashMap<(&'static str, &'static str), &'static Native>;

/// The functions that are built in.
pub(super) static FUNCTIONS: LazyLock<ByName> = LazyLock::new(|| {
    let all = tables().into_iter().flatten();
    by_name(all.filter_map(|native| Some((native.name.rsplit_once('.')?, native))))
});

/// The attributes of values.
pub(super) static ATTRIBUTES: LazyLock<ByName> = LazyLock::new(|| {
    let all = attributes().into_iter().flatten();
    by_name(all.filter_map(|native| Some((native.name.split_once('.')?, native))))
});

/// Of one name the first counts.
fn by_name(all: impl Iterator<Item = ((&'static str, &'static str), &'static Native)>) -> ByName {
    let mut found = ByName::default();
    for (name, native) in all {
        found.entry(name).or_insert(native);
    }
    found
}
