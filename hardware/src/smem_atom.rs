//! The shared-memory atoms of the tensor cores: `GMMA::Layout_K_SW128_Atom<half_t>` and its relatives.
//!
//! An atom is eight rows (or columns) of 16, 32, 64 or 128 bytes whose 16-byte units are swizzled over the span. All of
//! them come from one rule in bits, brought to the element type by `upcast`.

use crate::element::Element;
use crate::mma::Major;
use crate::name::TemplateId;
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use cute_algebra::ops::divide::tiled_divide;
use cute_algebra::ops::product::blocked_product;
use cute_algebra::ops::recast::upcast;
use cute_algebra::ops::shape_arithmetic::product_each;
use cute_algebra::{Int, IntTuple, Layout, Shape, Swizzle, Tiler, Tuple, TupleView};

/// The spread of the 16-byte units of a row by a swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Span {
    /// 16 bytes: not swizzled (`INTER`).
    B16,
    /// 32 bytes.
    B32,
    /// 64 bytes.
    B64,
    /// 128 bytes.
    B128,
    /// 128 bytes in units of 32 (`tcgen05` only).
    B128Base32,
}

impl Span {
    /// The spans of `wgmma`, widest first, in the order in which CUTLASS tries them.
    pub const WIDEST_FIRST: [Span; 4] = [Span::B128, Span::B64, Span::B32, Span::B16];

    /// The bytes of one row of the atom.
    pub fn bytes(self) -> i64 {
        match self {
            Span::B16 => 16,
            Span::B32 => 32,
            Span::B64 => 64,
            Span::B128 | Span::B128Base32 => 128,
        }
    }

    /// Number of 16-byte units in one row: CuTe's `W`.
    pub fn units(self) -> i64 {
        self.bytes() / 16
    }

    /// The swizzle of byte addresses.
    pub fn swizzle(self) -> Result<Swizzle, Refusal> {
        Ok(match self {
            Span::B16 => Swizzle::new(0, 4, 3),
            Span::B32 => Swizzle::new(1, 4, 3),
            Span::B64 => Swizzle::new(2, 4, 3),
            Span::B128 => Swizzle::new(3, 4, 3),
            Span::B128Base32 => Swizzle::new(2, 5, 2),
        }?)
    }

    /// The span whose swizzle of byte addresses this is.
    pub fn of_swizzle(swizzle: Swizzle) -> Option<Self> {
        match (swizzle.bits(), swizzle.base(), swizzle.shift()) {
            (0, 4, 3) => Some(Span::B16),
            (1, 4, 3) => Some(Span::B32),
            (2, 4, 3) => Some(Span::B64),
            (3, 4, 3) => Some(Span::B128),
            (2, 5, 2) => Some(Span::B128Base32),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Span::B16 => "INTER",
            Span::B32 => "SW32",
            Span::B64 => "SW64",
            Span::B128 => "SW128",
            Span::B128Base32 => "SW128_32B",
        }
    }
}

/// One atom.
///
/// ```
/// use cute_hardware::SmemAtom;
/// let atom = SmemAtom::named("GMMA::Layout_K_SW128_Atom<half_t>")?;
/// assert_eq!(atom.layout()?.to_string(), "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SmemAtom {
    /// Along which mode the elements are adjacent.
    pub major: Major,
    /// The bytes of a row.
    pub span: Span,
    /// The width of an element, in bits; 1 for the `_Bits` atoms.
    pub element_bits: i64,
    /// Number of logical elements in one stored element (`SpAtom`); 1 for dense data.
    pub sparsity: i64,
}

impl SmemAtom {
    /// An atom of dense elements.
    pub fn dense(major: Major, span: Span, element_bits: i64) -> Self {
        SmemAtom {
            major,
            span,
            element_bits,
            sparsity: 1,
        }
    }

    /// The atom of this C++ name: `GMMA::Layout_MN_SW64_Atom<T>`, `UMMA::Layout_SW128_SpAtom<T, 2, UMMA::Major::K>`,
    /// `GMMA::Layout_K_INTER_Atom_Bits`.
    ///
    /// Errors: [`Rule::UnknownAtom`], [`Rule::AtomParameters`], [`Rule::UnknownType`].
    pub fn named(name: &str) -> Result<Self, Refusal> {
        SmemAtom::of_id(&TemplateId::parse(name)?)
    }

