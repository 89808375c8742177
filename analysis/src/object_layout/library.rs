//! The classes of CuTe, CUTLASS 4.2 and CUDA that hold data: their members. One line each in [`layout_of`]; the meaning
//! of the parameters is the library's.

use super::{ObjectLayout, RecordBuilder};
use crate::cuda_vectors;

/// A template argument of a class.
#[derive(Debug, Clone)]
pub(crate) enum Argument {
    /// A type, and the bits of one value of it where that is less than its bytes say.
    Type {
        /// As a separate object.
        layout: ObjectLayout,
        /// Bits of a value.
        bits: u64,
    },
    /// A constant.
    Number(u64),
    /// A type without objects, `void`.
    Void,
    /// A type of which the class holds nothing.
    NotHeld,
}

/// A barrier in shared memory is one 64-bit word (PTX ISA, `mbarrier`).
const BARRIER: (u64, u64) = (8, 8);

/// `cuda::barrier` of the threads of a block.
pub(crate) const BARRIER_OF_CUDA: &str = "cuda::barrier";

/// Pipelines whose shared storage is a full and an empty barrier for each stage, the number of
/// stages being the first parameter.
const PIPELINES: &[&str] = &[
    "PipelineAsync",
    "PipelineTmaAsync",
    "PipelineTransactionAsync",
    "PipelineUmmaAsync",
    "PipelineTmaUmmaAsync",
    "PipelineTmaTransformAsync",
    "PipelineUmmaConsumerAsync",
    "PipelineCLCFetchAsync",
    "PipelineTmaSparseUmmaAsync",
];

/// Whether a name is a class template of these.
pub(crate) fn is_class(name: &str) -> bool {
    is_container(name)
        || PIPELINES.contains(&name)
        || matches!(
            name,
            "AlignedBuffer"
                | "aligned_struct"
                | "OrderedSequenceBarrier"
                | "PipelineState"
                | "complex"
        )
}

/// Whether a name is a class of these that is not a template.
pub(crate) fn is_plain_class(name: &str) -> bool {
    cuda_vectors::bits(name).is_some()
        || matches!(
            name,
            "ClusterBarrier"
                | "ClusterTransactionBarrier"
                | "PipelineEmpty"
                | "TmaDescriptor"
                | "CUtensorMap"
        )
}

/// Whether a class of these has a class of this name in it.
pub(crate) fn has_nested(class: &str, nested: &str) -> bool {
    nested == "SharedStorage"
        && (PIPELINES.contains(&class)
            || matches!(class, "OrderedSequenceBarrier" | "PipelineEmpty"))
}

/// Whether a class holds a sequence of elements of its first parameter.
pub(crate) fn is_container(name: &str) -> bool {
    matches!(
        name,
        "array" | "array_aligned" | "array_subbyte" | "ArrayEngine" | "Array" | "AlignedArray"
    )
}

/// Whether a class holds nothing of the types that it is given: barriers of a pipeline are as many for each cluster.
pub(crate) fn holds_no_argument(name: &str) -> bool {
    name.ends_with("::SharedStorage")
}

