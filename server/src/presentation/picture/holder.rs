//! The holders of the elements of a tile: threads with their registers, or the CTAs that issue a `tcgen05.mma`, whose operands
//! are in shared and in tensor memory.

use cute_algebra::{Layout, Shape};
use cute_hardware::tiled::fragment::make_fragment;
use cute_hardware::{MmaAtom, MmaOperand, Operand, OperandMemory, TiledMma};

use super::model::Holder;
use super::thread_value::By;

/// The bits from one lane of tensor memory to the next in CuTe's addresses, and the bits of a column.
const LANE_BITS: i64 = 1 << 21;
const COLUMN_BITS: i64 = 32;

impl Holder {
    /// The holders of the operands of an instruction.
    pub(super) fn of(atom: &MmaAtom) -> Self {
        match atom.tcgen05 {
            Some(_) => Self::Cta,
            None => Self::Thread,
        }
    }
}

/// The holders of the elements of one operand, and the memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Held {
    pub(super) holder: Holder,
    memory: &'static str,
    /// The addresses of the values in tensor memory, and the bits of an element.
    addresses: Option<(Layout, i64)>,
}

impl Held {
    /// The holders of an operand of a tiled MMA over a tile of its extents.
    pub(super) fn of(mma: &TiledMma, operand: Operand, tile: &Shape) -> Self {
        let atom = mma.atom();
        let data = operand_of(atom, operand);
        let memory = match data.place {
            OperandMemory::Registers => "",
            OperandMemory::Shared(_) => " in shared memory",
            OperandMemory::TensorMemory(_) => " in tensor memory",
        };
        let addresses = || {
            let part = Layout::left(mma.partition_shape(operand, tile).ok()?).ok()?;
            let addresses = make_fragment(atom, operand, &part).ok()?;
            Some((addresses, data.element.bits()))
        };
        let is_addressed = matches!(data.place, OperandMemory::TensorMemory(_));
        Self {
            holder: Holder::of(atom),
            memory,
            addresses: is_addressed.then(addresses).flatten(),
        }
    }

    /// The text of a value of a holder, which is not named where it is the only one or all have the value: `T3 V1`, `V1`,
    /// `CTA1 L5 C8` where the lane and the column of tensor memory are known.
    pub(super) fn text(&self, holder: i64, value: i64, is_named: bool) -> String {
        let value = match self.place(value) {
            Some((lane, column)) => format!("L{lane} C{column}"),
            None => format!("V{value}"),
        };
        if is_named {
            format!("{}{holder} {value}", self.holder.letters())
        } else {
            value
        }
    }

    /// The lane and the column of a value.
    fn place(&self, value: i64) -> Option<(i64, i64)> {
        let (addresses, bits) = self.addresses.as_ref()?;
        let bit = addresses.eval_number(value).ok()?.checked_mul(*bits)?;
        Some((bit / LANE_BITS, bit % LANE_BITS / COLUMN_BITS))
    }

    /// The legend: how many holders and values there are, and the meaning of the colours.
    pub(super) fn note(&self, [holders, values]: [i64; 2], is_shared: bool, by: By) -> String {
        let memory = self.memory;
        let letters = self.holder.letters();
        let of_holders = format!("{holders} {}{}", self.holder.noun(), plural(holders));
        let value = match self.addresses {
            Some(_) => " by lane (L) and column (C)",
            None => " (V)",
        };
        let of_values = format!("{values} value{}{value}", plural(values));
        let colours = by.note(self.holder);
        if is_shared {
            format!("{of_holders} share {of_values}{memory}{colours}")
        } else if holders == 1 {
            format!("{of_holders}, {of_values}{memory}{colours}")
        } else if self.holder.is_thread() {
            format!("{of_holders} ({letters}), {of_values} each{memory}{colours}")
        } else {
            format!("{of_holders}, {of_values} each{memory}{colours}")
        }
    }
}

/// An operand of an instruction.
fn operand_of(atom: &MmaAtom, operand: Operand) -> &MmaOperand {
    match operand {
        Operand::A => &atom.a,
        Operand::B => &atom.b,
        Operand::C => &atom.c,
    }
}

/// The ending of a noun behind a number.
fn plural(count: i64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
