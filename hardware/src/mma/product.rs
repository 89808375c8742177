//! `gemm(mma, D, A, B, C)`: whether the modes of the operands fit each other and the instruction, as CuTe's dispatch by
//! ranks asserts it (`algorithm/gemm.hpp`).
//!
//! Only numbers that the compiler knows decide; run-time numbers are not refused.

use super::{MmaAtom, OperandMemory};
use crate::refusal::{Refusal, Rule};
use cute_algebra::Layout;

/// The operands of a product: each with its layout and the bits of one element, where they are registers.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// The result.
    pub d: &'a Layout,
    /// The left factor, `(V,M,K)` or less.
    pub a: &'a Layout,
    /// The right factor, `(V,N,K)` or less.
    pub b: &'a Layout,
    /// The summand.
    pub c: &'a Layout,
    /// Bits of the elements of A, B and C, for those that are registers.
    pub element_bits: [Option<i64>; 3],
}

/// A mode of one operand that has to agree with a mode of another, as CuTe asserts it.
type Pair = ((Name, usize), (Name, usize), &'static str);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    A,
    B,
    C,
    D,
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::A => "A",
            Name::B => "B",
            Name::C => "C",
            Name::D => "D",
        }
    }
}

/// Checks that the operands fit. With an atom the first of three modes is compared with its registers.
///
/// Errors: [`Rule::GemmShape`] with the two modes that differ, or with the ranks for which there is no product.
///
/// ```
/// use cute_hardware::mma::product::{Operands, fit};
/// let (a, b, c) = ("(_4,_2,_8):(_1,_4,_8)".parse()?, "(_2,_4,_8):(_1,_2,_8)".parse()?, "(_4,_2,_4):(_1,_4,_8)".parse()?);
/// let operands = Operands { d: &c, a: &a, b: &b, c: &c, element_bits: [None; 3] };
/// assert!(fit(None, &operands).is_ok());
/// let wide = "(_4,_2,_5):(_1,_4,_8)".parse()?;
/// let refusal = fit(None, &Operands { c: &wide, d: &wide, ..operands }).unwrap_err();
/// assert_eq!(refusal.rule, cute_hardware::Rule::GemmShape);
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
pub fn fit(atom: Option<&MmaAtom>, operands: &Operands<'_>) -> Result<(), Refusal> {
    use Name::{A, B, C, D};
    let ranks = [operands.d, operands.a, operands.b, operands.c].map(Layout::rank);
    let of_rows = ((A, 0), (C, 0), "size<0>(A) == size<0>(C)");
    let of_columns = ((B, 0), (C, 1), "size<0>(B) == size<1>(C)");
    let of_row_tiles = ((A, 1), (C, 1), "size<1>(A) == size<1>(C)");
    let of_column_tiles = ((B, 1), (C, 2), "size<1>(B) == size<2>(C)");
    let mut pairs: Vec<Pair> = match ranks {
        [1, 1, 1, 1] => Vec::new(),
        [2, 1, 1, 2] => vec![of_rows, of_columns],
        [2, 2, 2, 2] => vec![
            of_rows,
            of_columns,
            ((A, 1), (B, 1), "size<1>(A) == size<1>(B)"),
        ],
        [3, 2, 2, 3] => vec![of_row_tiles, of_column_tiles],
        [3, 3, 3, 3] => vec![
            of_row_tiles,
            of_column_tiles,
            ((A, 2), (B, 2), "size<2>(A) == size<2>(B)"),
        ],
        [d, a, b, c] => {
            return Err(Refusal::uncompilable(
                Rule::GemmShape,
                "no gemm takes operands of these ranks",
            )
            .with("rank_of_d", d)
            .with("rank_of_a", a)
            .with("rank_of_b", b)
            .with("rank_of_c", c));
        }
    };
    pairs.extend(
        [
            ((C, 0), (D, 0), "size<0>(C) == size<0>(D)"),
            ((C, 1), (D, 1), "size<1>(C) == size<1>(D)"),
            ((C, 2), (D, 2), "size<2>(C) == size<2>(D)"),
        ]
        .into_iter()
        .take(operands.c.rank()),
    );
    let layout_of = |name| match name {
        A => operands.a,
        B => operands.b,
        C => operands.c,
        D => operands.d,
    };
    for ((left, left_mode), (right, right_mode), text) in pairs {
        let sizes = size(layout_of(left), left_mode).zip(size(layout_of(right), right_mode));
        if let Some((left_size, right_size)) = sizes
            && left_size != right_size
        {
            return Err(Refusal::asserted(Rule::GemmShape, text)
                .with("left", format!("{}<{left_mode}>", left.text()))
                .with("left_size", left_size)
                .with("right", format!("{}<{right_mode}>", right.text()))
                .with("right_size", right_size));
        }
    }
    match atom {
        Some(atom) if operands.a.rank() >= 2 && operands.c.rank() == 3 => {
            values_fit(atom, operands)
        }
        _ => Ok(()),
    }
}

