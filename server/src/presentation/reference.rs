//! One line about each function of CuTe: the text in hovers, completions and signatures.
//!
//! The sentences are ours; `source` names the section of the paper ("CuTe Layout Representation and
//! Algebra") or the header that defines the function.

use cute_analysis::vocabulary;

use super::headers;

/// The start of a source that is a section of the paper.
const PAPER: &str = "paper ";
/// The paper's title, and where it is.
const PAPER_TITLE: &str = "CuTe Layout Representation and Algebra";
const PAPER_ADDRESS: &str = "https://arxiv.org/abs/2603.02298";

/// A function of CuTe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The names of its parameters, in CuTe's order; the last may be `...`.
    pub parameters: &'static [&'static str],
    /// A sentence on its result.
    pub sentence: &'static str,
    /// The place of its definition.
    pub source: &'static str,
}

impl Entry {
    /// `logical_divide(layout, tiler)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.parameters.join(", "))
    }

    /// Signature, sentence and source in one line.
    pub fn line(&self) -> String {
        format!("{}: {} ({})", self.signature(), self.sentence, self.source)
    }
}

const fn entry(
    name: &'static str,
    parameters: &'static [&'static str],
    sentence: &'static str,
    source: &'static str,
) -> Entry {
    Entry {
        name,
        parameters,
        sentence,
        source,
    }
}

