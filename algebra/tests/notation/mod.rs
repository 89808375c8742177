//! Values from text in which every plain integer is static, as the paper writes them; and their print.
#![allow(dead_code, reason = "each test file uses some of these")]
#![allow(clippy::panic, reason = "a test ends where its text is wrong")]

use cute_algebra::{AnyLayout, Coord, IntTuple, Layout, Parse, Reading, Refusal, Shape, Tiler};
use std::fmt::Display;

fn read<T: Parse>(text: &str) -> T {
    match T::parse(text, Reading::Plain) {
        Ok(value) => value,
        Err(refusal) => panic!("`{text}`: {refusal}"),
    }
}

pub(crate) fn layout(text: &str) -> Layout {
    read(text)
}

pub(crate) fn any(text: &str) -> AnyLayout {
    read(text)
}

pub(crate) fn tuple(text: &str) -> IntTuple {
    read(text)
}

pub(crate) fn shape(text: &str) -> Shape {
    read(text)
}

pub(crate) fn tiler(text: &str) -> Tiler {
    read(text)
}

pub(crate) fn coord(text: &str) -> Coord {
    read(text)
}

/// The value without the underscores of static integers, or the name of the rule that refuses it.
pub(crate) fn show<T: Display>(result: Result<T, Refusal>) -> String {
    match result {
        Ok(value) => format!("{value:#}"),
        Err(refusal) => format!("refused: {}", refusal.rule.name()),
    }
}

/// The offsets of all coordinates, in order.
pub(crate) fn offsets(layout: &Layout) -> Vec<i64> {
    (0..size(layout)).map(|index| at(layout, index)).collect()
}

pub(crate) fn size(layout: &Layout) -> i64 {
    match layout.size().map(|size| size.value()) {
        Ok(Some(size)) => size,
        other => panic!("{layout} has size {other:?}"),
    }
}

/// The offset of an index, which may be beyond the size.
pub(crate) fn at(layout: &Layout, index: i64) -> i64 {
    match layout.eval_number(index) {
        Ok(offset) => offset,
        Err(refusal) => panic!("{layout} at {index}: {refusal}"),
    }
}
