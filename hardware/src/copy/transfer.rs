//! `copy(atom, source, destination)`: whether two tensors fit each other and the atom, as CuTe's `copy`, `Copy_Atom::call`
//! and `copy_unpack` decide it (`algorithm/copy.hpp`, `atom/copy_atom.hpp`, `atom/copy_traits.hpp`).
//!
//! Only numbers that the compiler knows decide; run-time numbers are not refused.

use super::{CopyOperands, ValueCopyAtom};
use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::swizzled::recast_any;
use cute_algebra::{AnyLayout, Int, Layout, LayoutView, Verdict};

/// CuTe's texts where a side does not fit the registers.
const SOURCE_NOT_REGISTERS: &str =
    "Copy_Traits: src failed to vectorize into registers. Layout is incompatible with this CopyOp.";
const DESTINATION_NOT_REGISTERS: &str =
    "Copy_Traits: dst failed to vectorize into registers. Layout is incompatible with this CopyOp.";

/// One side of a copy.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The places of its elements.
    pub layout: &'a AnyLayout,
    /// Bits of one element, if they are known.
    pub element_bits: Option<i64>,
}

/// `copy(source, destination)` without an atom goes over the elements of the destination.
///
/// Errors: [`Rule::CopySize`] where the sizes differ.
///
/// ```
/// use cute_hardware::copy::transfer::elementwise;
/// let (eight, four) = ("_8:_1".parse()?, "_4:_1".parse()?);
/// assert!(elementwise(&eight, &eight).is_ok());
/// let refusal = elementwise(&four, &eight).unwrap_err();
/// assert_eq!(refusal.rule, cute_hardware::Rule::CopySize);
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn elementwise(source: &AnyLayout, destination: &AnyLayout) -> Result<(), Refusal> {
    let sizes = known(source.size().ok()).zip(known(destination.size().ok()));
    match sizes {
        Some((source, destination)) if source != destination => {
            Err(sizes_differ(source, destination, Verdict::Accepts))
        }
        _ => Ok(()),
    }
}

/// `copy(atom, source, destination)`: the first mode is the part of one instruction, the others are its repetitions.
///
/// Errors: [`Rule::CopySize`] where ranks or repetitions differ, [`Rule::CopyValues`] where the first mode is not of
/// the atom's size, [`Rule::CopyVector`] where its values are not adjacent as the registers need them.
pub fn with_atom(
    atom: &ValueCopyAtom,
    source: Side<'_>,
    destination: Side<'_>,
) -> Result<(), Refusal> {
    if is_vectorising(atom) {
        return elementwise(source.layout, destination.layout);
    }
    let fit = Fit {
        atom,
        source,
        destination,
    };
    fit.modes(
        source.layout.domain().view(),
        destination.layout.domain().view(),
    )
}

/// Whether the atom leaves the width of an access to the copy (`AutoVectorizingCopy`).
fn is_vectorising(atom: &ValueCopyAtom) -> bool {
    let bits = atom.atom.source.mode(1).and_then(|values| values.size());
    atom.atom.operands == CopyOperands::OfTheCompiler && known(bits.ok()) == Some(1)
}

/// A copy on its way down to the mode that the instruction moves.
struct Fit<'a> {
    atom: &'a ValueCopyAtom,
    source: Side<'a>,
    destination: Side<'a>,
}

impl Fit<'_> {
    /// The modes of both sides: one is given to the instruction, of several the first is.
    fn modes(&self, source: LayoutView<'_>, destination: LayoutView<'_>) -> Result<(), Refusal> {
        let ranks = (source.rank(), destination.rank());
        if ranks.0 != ranks.1 {
            return Err(Refusal::asserted(Rule::CopySize, "CopyAtom rank-mismatch.")
                .with("source_rank", ranks.0)
                .with("destination_rank", ranks.1));
        }
        if source.is_leaf() || destination.is_leaf() {
            return self.instruction(source, destination);
        }
        let rests = (rest(source), rest(destination));
        if let (Some(source), Some(destination)) = rests
            && source != destination
        {
            let text = "size<1>(src_v) == size<1>(dst_v)";
            return Err(sizes_differ(
                source,
                destination,
                Verdict::StaticAssert(text),
            ));
        }
        self.instruction(source.mode(0)?, destination.mode(0)?)
    }

    /// The values that one instruction would be given; a mode of another size is looked into.
    fn instruction(
        &self,
        source: LayoutView<'_>,
        destination: LayoutView<'_>,
    ) -> Result<(), Refusal> {
        let (Some(from), Some(to)) = (known(source.size().ok()), known(destination.size().ok()))
        else {
            return Ok(());
        };
        let (Some(reads), Some(writes)) =
            (values(&self.atom.source), values(&self.atom.destination))
        else {
            return Ok(());
        };
        if from == reads || to == writes {
            return self.registers(source, destination);
        }
        if !source.is_leaf() && !destination.is_leaf() {
            return self.modes(source, destination);
        }
        let text = "CopyAtom: Src/Dst partitioning does not match the instruction requirement.";
        Err(Refusal::asserted(Rule::CopyValues, text)
            .with("source_values", from)
            .with("atom_source_values", reads)
            .with("destination_values", to)
            .with("atom_destination_values", writes))
    }

    /// Whether the values become the registers of the instruction when they are seen as such.
    fn registers(
        &self,
        source: LayoutView<'_>,
        destination: LayoutView<'_>,
    ) -> Result<(), Refusal> {
        let Some((reads, writes)) = registers(self.atom) else {
            return Ok(());
        };
        for (name, text, side, mode, register) in [
            ("source", SOURCE_NOT_REGISTERS, self.source, source, reads),
            (
                "destination",
                DESTINATION_NOT_REGISTERS,
                self.destination,
                destination,
                writes,
            ),
        ] {
            let Some(bits) = side.element_bits else {
                continue;
            };
            let values = side.layout.with_domain(mode.to_layout());
            // Where the layout cannot be seen in wider elements, CuTe has its own say.
            let seen = recast_any(&values, bits, register.bits).and_then(|seen| seen.size());
            let Some(count) = known(seen.ok()) else {
                continue;
            };
            if count != register.count {
                return Err(Refusal::asserted(Rule::CopyVector, text)
                    .with("side", name)
                    .with("layout", values.domain().to_string())
                    .with("element_bits", bits)
                    .with("register_bits", register.bits)
                    .with("accesses", count)
                    .with("atom_registers", register.count));
            }
        }
        Ok(())
    }
}