/// All entries, by name.
pub const ENTRIES: &[Entry] = &[
    entry(
        "ScaledBasis",
        &["value", "mode"],
        "a stride that steps along one mode of a coordinate",
        "paper §2.3.1",
    ),
    entry(
        "blocked_product",
        &["block", "tiler"],
        "copies of the block side by side, mode by mode: each block stays in one piece",
        "paper §3.5.1",
    ),
    entry(
        "coalesce",
        &["layout"],
        "the same offsets with as few modes as possible",
        "paper §3.2",
    ),
    entry(
        "coalesce",
        &["layout", "profile"],
        "the same offsets, each mode of the profile coalesced separately",
        "paper §3.2",
    ),
    entry(
        "complement",
        &["layout", "cotarget"],
        "the offsets below the target that the layout leaves out",
        "paper §3.5",
    ),
    entry(
        "composition",
        &["layout", "tiler"],
        "R with R(c) = layout(tiler(c)) for every coordinate c of tiler",
        "paper §3.3",
    ),
    entry(
        "copy",
        &["copy", "source", "destination"],
        "copies element by element; both have the same size",
        "paper §2.6.1",
    ),
    entry(
        "cosize",
        &["layout"],
        "the largest offset plus 1: the elements a buffer needs",
        "paper §2.4.1",
    ),
    entry(
        "cp_async_fence",
        &[],
        "commits the asynchronous copies issued so far as one group",
        "arch/copy_sm80.hpp",
    ),
    entry(
        "cp_async_wait",
        &[],
        "waits until all but the last N groups of asynchronous copies have completed",
        "arch/copy_sm80.hpp",
    ),
    entry(
        "crd2idx",
        &["coordinate", "shape", "stride"],
        "the inner product of a coordinate with the strides",
        "paper §2.2.2",
    ),
    entry(
        "depth",
        &["tuple"],
        "the depth of nesting; 0 for an integer",
        "paper §2.1",
    ),
    entry(
        "domain_offset",
        &["coordinate", "tensor"],
        "the tensor that begins at the coordinate",
        "tensor_impl.hpp",
    ),
    entry(
        "downcast",
        &["layout"],
        "the same memory seen as smaller elements",
        "layout.hpp",
    ),
    entry(
        "filter",
        &["layout"],
        "without modes of stride 0 or extent 1, coalesced",
        "layout.hpp",
    ),
    entry(
        "filter_zeros",
        &["layout"],
        "modes of stride 0 get extent 1; the hierarchy is kept",
        "layout.hpp",
    ),
    entry(
        "flat_divide",
        &["layout", "tiler"],
        "the modes of one tile, then one mode per tile count, all at one level",
        "paper §3.5.2",
    ),
    entry(
        "flat_product",
        &["block", "tiler"],
        "the modes of a block, then those of the tiler, all at one level",
        "paper §3.5.1",
    ),
    entry(
        "flatten",
        &["layout"],
        "the same leaves without hierarchy",
        "paper §2.1",
    ),
    entry(
        "gemm",
        &["mma", "A", "B", "C"],
        "C += A * B: A is (V,M,K), B (V,N,K), C (V,M,N), or fewer of these modes",
        "paper §2.6.2",
    ),
    entry(
        "get_slice",
        &["thread"],
        "the part of a tiled copy or MMA that belongs to one thread",
        "atom/copy_atom.hpp",
    ),
    entry(
        "group_modes",
        &["layout"],
        "modes B to E-1 as one nested mode",
        "layout.hpp",
    ),
    entry(
        "idx2crd",
        &["index", "shape"],
        "the coordinate of an index, leftmost mode fastest",
        "paper §2.2.2",
    ),
    entry(
        "left_inverse",
        &["layout"],
        "L with L(layout(i)) = i for every index i",
        "paper §3.4.3",
    ),
    entry(
        "local_partition",
        &["tensor", "threads", "index"],
        "the elements of one thread, where a layout of threads tiles the tensor",
        "paper §3.3.4",
    ),
    entry(
        "local_tile",
        &["tensor", "tiler", "coordinate"],
        "one tile of a tensor, by its coordinate among the tiles",
        "paper §3.5.2",
    ),
    entry(
        "logical_divide",
        &["layout", "tiler"],
        "splits the layout into tiles: mode 0 = inside a tile, mode 1 = which tile",
        "paper §3.5.2",
    ),
    entry(
        "logical_product",
        &["block", "tiler"],
        "repeats the block in the pattern of the tiler: mode 0 = inside a block, mode 1 = which block",
        "paper §3.5.1",
    ),
    entry("make_coord", &["..."], "a coordinate", "paper §2.2.2"),
    entry(
        "make_cotiled_copy",
        &["atom", "layout", "data"],
        "a tiled copy given by threads and values over the offsets of data",
        "atom/copy_atom.hpp",
    ),
    entry(
        "make_fragment_like",
        &["tensor"],
        "a tensor in registers with the shape of another, compact",
        "tensor_impl.hpp",
    ),
    entry(
        "make_gmem_ptr",
        &["pointer"],
        "a pointer tagged as global memory",
        "pointer.hpp",
    ),
    entry(
        "make_identity_tensor",
        &["shape"],
        "a tensor whose elements are its coordinates",
        "paper §2.5",
    ),
    entry(
        "make_layout",
        &["shape"],
        "the compact layout, leftmost mode fastest",
        "paper §2.4",
    ),
    entry(
        "make_layout",
        &["shape", "stride"],
        "the function from coordinates of the shape to offsets",
        "paper §2.4",
    ),
    entry(
        "make_ordered_layout",
        &["shape", "order"],
        "a compact layout whose modes are fastest in the given order",
        "layout.hpp",
    ),
    entry("make_shape", &["..."], "a shape", "paper §2.2"),
    entry(
        "make_smem_ptr",
        &["pointer"],
        "a pointer tagged as shared memory",
        "pointer.hpp",
    ),
    entry("make_stride", &["..."], "a stride", "paper §2.3"),
    entry(
        "make_tensor",
        &["pointer", "layout"],
        "memory seen through a layout",
        "paper §2.5",
    ),
    entry("make_tile", &["..."], "a tiler by mode", "paper §3.3.5"),
    entry(
        "make_tiled_copy",
        &["atom", "threads", "values"],
        "a copy atom repeated over a layout of threads and one of values",
        "atom/copy_atom.hpp",
    ),
    entry(
        "make_tiled_copy_A",
        &["atom", "mma"],
        "a tiled copy that fills the fragments of operand A",
        "atom/copy_atom.hpp",
    ),
    entry(
        "make_tiled_copy_B",
        &["atom", "mma"],
        "a tiled copy that fills the fragments of operand B",
        "atom/copy_atom.hpp",
    ),
    entry(
        "make_tiled_copy_C",
        &["atom", "mma"],
        "a tiled copy that has the fragments of the accumulator",
        "atom/copy_atom.hpp",
    ),
    entry(
        "make_tiled_mma",
        &["atom", "threads", "permutations"],
        "an MMA atom repeated over a layout of atoms",
        "atom/mma_atom.hpp",
    ),
    entry(
        "make_tma_atom",
        &["operation", "tensor", "layout", "tile", "multicast"],
        "a TMA instruction with its descriptor",
        "atom/copy_traits_sm90_tma.hpp",
    ),
    entry(
        "make_tma_copy",
        &["operation", "tensor", "layout", "tile", "cluster"],
        "a tiled copy by TMA with its descriptor",
        "atom/copy_traits_sm90_tma.hpp",
    ),
    entry(
        "max_common_layout",
        &["a", "b"],
        "the longest run of elements that is contiguous in both",
        "layout.hpp",
    ),
    entry(
        "max_common_vector",
        &["a", "b"],
        "the number of elements contiguous in both",
        "paper §3.4.2",
    ),
    entry(
        "partition_A",
        &["tensor"],
        "the part of operand A that a thread needs: (MMA,MMA_M,MMA_K)",
        "atom/mma_atom.hpp",
    ),
    entry(
        "partition_B",
        &["tensor"],
        "the part of operand B that a thread needs: (MMA,MMA_N,MMA_K)",
        "atom/mma_atom.hpp",
    ),
    entry(
        "partition_C",
        &["tensor"],
        "the part of the accumulator that a thread holds: (MMA,MMA_M,MMA_N)",
        "atom/mma_atom.hpp",
    ),
    entry(
        "partition_D",
        &["tensor"],
        "the part of the destination that a thread writes: (CPY,CPY_M,CPY_N)",
        "atom/copy_atom.hpp",
    ),
    entry(
        "partition_S",
        &["tensor"],
        "the part of the source that a thread reads: (CPY,CPY_M,CPY_N)",
        "atom/copy_atom.hpp",
    ),
    entry(
        "partition_fragment_A",
        &["tensor"],
        "registers for a thread's part of operand A",
        "atom/mma_atom.hpp",
    ),
    entry(
        "partition_fragment_B",
        &["tensor"],
        "registers for a thread's part of operand B",
        "atom/mma_atom.hpp",
    ),
    entry(
        "partition_fragment_C",
        &["mma", "shape"],
        "registers for a thread's part of the accumulator",
        "atom/mma_atom.hpp",
    ),
    entry(
        "raked_product",
        &["block", "tiler"],
        "copies of the block interleaved element by element, mode by mode",
        "paper §3.5.1",
    ),
    entry("rank", &["tuple"], "the number of modes", "paper §2.1"),
    entry(
        "recast",
        &["tensor"],
        "the same memory seen as elements of another type",
        "tensor_impl.hpp",
    ),
    entry(
        "recast_layout",
        &["layout"],
        "the same memory seen as elements of another width",
        "layout.hpp",
    ),
    entry(
        "retile_D",
        &["fragment"],
        "registers in the order in which a copy writes them",
        "atom/copy_atom.hpp",
    ),
    entry(
        "retile_S",
        &["fragment"],
        "registers in the order in which a copy reads them",
        "atom/copy_atom.hpp",
    ),
    entry(
        "right_inverse",
        &["layout"],
        "R with layout(R(k)) = k for every k below size(R)",
        "paper §3.4.1",
    ),
    entry(
        "select",
        &["layout"],
        "some modes, in the given order",
        "layout.hpp",
    ),
    entry(
        "shape_div",
        &["a", "b"],
        "the shape a divided by b",
        "int_tuple.hpp",
    ),
    entry(
        "size",
        &["layout"],
        "the number of coordinates",
        "paper §2.2",
    ),
    entry(
        "slice",
        &["coordinate", "layout"],
        "the modes where the coordinate has `_`, at the other coordinates",
        "paper §2.5.1",
    ),
    entry("take", &["layout"], "modes B to E-1", "layout.hpp"),
    entry(
        "tile_to_mma_shape",
        &["atom", "shape"],
        "repeats a shared-memory atom over the shape of an MMA operand",
        "atom/mma_traits_sm100.hpp",
    ),
    entry(
        "tile_to_shape",
        &["block", "shape"],
        "repeats the block until it fills the shape",
        "layout.hpp",
    ),
    entry(
        "tiled_divide",
        &["layout", "tiler"],
        "(tile, count, count, ...): mode 0 = inside a tile, then one mode per tile count",
        "paper §3.5.2",
    ),
    entry(
        "tiled_product",
        &["block", "tiler"],
        "(block, mode, mode, ...): mode 0 = inside a block, then the modes of the tiler",
        "paper §3.5.1",
    ),
    entry(
        "upcast",
        &["layout"],
        "the same memory seen as larger elements",
        "layout.hpp",
    ),
    entry(
        "zipped_divide",
        &["layout", "tiler"],
        "splits into tiles: mode 0 = inside a tile, mode 1 = which tile",
        "paper §3.5.2",
    ),
    entry(
        "zipped_product",
        &["block", "tiler"],
        "repeats the block: mode 0 = inside a block, mode 1 = which block",
        "paper §3.5.1",
    ),
];

