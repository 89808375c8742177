//! `TiledCopy`: a copy atom over a thread-value layout of a tile.

use super::tiled_mma::{Operand, TiledMma};
use super::{Part, at, by_mode, everything, everywhere, vector};
use crate::copy::BITS_OF_A_LANE;
use crate::copy::{CopyAtom, ValueCopyAtom};
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, thread_id};
use cute_algebra::ops::coalesce::{coalesce, coalesce_by};
use cute_algebra::ops::composition::{composition, composition_by};
use cute_algebra::ops::divide::zipped_divide;
use cute_algebra::ops::filter::filter;
use cute_algebra::ops::inverse::{left_inverse, right_inverse};
use cute_algebra::ops::product::{logical_product, raked_product};
use cute_algebra::ops::recast::upcast;
use cute_algebra::ops::shape_arithmetic::product_each;
use cute_algebra::ops::slice::slice;
use cute_algebra::ops::zip::zip;
use cute_algebra::{
    AnyLayout, Coord, CoordLeaf, Delta, Int, IntTuple, Layout, Shape, Tiler, Tuple,
};

/// A copy atom repeated over threads and values: CuTe's `TiledCopy`.
///
/// ```
/// use cute_hardware::{CopyAtom, TiledCopy};
/// let atom = CopyAtom::named("UniversalCopy<uint128_t>")?.with_value_bits(32)?;
/// let copy = TiledCopy::of_layouts(atom, &"(_32,_8):(_1,_32)".parse()?, &"(_4,_1):(_1,_0)".parse()?)?;
/// assert_eq!(copy.tiler().to_string(), "(_128,_8)");
/// assert_eq!(copy.thread_value_layout().to_string(), "(_256,_4):(_4,_1)");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledCopy {
    atom: ValueCopyAtom,
    thread_value: Layout,
    tiler: Tiler,
}

/// Source or destination of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Source,
    Destination,
}

impl TiledCopy {
    /// The tiled copy of this thread-value layout over a tile: CuTe's `make_tiled_copy_impl`.
    ///
    /// Errors: [`Rule::TooFewValues`] when the layout has fewer threads or values than the atom, or not a multiple.
    pub fn new(atom: ValueCopyAtom, thread_value: Layout, tiler: Tiler) -> Result<Self, Refusal> {
        let copy = TiledCopy {
            atom,
            thread_value,
            tiler,
        };
        let texts = [
            "TiledCopy uses too few thrs for selected CopyAtom",
            "TiledCopy uses too few vals for selected CopyAtom",
        ];
        for (mode, text) in texts.into_iter().enumerate() {
            let tiled = copy.thread_value.mode(mode)?.size()?;
            let atom = copy.atom.reference.mode(mode)?.size()?;
            if let (Some(tiled), Some(atom)) = (tiled.value(), atom.value())
                && tiled % atom.max(1) != 0
            {
                let (tiled_name, atom_name) = if mode == 0 {
                    ("threads", "atom_threads")
                } else {
                    ("values", "atom_values")
                };
                return Err(Refusal::asserted(Rule::TooFewValues, text)
                    .with(tiled_name, tiled)
                    .with(atom_name, atom)
                    .legal((tiled / atom * atom).max(atom).to_string()));
            }
        }
        Ok(copy)
    }

    /// `make_tiled_copy(atom, threads, values)`: the raked product of both gives the tile.
    pub fn of_layouts(
        atom: ValueCopyAtom,
        threads: &Layout,
        values: &Layout,
    ) -> Result<Self, Refusal> {
        let tile = raked_product(threads, values)?;
        let shape = Tuple::flat([threads.size()?, values.size()?])?;
        let thread_value = with_shape(&right_inverse(&tile)?, &shape)?;
        let extents = product_each(tile.shape_view())?;
        TiledCopy::new(atom, thread_value, Tiler::of_shape(&extents))
    }

    /// The copy whose destination (A, B) or source (C) is the fragment of an MMA: CuTe's `make_tiled_copy_A`, `_B`, `_C`.
    pub fn of_mma(atom: ValueCopyAtom, mma: &TiledMma, operand: Operand) -> Result<Self, Refusal> {
        let [rows, columns] = operand.extents();
        let extents = Tuple::flat([mma.tile_size(rows)?, mma.tile_size(columns)?])?;
        TiledCopy::new(
            atom,
            mma.thread_value_layout(operand)?,
            Tiler::of_shape(&extents),
        )
    }