/// The registers of one operand.
#[derive(Clone, Copy)]
struct Registers {
    count: i64,
    bits: i64,
}

/// The registers that an instruction reads and writes (`CopyOp::SRegisters`, `DRegisters`); `None` where its operands are
/// not registers of values.
fn registers(atom: &ValueCopyAtom) -> Option<(Registers, Registers)> {
    let bits_of_thread = |layout: &Layout| known(layout.mode(1).ok()?.size().ok());
    let source = bits_of_thread(&atom.atom.source)?;
    let destination = bits_of_thread(&atom.atom.destination)?;
    let whole = |bits| Registers { count: 1, bits };
    let words = |bits: i64| {
        (bits % 32 == 0).then_some(Registers {
            count: bits / 32,
            bits: 32,
        })
    };
    match atom.atom.operands {
        CopyOperands::OfTheCompiler | CopyOperands::Async => {
            Some((whole(source), whole(destination)))
        }
        CopyOperands::MatrixLoad => Some((whole(source), words(destination)?)),
        CopyOperands::MatrixStore => Some((words(source)?, whole(destination))),
        _ => None,
    }
}

/// Number of values of a thread in a thread-value layout.
fn values(layout: &Layout) -> Option<i64> {
    known(layout.mode(1).ok()?.size().ok())
}

/// The product of all modes behind the first.
fn rest(layout: LayoutView<'_>) -> Option<i64> {
    let mut product = 1_i64;
    for mode in layout.modes().skip(1) {
        product = product.checked_mul(known(mode.size().ok())?)?;
    }
    Some(product)
}

/// A number that the compiler knows.
fn known(int: Option<Int>) -> Option<i64> {
    int?.as_static()
}

fn sizes_differ(source: i64, destination: i64, cute: Verdict) -> Refusal {
    Refusal::new(Rule::CopySize, cute)
        .with("source_size", source)
        .with("destination_size", destination)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::CopyAtom;

    fn judged(atom: &str, bits: i64, source: &str, destination: &str) -> Result<(), Rule> {
        let atom = CopyAtom::named(atom)
            .unwrap()
            .with_value_bits(bits)
            .unwrap();
        let (source, destination) = (source.parse().unwrap(), destination.parse().unwrap());
        let side = |layout| Side {
            layout,
            element_bits: Some(bits),
        };
        with_atom(&atom, side(&source), side(&destination)).map_err(|refusal| refusal.rule)
    }

    #[test]
    fn a_partition_by_the_atom_fits_it() {
        let wide = "UniversalCopy<uint128_t>";
        let part = "((_8,_1),_4,_2):((_1,_0),_8,_64)";
        assert_eq!(judged(wide, 16, part, part), Ok(()));
        // The repetitions may be grouped otherwise.
        assert_eq!(
            judged(wide, 16, part, "((_8,_1),_2,_4):((_1,_0),_8,_64)"),
            Ok(())
        );
    }

    #[test]
    fn repetitions_and_ranks_agree() {
        let wide = "UniversalCopy<uint128_t>";
        let part = "((_8,_1),_4,_2):((_1,_0),_8,_64)";
        assert_eq!(
            judged(wide, 16, part, "((_8,_1),_4,_4):((_1,_0),_8,_64)"),
            Err(Rule::CopySize)
        );
        assert_eq!(
            judged(wide, 16, part, "((_8,_1),_4):((_1,_0),_8)"),
            Err(Rule::CopySize)
        );
    }

    #[test]
    fn the_first_mode_is_what_the_atom_moves() {
        let wide = "UniversalCopy<uint128_t>";
        assert_eq!(
            judged(wide, 16, "(_4,_2):(_1,_4)", "(_4,_2):(_1,_4)"),
            Err(Rule::CopyValues)
        );
        // One that is larger is looked into.
        let deep = "((_8,_2),_2):((_1,_8),_16)";
        assert_eq!(judged(wide, 16, deep, deep), Ok(()));
    }

    #[test]
    fn values_of_one_access_are_adjacent() {
        let strided = "(_8,_2):(_2,_16)";
        let packed = "(_8,_2):(_1,_8)";
        let wide = "UniversalCopy<uint128_t>";
        assert_eq!(judged(wide, 16, strided, packed), Err(Rule::CopyVector));
        assert_eq!(judged(wide, 16, packed, strided), Err(Rule::CopyVector));
        assert_eq!(judged("SM75_U32x4_LDSM_N", 16, packed, packed), Ok(()));
    }

    #[test]
    fn what_comes_at_run_time_is_not_refused() {
        let wide = "UniversalCopy<uint128_t>";
        let fixed = "((_8,_1),_4):((_1,_0),_8)";
        assert_eq!(judged(wide, 16, fixed, "((_8,_1),M):((_1,_0),_8)"), Ok(()));
        assert_eq!(
            elementwise(&"M:_1".parse().unwrap(), &"_8:_1".parse().unwrap()),
            Ok(())
        );
    }
}
