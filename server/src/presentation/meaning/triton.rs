//! The description of a layout of Triton: its bases, the owners of its elements, and the parts that CuTe has no strides
//! for.

use cute_algebra::triton::{Input, Placement};
use cute_analysis::TritonLayout;

/// Its bases, then places and elements in numbers, then why its strides are not integers.
pub(super) fn of(layout: &TritonLayout) -> Vec<String> {
    let mut lines = vec![match layout.by_bases() {
        Ok(attribute) => attribute.to_string(),
        Err(refusal) => format!("no linear layout: {}", refusal.message()),
    }];
    lines.push(in_numbers(layout));
    lines.extend(no_integer_strides(layout));
    lines
}

/// Why the strides are xor strides, where they are.
pub fn no_integer_strides(layout: &TritonLayout) -> Option<String> {
    let reason = layout.cute.no_integer_strides?;
    Some(format!(
        "CuTe C++ has no layout of this function: the offsets of coordinates {} and {} share a bit, so strides are xor \
         strides, and no swizzle after integer strides gives them",
        reason.first, reason.second
    ))
}

fn in_numbers(layout: &TritonLayout) -> String {
    let linear = &layout.linear;
    let count = |input: Input| 1_u64 << linear.bases(input).len();
    let broadcasts = |input: Input| {
        let bases = linear.bases(input).iter();
        1_u64
            << bases
                .filter(|basis| basis.iter().all(|&step| step == 0))
                .count()
    };
    let shape: Vec<String> = linear.shape().iter().map(u64::to_string).collect();
    let shape = shape.join("x");
    let blocks = match count(Input::Block) {
        1 => String::new(),
        blocks => format!(", {blocks} blocks"),
    };
    match layout.encoding.placement() {
        Placement::Registers => {
            let same =
                broadcasts(Input::Register) * broadcasts(Input::Lane) * broadcasts(Input::Warp);
            let several = if same > 1 {
                format!("; {same} places have the same element")
            } else {
                String::new()
            };
            format!(
                "{} lanes, {} warps{blocks}, {} values of each thread: (thread, value) to the column-major index in {shape}{several}",
                count(Input::Lane),
                count(Input::Warp),
                count(Input::Register),
            )
        }
        Placement::Shared => format!(
            "coordinates of {shape} to offsets in elements{blocks}, aligned to {} bytes{}",
            layout.encoding.alignment(),
            left_out(layout)
        ),
        Placement::TensorMemory => format!(
            "coordinates of {shape} to {} rows and {} columns of tensor memory{blocks}, elements of {} bits",
            count(Input::Row),
            count(Input::Column),
            layout.element_bits.unwrap_or(32)
        ),
    }
}

fn left_out(layout: &TritonLayout) -> String {
    let paddings = layout.encoding.paddings().iter();
    let said = paddings.map(|padding| {
        format!(
            "{} left out after every {}",
            padding.padding, padding.interval
        )
    });
    let said: Vec<String> = std::iter::once(String::new()).chain(said).collect();
    said.join(", ")
}
