//! `TiledMMA`: an MMA atom over a layout of atoms, with permutations of M, N and K.

use super::{Part, at, by_mode, everything, everywhere, vector};
use crate::mma::MmaAtom;
use crate::refusal::{Refusal, Rule};
use cute_algebra::coord::{crd2idx_colex, idx2crd_stride};
use cute_algebra::ops::complement::complement_default;
use cute_algebra::ops::composition::{composition, composition_by};
use cute_algebra::ops::divide::{logical_divide, zipped_divide};
use cute_algebra::ops::inverse::right_inverse;
use cute_algebra::ops::modes::append_to_rank;
use cute_algebra::ops::product::tiled_product;
use cute_algebra::ops::slice::slice;
use cute_algebra::{AnyLayout, Coord, CoordLeaf, Delta, Int, Layout, Shape, Tiler, Tuple};

/// An operand of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// M x K.
    A,
    /// N x K.
    B,
    /// M x N.
    C,
}

impl Operand {
    /// The modes of M, N, K (0, 1, 2) that are its rows and columns.
    pub fn extents(self) -> [usize; 2] {
        match self {
            Operand::A => [0, 2],
            Operand::B => [1, 2],
            Operand::C => [0, 1],
        }
    }
}

/// An MMA atom repeated over threads and values: CuTe's `TiledMMA`.
///
/// ```
/// use cute_hardware::{MmaAtom, TiledMma};
/// let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?;
/// let mma = TiledMma::new(atom, Some("(_2,_2):(_1,_2)".parse()?), vec![])?;
/// assert_eq!(mma.tile_shape()?.to_string(), "(_32,_16,_16)");
/// assert_eq!(mma.thread_layout().to_string(), "(_32,_2,_2,_1):(_1,_32,_64,_0)");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledMma {
    atom: MmaAtom,
    atoms: Layout,
    threads: Layout,
    permutations: [Tiler; 3],
}

/// The coordinates of one thread: CuTe's `ThrMMA`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MmaSlice {
    vmnk: [Int; 4],
}

impl TiledMma {
    /// `make_tiled_mma(atom, atom_layout, permutations)`: the default layout is one atom, the default permutation `_`.
    ///
    /// Errors: the rank of a layout of atoms or of permutations above 3, and the refusals of the product.
    pub fn new(
        atom: MmaAtom,
        atom_layout: Option<Layout>,
        permutations: Vec<Tiler>,
    ) -> Result<Self, Refusal> {
        let one = || Layout::single(Int::ONE, Delta::ZERO);
        let atoms = match atom_layout {
            Some(layout) => layout,
            None => Layout::left(Tuple::flat([Int::ONE, Int::ONE, Int::ONE])?)?,
        };
        let too_many = |text, rank: usize| {
            Refusal::asserted(Rule::Algebra(cute_algebra::Rule::RankMismatch), text)
                .with("rank", rank)
                .legal("3")
        };
        if atoms.rank() > 3 {
            return Err(too_many(
                "TiledMMA requires rank-3 AtomLayoutMNK",
                atoms.rank(),
            ));
        }
        let given = permutations.len();
        let mut padded = permutations
            .into_iter()
            .chain(std::iter::repeat(Tiler::Skip));
        let permutations = std::array::from_fn(|_| padded.next().unwrap_or(Tiler::Skip));
        if given > 3 {
            return Err(too_many("TiledMMA requires rank-3 PermutationMNK", given));
        }
        let atoms = append_to_rank(&atoms, 3, &one())?;
        let threads = tiled_product(&atom.thread_id, &Tiler::Layout(atoms.clone()))?;
        Ok(TiledMma {
            atom,
            atoms,
            threads,
            permutations,
        })
    }

    /// The atom.
    pub fn atom(&self) -> &MmaAtom {
        &self.atom
    }

    /// The layout of the atoms over M, N and K: CuTe's `AtomLayoutMNK`.
    pub fn atom_layout(&self) -> &Layout {
        &self.atoms
    }

    /// The permutations of M, N and K as they were given, `_` where none was: CuTe's `PermutationMNK`.
    pub fn stated_permutations(&self) -> &[Tiler; 3] {
        &self.permutations
    }