/// The layout of a class of the libraries; `None` when it is not known, or not with these
/// arguments. `class` is its name with all arguments.
pub(crate) fn layout_of(name: &str, args: &[Argument], class: &str) -> Option<ObjectLayout> {
    if let Some((size, align)) = cuda_vectors::size_and_alignment(name) {
        return Some(ObjectLayout::plain(size, align));
    }
    if let Some((pipeline, "SharedStorage")) = name.split_once("::") {
        return shared_storage(pipeline, args);
    }
    match (name, args) {
        ("ClusterBarrier" | "ClusterTransactionBarrier" | BARRIER_OF_CUDA, []) => barriers(1),
        // `CUtensorMap` of the CUDA driver: 16 words, aligned to 64 bytes.
        ("TmaDescriptor" | "CUtensorMap", []) => Some(ObjectLayout::plain(128, 64)),
        ("PipelineState", [Argument::Number(_)]) => ObjectLayout::plain(4, 4).array(3),
        ("aligned_struct", [Argument::Number(align), ..]) => Some(aligned_struct(*align, class)),
        ("complex", [Argument::Type { layout, .. }]) => layout.array(2),
        ("array", [Argument::Type { layout, .. }, Argument::Number(count)]) => {
            array(layout, *count)
        }
        ("array_subbyte", [Argument::Type { bits, .. }, Argument::Number(count)]) => {
            packed_bytes(*bits, *count)
        }
        (
            "array_aligned",
            [
                Argument::Type { layout, .. },
                Argument::Number(count),
                rest @ ..,
            ],
        ) => aligned(&array(layout, *count)?, alignment(rest, 16)?),
        ("ArrayEngine", [Argument::Type { layout, bits }, Argument::Number(count)]) => {
            if bits % 8 == 0 {
                aligned(&array(layout, *count)?, 16)
            } else {
                packed_bytes(*bits, *count)
            }
        }
        ("Array", [Argument::Type { layout, bits }, Argument::Number(count)]) => {
            register_array(layout, *bits, *count)
        }
        // Whether each element has a separate register.
        (
            "Array",
            [
                Argument::Type { layout, bits },
                Argument::Number(count),
                Argument::Number(own),
            ],
        ) => match own {
            0 if *bits < 32 => register_array(layout, *bits, *count),
            0 => None,
            _ => array(layout, *count),
        },
        (
            "AlignedArray",
            [
                Argument::Type { layout, bits },
                Argument::Number(count),
                rest @ ..,
            ],
        ) => {
            let natural = bits.checked_mul(*count)?.div_ceil(8);
            aligned(
                &register_array(layout, *bits, *count)?,
                alignment(rest, natural)?,
            )
        }
        (
            "AlignedBuffer",
            [
                Argument::Type { bits, .. },
                Argument::Number(count),
                rest @ ..,
            ],
        ) => {
            let bytes = bits.checked_mul(*count)?.div_ceil(8);
            aligned(
                &ObjectLayout::plain(1, 1).array(bytes)?,
                alignment(rest, 16)?,
            )
        }
        _ => None,
    }
}

fn shared_storage(pipeline: &str, args: &[Argument]) -> Option<ObjectLayout> {
    match (pipeline, args) {
        ("PipelineEmpty", _) => Some(ObjectLayout::empty("PipelineEmpty::SharedStorage")),
        ("OrderedSequenceBarrier", [Argument::Number(depth), Argument::Number(length)]) => {
            barriers(depth.checked_mul(*length)?)
        }
        (_, [Argument::Number(stages), ..]) if PIPELINES.contains(&pipeline) => {
            barriers(stages.checked_mul(2)?)
        }
        _ => None,
    }
}

fn barriers(count: u64) -> Option<ObjectLayout> {
    let barriers = ObjectLayout::plain(BARRIER.0, BARRIER.1).array(count)?;
    Some(ObjectLayout {
        is_barrier: true,
        ..barriers
    })
}

/// Empty; aligned for the powers of two that the library specialises up to 256.
fn aligned_struct(align: u64, class: &str) -> ObjectLayout {
    let asked = if align.is_power_of_two() && align <= 256 {
        align
    } else {
        1
    };
    RecordBuilder::structure().finish(class, asked)
}

/// `T elements[N]` in a class; without elements the class is empty.
fn array(element: &ObjectLayout, count: u64) -> Option<ObjectLayout> {
    if count == 0 {
        return Some(ObjectLayout::empty("array<T,0>"));
    }
    element.array(count)
}

/// Values of less than a byte, or of no whole bytes, packed without gaps into the smallest words
/// that hold one.
fn packed_bytes(bits: u64, count: u64) -> Option<ObjectLayout> {
    let word = bits.next_power_of_two().max(8);
    let bytes = word / 8;
    let words = bits.checked_mul(count)?.div_ceil(word);
    ObjectLayout::plain(bytes, bytes).array(words)
}

/// `cutlass::Array`: elements of 32 bits and more one by one, smaller ones packed into the largest
/// word of at most 32 bits that divides the whole.
fn register_array(element: &ObjectLayout, bits: u64, count: u64) -> Option<ObjectLayout> {
    if bits >= 32 {
        return array(element, count);
    }
    let whole = bits.checked_mul(count)?;
    let word = match whole {
        whole if whole % 32 == 0 => 32,
        whole if whole % 16 == 0 => 16,
        _ => 8,
    };
    let each = (word / bits).max(1);
    ObjectLayout::plain(word / 8, word / 8).array(count.div_ceil(each))
}

fn alignment(rest: &[Argument], default: u64) -> Option<u64> {
    let align = match rest {
        [] => default,
        [Argument::Number(align), ..] => *align,
        _ => return None,
    };
    align.is_power_of_two().then_some(align)
}

/// A class that only aligns its one base.
fn aligned(base: &ObjectLayout, align: u64) -> Option<ObjectLayout> {
    let align = align.max(base.align);
    let size = base.size.checked_next_multiple_of(align)?;
    Some(ObjectLayout {
        size,
        align,
        data_size: size,
        ..base.clone()
    })
}