    /// The atom that this template id names.
    pub fn of_id(id: &TemplateId) -> Result<Self, Refusal> {
        let unknown = || {
            Refusal::uncompilable(Rule::UnknownAtom, "no such layout").with("name", id.to_string())
        };
        let words: Vec<&str> = id.base().split('_').collect();
        let ["Layout", words @ ..] = &words[..] else {
            return Err(unknown());
        };
        let (major, words) = match words {
            ["K", rest @ ..] => (Some(Major::K), rest),
            ["MN", rest @ ..] => (Some(Major::Mn), rest),
            rest => (None, rest),
        };
        let (span, words) = match words {
            ["SW128", "32B", rest @ ..] if major == Some(Major::Mn) => (Span::B128Base32, rest),
            ["SW128", rest @ ..] => (Span::B128, rest),
            ["SW64", rest @ ..] => (Span::B64, rest),
            ["SW32", rest @ ..] => (Span::B32, rest),
            ["INTER", rest @ ..] => (Span::B16, rest),
            _ => return Err(unknown()),
        };
        let sparse = match (words, major) {
            (["Atom", "Bits"], Some(major)) if id.args().is_empty() => {
                return Ok(SmemAtom::dense(major, span, 1));
            }
            (["Atom"], _) => false,
            (["SpAtom"], _) => true,
            _ => return Err(unknown()),
        };
        let mut args = id.args().iter();
        let missing = || {
            Refusal::uncompilable(Rule::AtomParameters, "wrong number of template arguments")
                .with("name", id.to_string())
        };
        let element = Element::of_id(
            args.next()
                .and_then(|arg| arg.type_id())
                .ok_or_else(missing)?,
        )?;
        let sparsity = if sparse {
            args.next()
                .and_then(crate::name::Argument::value)
                .ok_or_else(missing)?
        } else {
            1
        };
        let major = match major {
            Some(major) => major,
            None => args
                .next()
                .and_then(|arg| arg.enumerator())
                .and_then(|(_, name)| Major::named(name))
                .ok_or_else(missing)?,
        };
        Ok(SmemAtom {
            major,
            span,
            element_bits: element.bits(),
            sparsity,
        })
    }

    /// CUTLASS's name of the atom for elements of this type, in the name space of `wgmma`.
    pub fn cutlass_name(&self, element: &str) -> String {
        let scope = if self.span == Span::B128Base32 {
            "UMMA"
        } else {
            "GMMA"
        };
        self.name_in(scope, element)
    }

    /// Its name for elements of this type in a name space of CuTe: `GMMA` or `UMMA`, which both have the atoms of `wgmma`.
    pub fn name_in(&self, scope: &str, element: &str) -> String {
        format!("{scope}::{}<{element}>", self.template())
    }

    /// The name of its template: `Layout_K_SW128_Atom`.
    ///
    /// ```
    /// use cute_hardware::{Major, SmemAtom};
    /// let atom = SmemAtom::named("GMMA::Layout_MN_SW64_Atom<float>")?;
    /// let other = SmemAtom { major: Major::K, ..atom };
    /// assert_eq!(other.template(), "Layout_K_SW64_Atom");
    /// # Ok::<(), cute_hardware::Refusal>(())
    /// ```
    pub fn template(&self) -> String {
        format!("Layout_{}_{}_Atom", self.major.name(), self.span.name())
    }

    /// The extents of the atom, in elements: (M or N, K).
    pub fn extents(&self) -> [i64; 2] {
        let row = self.span.bytes() * 8 / self.element_bits.max(1);
        let rows = if self.span == Span::B128Base32 { 4 } else { 8 };
        match self.major {
            Major::K => [rows, row * self.sparsity],
            Major::Mn => [row, rows * self.sparsity],
        }
    }

    /// The swizzled layout: CuTe's atom.
    pub fn layout(&self) -> Result<SharedLayout, Refusal> {
        let row = self.span.bytes() * 8;
        let rows = if self.span == Span::B128Base32 { 4 } else { 8 };
        let (extents, strides) = match self.major {
            Major::K => ([rows, row], [row, 1]),
            Major::Mn => ([row, rows], [1, row]),
        };
        let bits = Layout::new(
            Tuple::flat(extents.map(Int::fixed))?,
            Tuple::flat(strides.map(cute_algebra::Delta::fixed))?,
        )?;
        let mut layout = upcast(&bits, self.element_bits)?;
        if self.sparsity != 1 {
            let group = Layout::left(Tuple::flat([Int::ONE, Int::fixed(self.sparsity)])?)?;
            layout = blocked_product(&group, &layout)?;
        }
        let shared = SharedLayout::new(self.span.swizzle()?, self.element_bits, layout);
        Ok(SharedLayout {
            sparsity: self.sparsity,
            ..shared
        })
    }
}

