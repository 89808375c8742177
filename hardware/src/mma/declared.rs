//! Atoms whose traits a source writes out: `template <> struct MMA_Traits<MyOperation> { .. }`.

use cute_algebra::{Int, Layout};

use super::{MmaAtom, MmaOperand, OperandMemory};
use crate::architecture::Architecture;
use crate::element::Element;

impl MmaAtom {
    /// The atom of traits that state the shape, the threads and, for A, B and C, the elements and the layout
    /// `(thread, value) -> offset` in registers. `None` where these do not describe operands of that shape.
    pub fn declared(
        name: &str,
        shape: [i64; 3],
        thread_id: Layout,
        operands: [(Element, Layout); 3],
    ) -> Option<Self> {
        let [m, n, k] = shape;
        if shape.iter().any(|extent| *extent < 1) {
            return None;
        }
        let threads = thread_id.size().ok()?.value()?;
        let [a, b, c] = operands;
        let operand = |(element, layout): (Element, Layout), extents: (i64, i64)| {
            let of_threads = layout.mode(0).ok()?.size().ok()?;
            let elements = extents.0.checked_mul(extents.1)?;
            let fits = layout.rank() == 2
                && of_threads.value() == Some(threads)
                && layout.cosize().ok().as_ref().and_then(Int::value)? <= elements;
            fits.then_some(MmaOperand {
                element,
                sparsity: 1,
                place: OperandMemory::Registers,
                layout,
            })
        };
        Some(MmaAtom {
            name: name.to_owned(),
            architecture: Architecture::ANY,
            instruction: None,
            shape,
            thread_id,
            a: operand(a, (m, k))?,
            b: operand(b, (n, k))?,
            c: operand(c, (m, n))?,
            metadata: None,
            scale_a: None,
            scale_b: None,
            tcgen05: None,
            not_issuable: None,
            declared_a_stride: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(threads: &str, a: &str) -> Option<MmaAtom> {
        let layout = |text: &str| text.parse::<Layout>().unwrap();
        let b = (
            Element::F16,
            layout("((_4,_8),(_2,_2)):((_16,_1),(_8,_64))"),
        );
        let c = (
            Element::F32,
            layout("((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"),
        );
        let a = (Element::F16, layout(a));
        MmaAtom::declared("Mine", [16, 8, 16], layout(threads), [a, b, c])
    }

    #[test]
    fn operands_cover_no_more_than_the_shape() {
        let a = "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))";
        let made = atom("_32:_1", a).unwrap();
        assert_eq!(made.shape_mnk(), [16, 8, 16]);
        assert_eq!(made.a.layout.to_string(), a);
        assert!(atom("_16:_1", a).is_none());
        assert!(atom("_32:_1", "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_256))").is_none());
        assert!(atom("_32:_1", "(_32,_8,_1):(_8,_1,_0)").is_none());
    }
}