    /// `(V, M, N, K) -> thread`: CuTe's `ThrLayoutVMNK`.
    pub fn thread_layout(&self) -> &Layout {
        &self.threads
    }

    /// The number of threads.
    pub fn size(&self) -> Result<Int, Refusal> {
        Ok(self.threads.size()?)
    }

    /// The permutation of M, N or K (0, 1, 2); the default is the extent of the atom times the number of atoms.
    pub fn permutation(&self, mode: usize) -> Result<Tiler, Refusal> {
        match self.permutations.get(mode) {
            Some(Tiler::Skip) => {
                let extent = Int::fixed(self.atom.shape_mnk()[mode]);
                Ok(Tiler::Int(
                    extent.mul(&self.threads.mode(mode + 1)?.size()?)?,
                ))
            }
            Some(tiler) => Ok(tiler.clone()),
            None => {
                Err(Refusal::uncompilable(Rule::OutOfRange, "0 <= I && I < 3").with("mode", mode))
            }
        }
    }

    /// The extent of the tile in M, N or K (0, 1, 2): CuTe's `tile_size<I>`.
    pub fn tile_size(&self, mode: usize) -> Result<Int, Refusal> {
        fn size(tiler: &Tiler) -> Result<Int, Refusal> {
            Ok(match tiler {
                Tiler::Int(extent) => extent.clone(),
                Tiler::Layout(layout) => layout.size()?,
                Tiler::Modes(modes) => modes.iter().try_fold(Int::ONE, |product, mode| {
                    Ok::<_, Refusal>(product.mul(&size(mode)?)?)
                })?,
                Tiler::Skip => Int::ONE,
            })
        }
        size(&self.permutation(mode)?)
    }

    /// The extents of the tile: CuTe's `tile_shape`.
    pub fn tile_shape(&self) -> Result<Shape, Refusal> {
        Ok(Tuple::flat([
            self.tile_size(0)?,
            self.tile_size(1)?,
            self.tile_size(2)?,
        ])?)
    }

    fn operand_layout(&self, operand: Operand) -> &Layout {
        match operand {
            Operand::A => &self.atom.a.layout,
            Operand::B => &self.atom.b.layout,
            Operand::C => &self.atom.c.layout,
        }
    }

    /// `((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN)))` of a tensor: CuTe's `thrfrg_A`, `_B`, `_C`.
    ///
    /// Errors: a tensor of rank below 2, and the refusals of the divisions.
    pub fn thread_fragments(
        &self,
        operand: Operand,
        tensor: &AnyLayout,
    ) -> Result<AnyLayout, Refusal> {
        if tensor.rank() < 2 {
            return Err(Refusal::asserted(
                Rule::Algebra(cute_algebra::Rule::RankMismatch),
                "rank(tensor) >= 2",
            )
            .with("rank", tensor.rank()));
        }
        Ok(tensor.with_domain(self.fragments_of(operand, tensor.domain())?))
    }

    fn fragments_of(&self, operand: Operand, tensor: &Layout) -> Result<Layout, Refusal> {
        let [rows, columns] = operand.extents();
        let permuted = logical_divide(
            tensor,
            &by_mode([self.permutation(rows)?, self.permutation(columns)?]),
        )?;
        let shape = self.atom.shape_mnk();
        let extent = |mode: usize| vector(&Int::fixed(shape[mode])).map(Tiler::Layout);
        let atoms = zipped_divide(&permuted, &by_mode([extent(rows)?, extent(columns)?]))?;
        let values = composition_by(
            &atoms,
            &by_mode([
                Tiler::Layout(self.operand_layout(operand).clone()),
                Tiler::Skip,
            ]),
        )?;
        let threads = |mode: usize| -> Result<Tiler, Refusal> {
            vector(&self.threads.mode(mode + 1)?.size()?).map(Tiler::Layout)
        };
        let repeats = by_mode([threads(rows)?, threads(columns)?]);
        Ok(zipped_divide(&values, &by_mode([Tiler::Skip, repeats]))?)
    }

