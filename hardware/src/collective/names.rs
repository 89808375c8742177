//! The printed names of the builders' choices.

use crate::element::Element;

/// The type of an element as a compiler prints it: `cutlass::half_t`, `float`, `signed char`.
pub fn cutlass_type(element: Element) -> String {
    match element {
        Element::F32 => "float".to_owned(),
        Element::F64 => "double".to_owned(),
        Element::S8 => "signed char".to_owned(),
        Element::U8 => "unsigned char".to_owned(),
        Element::S32 => "int".to_owned(),
        Element::E2m1Unpacked | Element::E2m3Unpacked | Element::E3m2Unpacked => {
            format!("cutlass::detail::{}", element.cutlass_name())
        }
        other => format!("cutlass::{}", other.cutlass_name()),
    }
}

/// A static shape as a compiler prints it.
pub(super) fn shape_type(extents: &[i64]) -> String {
    let list: Vec<String> = extents
        .iter()
        .map(|extent| format!("cute::C<{extent}>"))
        .collect();
    format!("cute::tuple<{} >", list.join(", "))
}