    /// The smallest copy whose source is a part of the accumulator: CuTe's `make_tiled_copy_C_atom`.
    ///
    /// Errors: [`Rule::TooFewValues`] when the atom moves more values than a thread has.
    pub fn of_accumulator_atom(atom: ValueCopyAtom, mma: &TiledMma) -> Result<Self, Refusal> {
        let whole = mma.thread_value_layout(Operand::C)?;
        let moved = atom.source.mode(1)?.size()?;
        let values = whole.mode(1)?.size()?;
        if moved.less(&values) == Some(false) && moved.equals(&values) != Some(true) {
            return Err(
                Refusal::asserted(Rule::TooFewValues, "copy_V <= size<1>(layoutC_TV)")
                    .with("values", &values)
                    .with("atom_values", &moved),
            );
        }
        let first_values = Layout::left(Tuple::flat([whole.mode(0)?.size()?, moved])?)?;
        let thread_value = composition(&whole, &first_values)?;
        let tile = Tuple::flat([mma.tile_size(0)?, mma.tile_size(1)?])?;
        TiledCopy::of_offsets(atom, &tile, &thread_value)
    }

    /// The tile and thread-value layout that cover exactly the offsets of `thread_value` in a column-major `extents`.
    fn of_offsets(
        atom: ValueCopyAtom,
        extents: &Shape,
        thread_value: &Layout,
    ) -> Result<Self, Refusal> {
        let tiler: Vec<Tiler> = (0..extents.rank())
            .map(|kept| {
                let stride = (0..extents.rank()).map(|mode| {
                    if mode == kept {
                        Delta::ONE
                    } else {
                        Delta::ZERO
                    }
                });
                let along = Layout::new(extents.clone(), Tuple::flat(stride)?)?;
                Ok(Tiler::Layout(filter(&composition(&along, thread_value)?)?))
            })
            .collect::<Result<_, Refusal>>()?;
        let tiler = Tiler::Modes(tiler);
        let data = composition_by(&Layout::left(extents.clone())?, &tiler)?;
        TiledCopy::new(
            atom,
            composition(&left_inverse(&data)?, thread_value)?,
            tiler,
        )
    }

    /// The copy of these offsets of the data: CuTe's `make_cotiled_copy`. `atom_thread_value` maps threads and values to
    /// offsets in the image of `data`.
    ///
    /// Errors: [`Rule::OutOfRange`] when it names offsets that the data does not have.
    pub fn of_data(
        atom: ValueCopyAtom,
        atom_thread_value: &Layout,
        data: &Layout,
    ) -> Result<Self, Refusal> {
        let zero = Layout::single(Int::ONE, Delta::ZERO);
        let inverse = left_inverse(data)?;
        let coordinates = composition(
            &Layout::concat([inverse.view(), zero.view()])?,
            atom_thread_value,
        )?;
        let back = composition(
            &Layout::concat([data.view(), zero.view()])?,
            &coordinates.mode(1)?,
        )?;
        let asked = coalesce(&atom_thread_value.mode(1)?)?;
        if coalesce(&back)? != asked {
            let text = "The memory pointed to by AtomTVLayout does not exist in the DataLayout.";
            return Err(Refusal::asserted(Rule::OutOfRange, text)
                .with("asked", asked.to_string())
                .with("found", back.to_string()));
        }
        TiledCopy::of_offsets(atom, &product_each(data.shape_view())?, &coordinates)
    }

    /// The copy of a tensor in tensor memory by the four warps of a warp group, each of which reaches its own lanes:
    /// CuTe's `make_tmem_copy`. For `tcgen05.cp`, which no thread takes a part of, it is `make_utccp_copy`.
    ///
    /// ```
    /// use cute_hardware::{CopyAtom, TiledCopy};
    /// let atom = CopyAtom::named("SM100_TMEM_LOAD_32dp32b1x")?.with_value_bits(32)?;
    /// let accumulator = "((_128,_256),_1,_1):((_65536,_1),_0,_0)".parse()?;
    /// let copy = TiledCopy::of_tensor_memory(atom, &accumulator)?;
    /// assert_eq!(copy.thread_value_layout().to_string(), "((_32,_4),_32):((_0,_1),_4)");
    /// # Ok::<(), cute_hardware::Refusal>(())
    /// ```
    ///
    /// Errors: [`Rule::AtomParameters`] for an atom that does not touch tensor memory, and those of
    /// [`TiledCopy::of_data`].
    pub fn of_tensor_memory(atom: ValueCopyAtom, data: &Layout) -> Result<Self, Refusal> {
        let Some(bits) = &atom.atom.tensor_memory else {
            let text = "no type named 'ValID'";
            return Err(Refusal::uncompilable(Rule::AtomParameters, text)
                .with("name", atom.atom.name.clone()));
        };
        let values = coalesce(&upcast(bits, atom.value_bits)?)?;
        let threads = if atom.atom.thread_id.size()?.value() == Some(32) {
            let quarter = 32 * BITS_OF_A_LANE / atom.value_bits;
            thread_id(&Mode::group(&[(32, 0), (4, quarter)]))?
        } else {
            Layout::single(atom.atom.thread_id.size()?, Delta::ZERO)
        };
        let thread_value = Layout::concat([threads.view(), values.view()])?;
        TiledCopy::of_data(atom, &thread_value, data)
    }

