//! Golden data: JSON lines in `tests/golden` of the repository, results of CuTe C++ 4.2.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use cute_algebra::{IntTuple, Shape};
use cute_hardware::smem_atom::tile_to_shape;
use cute_hardware::{Element, Refusal, SharedLayout, SmemAtom};
use serde_json::Value;
use std::path::Path;

/// The rows of one file.
pub(crate) fn rows(file: &str) -> impl Iterator<Item = Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/golden")
        .join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect::<Vec<_>>()
        .into_iter()
}

/// A text field.
pub(crate) fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field]
        .as_str()
        .unwrap_or_else(|| panic!("no text {field} in {row}"))
}

/// Collects what differs, so that one run shows all of it.
#[derive(Default)]
pub(crate) struct Failures {
    checked: usize,
    different: Vec<String>,
}

impl Failures {
    /// Notes a difference.
    pub(crate) fn compare(&mut self, id: &str, theirs: &str, ours: &str) {
        self.checked += 1;
        if theirs != ours {
            self.different
                .push(format!("{id}\n    theirs {theirs}\n    ours   {ours}"));
        }
    }

    /// Fails when something differed, or when fewer than `least` things were compared.
    pub(crate) fn finish(self, least: usize) {
        assert!(self.checked >= least, "only {} comparisons", self.checked);
        let shown = self.different.join("\n");
        assert!(
            self.different.is_empty(),
            "{} of {} differ:\n{shown}",
            self.different.len(),
            self.checked
        );
    }
}

/// The shape of a CuTe expression: `Shape<_64,Int<32>>{}` or nested `make_shape(...)`.
pub(crate) fn parse_shape(expression: &str) -> Shape {
    let mut text = expression.replace("make_shape(", "(").replace("{}", "");
    for word in ["Shape<", "Step<"] {
        if let Some(inner) = text.strip_prefix(word) {
            text = format!("({})", inner.strip_suffix('>').expect("a closing bracket"));
        }
    }
    while let Some(start) = text.find("Int<") {
        let end = start + text[start..].find('>').expect("a closing bracket");
        text = format!(
            "{}_{}{}",
            &text[..start],
            &text[start + 4..end],
            &text[end + 1..]
        );
    }
    text.parse()
        .unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
}

/// Atom name, shape and order of `tile_to_shape(Atom{}, shape, order)`.
pub(crate) fn tile_arguments(call: &str) -> (String, Shape, Option<IntTuple>) {
    let inner = call
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'))
        .expect("a call");
    let (name, rest) = inner.split_once("{},").expect("an atom");
    let (shape, order) = match rest.rsplit_once(" Step<") {
        Some((shape, order)) => (
            shape.trim_end_matches([',', ' ']),
            Some(parse_shape(&format!("Step<{order}"))),
        ),
        None => (rest, None),
    };
    (name.to_owned(), parse_shape(shape.trim()), order)
}

/// The operand of a descriptor row that CuTe rejects: `GMMA:K:half_t:EXPRESSION`.
pub(crate) fn descriptor_operand(id: &str, element: Element) -> Result<SharedLayout, Refusal> {
    let expression = id.splitn(4, ':').nth(3).expect("an expression");
    if expression.starts_with("tile_to_shape") {
        let (name, shape, order) = tile_arguments(expression);
        return tile_to_shape(&SmemAtom::named(&name)?.layout()?, &shape, order.as_ref());
    }
    let bits = element.bits();
    let parts = expression
        .strip_prefix("composition(Swizzle<3,3,3>{},")
        .map(|rest| rest.trim_end_matches(')'));
    let is_swizzled = parts.is_some();
    let right = expression.contains("LayoutRight");
    let shape = expression
        .split_once("make_shape(")
        .and_then(|(_, rest)| rest.split_once(')'))
        .expect("a shape")
        .0;
    let shape = parse_shape(&format!("({shape})"));
    let layout = if right {
        cute_algebra::Layout::right(shape)
    } else {
        cute_algebra::Layout::left(shape)
    }?;
    if is_swizzled {
        let swizzle = cute_algebra::Swizzle::new(3, 3, 3)?;
        return SharedLayout::of_offsets(
            &cute_algebra::ComposedLayout::swizzled(swizzle, layout).into(),
            bits,
        );
    }
    SharedLayout::plain(bits, layout)
}