/// Checks that the first mode of each operand in registers is one thread's part of the instruction's.
fn values_fit(atom: &MmaAtom, operands: &Operands<'_>) -> Result<(), Refusal> {
    let sides = [
        (Name::A, operands.a, &atom.a, "size(rA) == Int<RegNumA>{}"),
        (Name::B, operands.b, &atom.b, "size(rB) == Int<RegNumB>{}"),
        (Name::C, operands.c, &atom.c, "size(rC) == Int<RegNumC>{}"),
    ];
    for ((name, layout, operand, text), bits) in sides.into_iter().zip(operands.element_bits) {
        let (Some(bits), OperandMemory::Registers) = (bits, operand.place) else {
            continue;
        };
        let held = operand.layout.mode(1)?.size()?.as_static();
        let (Some(held), Some(values)) = (held, size(layout, 0)) else {
            continue;
        };
        // Registers may be seen as other elements; their bits count.
        let wanted = held.saturating_mul(operand.value.bits());
        if operand.sparsity == 1 && values.saturating_mul(bits) != wanted {
            return Err(Refusal::asserted(Rule::GemmShape, text)
                .with("operand", name.text())
                .with("values", values)
                .with("element_bits", bits)
                .with("atom_values", held)
                .with("atom_element_bits", operand.value.bits()));
        }
    }
    Ok(())
}

fn size(layout: &Layout, mode: usize) -> Option<i64> {
    layout.mode(mode).ok()?.size().ok()?.as_static()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(atom: Option<&str>, a: &str, b: &str, c: &str) -> Result<(), Refusal> {
        let atom = atom.map(|name| MmaAtom::named(name).unwrap());
        let [a, b, c] = [a, b, c].map(|text| text.parse::<Layout>().unwrap());
        let operands = Operands {
            d: &c,
            a: &a,
            b: &b,
            c: &c,
            element_bits: [Some(16), Some(16), Some(32)],
        };
        fit(atom.as_ref(), &operands)
    }

    #[test]
    fn corresponding_modes_agree() {
        assert_eq!(
            judged(
                None,
                "(_4,_8):(_1,_4)",
                "(_2,_8):(_1,_2)",
                "(_4,_2):(_1,_4)"
            ),
            Ok(())
        );
        let refusal = judged(
            None,
            "(_4,_8):(_1,_4)",
            "(_2,_4):(_1,_2)",
            "(_4,_2):(_1,_4)",
        )
        .unwrap_err();
        assert_eq!(
            refusal.message(),
            "mode A<1> has 8 elements, but B<1> has 4"
        );
        assert!(judged(None, "(_4,M):(_1,_4)", "(_2,_8):(_1,_2)", "(_4,_2):(_1,_4)").is_ok());
    }

    #[test]
    fn ranks_have_a_product() {
        let refusal = judged(None, "(_4,_8):(_1,_4)", "_2:_1", "(_4,_2):(_1,_4)").unwrap_err();
        assert_eq!(refusal.rule, Rule::GemmShape);
    }

    #[test]
    fn the_first_mode_is_what_a_thread_holds() {
        let atom = Some("SM80_16x8x16_F32F16F16F32_TN");
        let (b, c) = ("(_4,_8,_1):(_1,_4,_0)", "(_4,_1,_8):(_1,_0,_4)");
        assert_eq!(judged(atom, "(_8,_1,_1):(_1,_0,_0)", b, c), Ok(()));
        let refusal = judged(atom, "(_4,_1,_1):(_1,_0,_0)", b, c).unwrap_err();
        assert_eq!(refusal.number("atom_values"), Some(&8_i64.into()));
    }
}