    /// The copy whose thread-value layout is the source (`make_tiled_copy_S`) of another one.
    pub fn of_source(atom: ValueCopyAtom, other: &TiledCopy) -> Result<Self, Refusal> {
        TiledCopy::new(atom, other.source_layout()?, other.tiler.clone())
    }

    /// The copy whose thread-value layout is the destination (`make_tiled_copy_D`) of another one.
    pub fn of_destination(atom: ValueCopyAtom, other: &TiledCopy) -> Result<Self, Refusal> {
        TiledCopy::new(atom, other.destination_layout()?, other.tiler.clone())
    }

    /// The atom.
    pub fn atom(&self) -> &ValueCopyAtom {
        &self.atom
    }

    /// `(thread, value) -> offset` into the column-major tile: CuTe's `TiledLayout_TV`.
    pub fn thread_value_layout(&self) -> &Layout {
        &self.thread_value
    }

    /// The tile: CuTe's `Tiler_MN`.
    pub fn tiler(&self) -> &Tiler {
        &self.tiler
    }

    /// The number of threads.
    pub fn size(&self) -> Result<Int, Refusal> {
        Ok(self.thread_value.mode(0)?.size()?)
    }

    /// The extents of the tile; for a tiler of layouts, their shapes.
    pub fn tile_shape(&self) -> Result<Shape, Refusal> {
        tiler_shape(&self.tiler)
    }

    fn atom_layout(&self, side: Side) -> &Layout {
        match side {
            Side::Source => &self.atom.source,
            Side::Destination => &self.atom.destination,
        }
    }

    /// `(thread, value, rest)` of a tiled tensor: CuTe's `tile2thrfrg`.
    fn tile_to_fragments(&self, tiled: &Layout, side: Side) -> Result<Layout, Refusal> {
        let to_side = composition(
            &right_inverse(&self.atom.reference)?,
            self.atom_layout(side),
        )?;
        let atom_threads = self.atom.reference.mode(0)?.size()?;
        let atom_values = self.atom.reference.mode(1)?.size()?;
        let atom_shape = by_mode([Tiler::Int(atom_threads), Tiler::Int(atom_values)]);
        let atoms = zipped_divide(&self.thread_value, &atom_shape)?;
        let sided = composition_by(&atoms, &by_mode([Tiler::Layout(to_side), Tiler::Skip]))?;
        let zipped = zip(&sided.mode(0)?, &sided.mode(1)?)?;
        let one = || Tuple::leaf(Int::ONE);
        let profile: IntTuple = Tuple::group([one(), Tuple::group([one(), one()])?])?;
        let thread_value = coalesce_by(&zipped, &profile)?;
        let fragments =
            composition_by(tiled, &by_mode([Tiler::Layout(thread_value), Tiler::Skip]))?;
        let coord = Tuple::group([everywhere(2)?, everything()])?;
        Ok(slice(&coord, &fragments)?)
    }

    fn fragments_of(&self, tensor: &Layout, side: Side) -> Result<Layout, Refusal> {
        let needed = self.tiler.modes().map_or(1, <[Tiler]>::len);
        if tensor.rank() < needed {
            let text = "Rank of tensor to be partitioned too small.";
            return Err(
                Refusal::asserted(Rule::Algebra(cute_algebra::Rule::RankMismatch), text)
                    .with("rank", tensor.rank())
                    .with("tiler_rank", needed),
            );
        }
        self.tile_to_fragments(&zipped_divide(tensor, &self.tiler)?, side)
    }

    fn thread_fragments(&self, tensor: &AnyLayout, side: Side) -> Result<AnyLayout, Refusal> {
        Ok(tensor.with_domain(self.fragments_of(tensor.domain(), side)?))
    }

    /// `(thread, value, rest)` of a source tensor: CuTe's `tidfrg_S`.
    pub fn source_fragments(&self, tensor: &AnyLayout) -> Result<AnyLayout, Refusal> {
        self.thread_fragments(tensor, Side::Source)
    }

    /// `(thread, value, rest)` of a destination tensor: CuTe's `tidfrg_D`.
    pub fn destination_fragments(&self, tensor: &AnyLayout) -> Result<AnyLayout, Refusal> {
        self.thread_fragments(tensor, Side::Destination)
    }