/// The entries of a name, one for each number of parameters.
pub fn of(name: &str) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |entry| entry.name == name)
}

/// The entry of a function; of several forms the one with the most parameters.
pub fn entry_of(name: &str) -> Option<&'static Entry> {
    of(name).last()
}

/// The definition of a function or method, as a link in Markdown: the section of the paper, or the header.
pub fn source_link(name: &str) -> Option<String> {
    let source = entry_of(name).map(|entry| entry.source);
    match source.or_else(|| headers::of(name))? {
        paper if paper.starts_with(PAPER) => {
            let section = paper.trim_start_matches(PAPER);
            Some(format!("[{PAPER_TITLE}, {section}]({PAPER_ADDRESS})"))
        }
        header => Some(format!("[cute/{header}]({}{header})", headers::ADDRESS)),
    }
}

/// One line about a function or method: its result, and its definition.
pub fn documentation(name: &str) -> Option<String> {
    if let Some(entry) = entry_of(name) {
        return Some(entry.line());
    }
    let known = vocabulary::function(name).or_else(|| vocabulary::method(name))?;
    let sentence = format!("{}: {}", known.signature, known.doc.trim_end_matches('.'));
    Some(match headers::of(name) {
        Some(header) => format!("{sentence} ({header})"),
        None => sentence,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_in_order_and_each_names_its_source() {
        assert!(
            ENTRIES
                .is_sorted_by(|a, b| (a.name, a.parameters.len()) < (b.name, b.parameters.len()))
        );
        for entry in ENTRIES {
            assert!(
                entry.source.starts_with("paper §") || entry.source.contains(".hpp"),
                "{entry:?}"
            );
            assert!(!entry.sentence.ends_with('.'), "{entry:?}");
        }
    }

    #[test]
    fn a_function_leads_to_the_paper_or_to_its_header() {
        let paper = source_link("composition").unwrap();
        assert!(paper.contains(", §") && paper.ends_with("](https://arxiv.org/abs/2603.02298)"));
        for name in ["cp_async_wait", "fill"] {
            let header = source_link(name).unwrap();
            let (shown, address) = header.split_once("](").unwrap();
            let path = shown.strip_prefix("[cute/").unwrap();
            assert_eq!(address, format!("{}{path})", headers::ADDRESS));
        }
        assert_eq!(source_link("make_tea"), None);
    }

    #[test]
    fn a_function_has_an_entry_for_each_number_of_parameters() {
        let lines: Vec<String> = of("make_layout").map(Entry::signature).collect();
        assert_eq!(lines, ["make_layout(shape)", "make_layout(shape, stride)"]);
        assert_eq!(of("make_tea").count(), 0);
    }
}
