//! Atoms whose traits a source writes out: `template <> struct MMA_Traits<MyOperation> { .. }`.

use cute_algebra::{Int, Layout};

use super::{Allocation, Major, MmaAtom, MmaOperand, OperandMemory, TensorMemoryFragment};
use crate::architecture::Architecture;
use crate::element::Element;
use crate::name::{Argument, TemplateId};

impl MmaAtom {
    /// The atom of traits that state the shape, the threads and, for A, B and C, the elements, their memory and the layout
    /// `(thread, value) -> offset`. `None` where these do not describe operands of that shape.
    pub fn declared(
        name: &str,
        shape: [i64; 3],
        thread_id: Layout,
        operands: [(Element, OperandMemory, Layout); 3],
    ) -> Option<Self> {
        let [m, n, k] = shape;
        if shape.iter().any(|extent| *extent < 1) {
            return None;
        }
        let threads = thread_id.size().ok()?.value()?;
        let [a, b, c] = operands;
        let operand = |(element, place, layout): (Element, OperandMemory, Layout),
                       extents: (i64, i64)| {
            let of_threads = layout.mode(0).ok()?.size().ok()?;
            let elements = extents.0.checked_mul(extents.1)?;
            let fits = layout.rank() == 2
                && of_threads.value() == Some(threads)
                && layout.cosize().ok().as_ref().and_then(Int::value)? <= elements;
            fits.then_some(MmaOperand {
                element,
                value: element,
                sparsity: 1,
                place,
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

impl OperandMemory {
    /// The memory that a type of fragments means, `FrgTypeA` in the traits of an operation; `None` for one that is not known.
    ///
    /// ```
    /// use cute_hardware::{Major, OperandMemory};
    /// assert_eq!(OperandMemory::of_fragment("GMMA::smem_desc<GMMA::Major::K>"), Some(OperandMemory::Shared(Major::K)));
    /// assert!(OperandMemory::of_fragment("UMMA::tmem_frg_ws_1sm<float>").is_some());
    /// assert_eq!(OperandMemory::of_fragment("UMMA::my_frg<float>"), None);
    /// ```
    pub fn of_fragment(name: &str) -> Option<Self> {
        let id = TemplateId::parse(name).ok()?;
        if let ("smem_desc", [Argument::Name(major)]) = (id.base(), id.args()) {
            return Major::named(major.base()).map(Self::Shared);
        }
        let (stored, mode) = match id.args() {
            [_] => (None, None),
            [_, Argument::Name(stored)] => (Some(stored), None),
            [_, Argument::Name(stored), Argument::Name(mode)] => (Some(stored), Some(mode.base())),
            _ => return None,
        };
        let storage_bits = match stored.map(TemplateId::base) {
            None | Some("uint32_t" | "int32_t" | "int") => 32,
            Some(element) => Element::named(element).ok()?.bits(),
        };
        let allocation = match (id.base(), mode) {
            ("tmem_frg_ws_1sm", None) => Allocation::WeightStationary,
            ("tmem_frg_1sm", None | Some("Interleaved")) => Allocation::Interleaved,
            ("tmem_frg_1sm", Some("NonInterleaved")) => Allocation::NonInterleaved,
            ("tmem_frg_2sm", None | Some("Interleaved")) => Allocation::Pair,
            ("tmem_frg_2sm", Some("Duplicated")) => Allocation::PairDuplicated,
            _ => return None,
        };
        Some(Self::TensorMemory(TensorMemoryFragment {
            storage_bits,
            allocation,
        }))
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
        let operands =
            [a, b, c].map(|(element, layout)| (element, OperandMemory::Registers, layout));
        MmaAtom::declared("Mine", [16, 8, 16], layout(threads), operands)
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