/// The atom repeated over a shape: CuTe's `tile_to_shape`, modes in `order` (default: column-major).
pub fn tile_to_shape(
    atom: &SharedLayout,
    shape: &Shape,
    order: Option<&IntTuple>,
) -> Result<SharedLayout, Refusal> {
    Ok(
        atom.with_layout(cute_algebra::ops::tile_to_shape::tile_to_shape(
            &atom.layout,
            shape,
            order,
        )?),
    )
}

/// The atom repeated over `((MMA_M, MMA_K), repeats of M, repeats of K, ...)`, partitioned in that shape: CuTe's
/// `UMMA::tile_to_mma_shape`.
pub fn tile_to_mma_shape(
    atom: &SharedLayout,
    shape: &Shape,
    order: Option<&IntTuple>,
) -> Result<SharedLayout, Refusal> {
    let modes: Vec<Shape> = shape.modes().map(TupleView::to_tuple).collect();
    let [instruction, m_repeats, k_repeats, rest @ ..] = &modes[..] else {
        return Err(Refusal::uncompilable(
            Rule::Algebra(cute_algebra::Rule::RankMismatch),
            "Mismatched ranks",
        )
        .with("rank", modes.len())
        .legal("((MMA_M,MMA_K),MMAs_M,MMAs_K,...)"));
    };
    let parts: Vec<Shape> = instruction.modes().map(TupleView::to_tuple).collect();
    let [m, k] = &parts[..] else {
        return Err(Refusal::uncompilable(
            Rule::Algebra(cute_algebra::Rule::RankMismatch),
            "Mismatched ranks",
        )
        .with("rank", parts.len()));
    };
    let mut target = vec![
        Tuple::group([m.clone(), m_repeats.clone()])?,
        Tuple::group([k.clone(), k_repeats.clone()])?,
    ];
    target.extend(rest.iter().cloned());
    let tiled = tile_to_shape(atom, &Tuple::group(target)?, order)?;
    let tiler = Tiler::of_shape(&product_each(instruction.view())?);
    Ok(tiled.with_layout(tiled_divide(&tiled.layout, &tiler)?))
}

/// CUTLASS's assertion when not even the smallest atom divides the tile along M or N.
pub(crate) const SMALLEST_MN: &str =
    "BLK_MN0 must be a multiple of size<0>(GMMA::Layout_MN_INTER_Atom<ElementType>{})";
/// CUTLASS's assertion when not even the smallest atom divides the tile along K.
pub(crate) const SMALLEST_K: &str =
    "BLK_K0 must be a multiple of size<1>(GMMA::Layout_K_INTER_Atom<ElementType>{})";

/// The widest atom whose extent divides the tile: CUTLASS's `ss_smem_selector<Major, T, BLK_MN, BLK_K>`.
///
/// Errors: [`Rule::NotCanonical`] when no atom fits; the extents that would are in `legal`.
pub fn select_smem_atom(
    major: Major,
    element: Element,
    tile_mn: i64,
    tile_k: i64,
) -> Result<SmemAtom, Refusal> {
    for (name, extent, text) in [
        ("tile_mn", tile_mn, "BLK_MN0 must be a multiple of 8."),
        ("tile_k", tile_k, "BLK_K0 must be a multiple of 8."),
    ] {
        if extent <= 0 || extent % 8 != 0 {
            let near = (extent / 8).max(1) * 8;
            return Err(Refusal::asserted(Rule::NotCanonical, text)
                .with(name, extent)
                .legal(near.to_string())
                .legal((near + 8).to_string()));
        }
    }
    let extent = match major {
        Major::Mn => tile_mn,
        Major::K => tile_k,
    };
    let along = |atom: &SmemAtom| atom.extents()[usize::from(major == Major::K)];
    Span::WIDEST_FIRST
        .into_iter()
        .map(|span| SmemAtom::dense(major, span, element.bits()))
        .find(|atom| extent % along(atom) == 0)
        .ok_or_else(|| {
            let smallest = along(&SmemAtom::dense(major, Span::B16, element.bits()));
            let near = (extent / smallest).max(1) * smallest;
            let text = match major {
                Major::Mn => SMALLEST_MN,
                Major::K => SMALLEST_K,
            };
            Refusal::asserted(Rule::NotCanonical, text)
                .with("extent", extent)
                .with("atom_extent", smallest)
                .legal(near.to_string())
                .legal((near + smallest).to_string())
        })
}