    fn side_layout(&self, side: Side) -> Result<Layout, Refusal> {
        let tile = Layout::left(Tuple::group([self.tile_shape()?, Tuple::leaf(Int::ONE)])?)?;
        let fragments = self.tile_to_fragments(&tile, side)?;
        let first: Coord = Tuple::leaf(CoordLeaf::Int(Int::ZERO));
        Ok(slice(
            &Tuple::group([everything(), everything(), first])?,
            &fragments,
        )?)
    }

    /// `(thread, value) -> offset` of the source: CuTe's `get_layoutS_TV`.
    pub fn source_layout(&self) -> Result<Layout, Refusal> {
        self.side_layout(Side::Source)
    }

    /// `(thread, value) -> offset` of the destination: CuTe's `get_layoutD_TV`.
    pub fn destination_layout(&self) -> Result<Layout, Refusal> {
        self.side_layout(Side::Destination)
    }

    fn partition(&self, thread: &Int, tensor: &AnyLayout, side: Side) -> Result<Part, Refusal> {
        let fragments = self.thread_fragments(tensor, side)?;
        let thread = at(&Tuple::leaf(thread.clone()));
        let coord = Tuple::group([thread, everything(), everywhere(tensor.rank())?])?;
        Part::of(&coord, &fragments)
    }

    /// The part of a tensor that a thread reads, `(values, rest...)`: CuTe's `partition_S`.
    pub fn partition_source(&self, thread: &Int, tensor: &AnyLayout) -> Result<Part, Refusal> {
        self.partition(thread, tensor, Side::Source)
    }

    /// The part of a tensor that a thread writes, `(values, rest...)`: CuTe's `partition_D`.
    pub fn partition_destination(&self, thread: &Int, tensor: &AnyLayout) -> Result<Part, Refusal> {
        self.partition(thread, tensor, Side::Destination)
    }

    /// A thread's fragment of another tiled operation, in the order of this copy: CuTe's `retile_S`, `retile_D`.
    pub fn retile(&self, fragment: &AnyLayout) -> Result<AnyLayout, Refusal> {
        Ok(fragment.with_domain(self.retiled(fragment.domain())?))
    }

    fn retiled(&self, fragment: &Layout) -> Result<Layout, Refusal> {
        let values = fragment.mode(0)?.size()?;
        let inverse = with_shape(&right_inverse(&self.thread_value)?, &self.tile_shape()?)?;
        let per_thread = self.size()?.mul(&values)?.value().ok_or_else(|| {
            Refusal::uncompilable(
                Rule::Algebra(cute_algebra::Rule::NotProvable),
                "not a constant expression",
            )
            .with("values", &values)
        })?;
        let tile = upcast(&inverse, per_thread)?;
        let atom_values = vector(&self.atom.reference.mode(1)?.size()?)?;
        let order = logical_product(&vector(&values)?, &Tiler::Layout(right_inverse(&tile)?))?;
        let order = zipped_divide(&order, &Tiler::Layout(atom_values))?;
        let extents = product_each(tile.shape_view())?;
        let mut modes = vec![Tiler::Int(values)];
        modes.extend(extents.leaves().iter().cloned().map(Tiler::Int));
        let tiled = zipped_divide(fragment, &Tiler::Modes(modes))?;
        let retiled = composition_by(&tiled, &by_mode([Tiler::Layout(order), Tiler::Skip]))?;
        let first: Coord = Tuple::leaf(CoordLeaf::Int(Int::ZERO));
        let mut rest = vec![first];
        rest.extend(std::iter::repeat_n(
            everything(),
            fragment.rank().saturating_sub(1),
        ));
        let coord = Tuple::group([everything(), Tuple::group(rest)?])?;
        Ok(slice(&coord, &retiled)?)
    }
}

/// `layout.with_shape(shape)`: the same function on coordinates of another shape.
fn with_shape(layout: &Layout, shape: &Shape) -> Result<Layout, Refusal> {
    Ok(composition(layout, &Layout::left(shape.clone())?)?)
}

fn tiler_shape(tiler: &Tiler) -> Result<Shape, Refusal> {
    Ok(match tiler {
        Tiler::Int(extent) => Tuple::leaf(extent.clone()),
        Tiler::Layout(layout) => layout.shape(),
        Tiler::Skip => Tuple::leaf(Int::ONE),
        Tiler::Modes(modes) => Tuple::group(
            modes
                .iter()
                .map(tiler_shape)
                .collect::<Result<Vec<_>, _>>()?,
        )?,
    })
}

impl CopyAtom {
    /// The atom for values of this width: CuTe's `Copy_Atom<Op, T>`.
    ///
    /// Errors: [`Rule::TooFewValues`] when the instruction does not move whole values, so that threads would merge.
    pub fn with_value_bits(&self, bits: i64) -> Result<ValueCopyAtom, Refusal> {
        ValueCopyAtom::new(self.clone(), bits)
    }
}
