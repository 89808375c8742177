//! Matrix descriptors that code puts together by hand: the fields, the layouts that they name, what no instruction takes.

use cute_hardware::Major;
use cute_hardware::descriptor::canonical::form;
use cute_hardware::descriptor::instruction::InstructionDescriptor;
use cute_hardware::descriptor::{Field, Generation, MatrixDescriptor};
use cute_hardware::mma::Tcgen05Kind;
use tree_sitter_cute::tree::Span;

use super::{Cost, Note};
use crate::access::bits::{Bits, bits_of};
use crate::access::terms::{TermId, Terms};
use crate::access::wraps::Origins;
use crate::finding::{Finding, Number, Severity};

/// The bits of the address, which only the running kernel knows.
const ADDRESS: u64 = 0x3fff;

/// A matrix descriptor, but for its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeDescriptor {
    /// The instruction that reads it.
    pub generation: Generation,
    /// The fields, lowest bit first, without the address.
    pub fields: Vec<Field>,
    /// The layout of the operand in units of 16 bytes, by its major mode.
    pub forms: Vec<(Major, String)>,
}

/// Notes at the instructions of a kernel that take matrix descriptors and at the variables that hold them, and findings
/// about descriptors that no instruction takes.
pub(crate) fn made(
    (terms, origins): (&Terms, &Origins),
    descriptors: &[(Span, Generation, TermId)],
    place: (&str, Option<&str>),
) -> (Vec<Note>, Vec<Finding>) {
    let (mut notes, mut findings) = (Vec::new(), Vec::new());
    for (span, generation, term) in descriptors {
        let bits = bits_of(terms, *term);
        if bits.known | ADDRESS != u64::MAX {
            continue;
        }
        match described(*generation, bits) {
            Ok(made) => {
                let anchors = std::iter::once(*span).chain(origins.named(*term));
                add_notes(&mut notes, anchors, place, &Cost::Descriptor(made));
            }
            // Of `wgmma`, PTX says nothing about bits outside of the fields.
            Err(wrong) if *generation == Generation::Wgmma && wrong.field == "reserved" => {}
            Err(wrong) => {
                let finding = wrong.said(*span, *generation, place.1);
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
    }
    (notes, findings)
}

/// Notes at the operands that are descriptors of the instructions themselves, and at the variables that hold them.
pub(crate) fn instructions(
    (terms, origins): (&Terms, &Origins),
    marks: &[(Span, Tcgen05Kind, TermId)],
    place: (&str, Option<&str>),
) -> Vec<Note> {
    let mut notes = Vec::new();
    for (span, kind, term) in marks {
        let bits = bits_of(terms, *term);
        let Ok(word) = u32::try_from(bits.ones & u64::from(u32::MAX)) else {
            continue;
        };
        let is_known = bits.known | !u64::from(u32::MAX) == u64::MAX;
        let Some(descriptor) = InstructionDescriptor::decode(*kind, word).filter(|_| is_known)
        else {
            continue;
        };
        let anchors = std::iter::once(*span).chain(origins.named(*term));
        add_notes(&mut notes, anchors, place, &Cost::Instruction(descriptor));
    }
    notes
}

/// Adds the note of a descriptor at several places of a function.
fn add_notes(
    notes: &mut Vec<Note>,
    anchors: impl Iterator<Item = Span>,
    (function, instance): (&str, Option<&str>),
    cost: &Cost,
) {
    for anchor in anchors {
        let note = Note {
            anchor,
            function: Some(function.to_owned()),
            instance: instance.map(str::to_owned),
            cost: cost.clone(),
        };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// A field that has no meaning.
struct Wrong {
    field: &'static str,
    value: u64,
}

impl Wrong {
    fn said(&self, span: Span, generation: Generation, instance: Option<&str>) -> Finding {
        let instruction = match generation {
            Generation::Wgmma => "wgmma",
            Generation::Tcgen05 => "tcgen05.mma",
        };
        let (field, value) = (self.field, self.value);
        let message = match field {
            "version" => format!(
                "the version of this matrix descriptor is {value}, {instruction} takes 1 (bit 46)"
            ),
            "layout_type" => {
                format!("{value} is not a layout type of a matrix descriptor of {instruction}")
            }
            _ => format!(
                "bits {value:#x} of this matrix descriptor have no meaning for {instruction}"
            ),
        };
        Finding {
            numbers: vec![(
                "value".to_owned(),
                Number::Integer(i64::try_from(value).unwrap_or(i64::MAX)),
            )],
            instance: instance.map(Into::into),
            ..Finding::new("matrix-descriptor", Severity::Error, span, message)
        }
    }
}

/// The lowest of the bits of the version, and the mask of its two bits (PTX ISA, "Shared memory descriptor").
const VERSION: (u32, u64) = (46, 3);

fn described(generation: Generation, bits: Bits) -> Result<MadeDescriptor, Wrong> {
    let word = bits.ones & !ADDRESS;
    let version = word >> VERSION.0 & VERSION.1;
    if generation == Generation::Tcgen05 && version != 1 {
        return Err(Wrong {
            field: "version",
            value: version,
        });
    }
    let descriptor = MatrixDescriptor::decode(generation, word).map_err(|refusal| {
        let given = |name: &str| refusal.number(name).map(ToString::to_string);
        let is_type = given("field").is_some_and(|field| field == "layout_type");
        // The bits beyond the largest number are those of one below 0.
        let value = given("value").and_then(|value| value.parse::<i64>().ok());
        Wrong {
            field: if is_type { "layout_type" } else { "reserved" },
            value: value.unwrap_or_default().cast_unsigned(),
        }
    })?;
    let fields = descriptor.fields().unwrap_or_default().into_iter();
    let majors = [Major::K, Major::Mn];
    Ok(MadeDescriptor {
        generation,
        fields: fields
            .filter(|field| field.name != "start_address")
            .collect(),
        forms: majors
            .into_iter()
            .filter_map(|major| Some((major, form(&descriptor, major).ok()?)))
            .collect(),
    })
}