    /// `(thread, value) -> offset` into the column-major tile: CuTe's `get_layoutA_TV` and so on.
    pub fn thread_value_layout(&self, operand: Operand) -> Result<Layout, Refusal> {
        let [rows, columns] = operand.extents();
        let tile = Layout::left(Tuple::flat([
            self.tile_size(rows)?,
            self.tile_size(columns)?,
        ])?)?;
        let mut fragments = self.fragments_of(operand, &tile)?;
        if operand != Operand::C {
            // All threads along N share A, and all along M share B.
            let extents =
                Tuple::flat([self.threads.mode(1)?.size()?, self.threads.mode(2)?.size()?])?;
            let strides = if operand == Operand::A {
                [Delta::ONE, Delta::ZERO]
            } else {
                [Delta::ZERO, Delta::ONE]
            };
            let shared = Layout::new(extents, Tuple::flat(strides)?)?;
            let tiler = by_mode([
                by_mode([Tiler::Skip, by_mode([Tiler::Layout(shared), Tiler::Skip])]),
                Tiler::Skip,
            ]);
            fragments = composition_by(&fragments, &tiler)?;
        }
        let count = Layout::new(
            Tuple::flat([self.size()?, Int::ONE])?,
            Tuple::flat([Delta::ONE, Delta::ZERO])?,
        )?;
        let rest = complement_default(&self.threads)?;
        let whole = Layout::concat([self.threads.view(), rest.view()])?;
        let thread_of_index = composition(&count, &right_inverse(&whole)?)?;
        Ok(composition_by(
            &fragments,
            &by_mode([Tiler::Layout(thread_of_index), Tiler::Skip]),
        )?)
    }

    /// The coordinates of a thread: CuTe's `get_slice`.
    pub fn slice(&self, thread: &Int) -> Result<MmaSlice, Refusal> {
        let shape = self.threads.shape();
        let stride = self.threads.stride();
        let coordinate = idx2crd_stride(
            Tuple::leaf(thread.clone()).view(),
            shape.view(),
            stride.view(),
        )?;
        let flat: Vec<Int> = coordinate
            .modes()
            .zip(shape.modes())
            .map(|(coordinate, shape)| crd2idx_colex(coordinate, shape))
            .collect::<Result<_, _>>()?;
        let vmnk = flat.try_into().map_err(|flat: Vec<Int>| {
            Refusal::uncompilable(Rule::Algebra(cute_algebra::Rule::RankMismatch), "rank 4")
                .with("rank", flat.len())
        })?;
        Ok(MmaSlice { vmnk })
    }

    /// The part of a tensor that a thread has, `(V, rest of rows, rest of columns, ...)`: CuTe's `partition_A`, `_B`,
    /// `_C`.
    pub fn partition(
        &self,
        slice: &MmaSlice,
        operand: Operand,
        tensor: &AnyLayout,
    ) -> Result<Part, Refusal> {
        let fragments = self.thread_fragments(operand, tensor)?;
        let [rows, columns] = operand.extents();
        let index = |mode: usize| at(&Tuple::leaf(slice.vmnk[mode].clone()));
        let thread = Tuple::group([
            index(0),
            Tuple::group([index(rows + 1), index(columns + 1)])?,
        ])?;
        let rest = fragments
            .shape()
            .get_path(&[1, 1])
            .map_or(0, cute_algebra::TupleView::rank);
        let values = Tuple::group([everything(), everywhere(rest)?])?;
        Part::of(&Tuple::group([thread, values])?, &fragments)
    }

    /// The shape of [`TiledMma::partition`] for a tensor of this shape: CuTe's `partition_shape_A`, `_B`, `_C`.
    pub fn partition_shape(&self, operand: Operand, shape: &Shape) -> Result<Shape, Refusal> {
        let fragments = self.fragments_of(operand, &Layout::left(shape.clone())?)?;
        let first: Coord = Tuple::leaf(CoordLeaf::Int(Int::ZERO));
        let values = Tuple::group([everything(), everywhere(shape.rank())?])?;
        Ok(slice(&Tuple::group([first, values])?, &fragments)?.shape())
    }
}

impl MmaSlice {
    /// The coordinates of the thread: value group, M, N, K.
    pub fn vmnk(&self) -> &[Int; 4] {
        &self.vmnk
    }
}
