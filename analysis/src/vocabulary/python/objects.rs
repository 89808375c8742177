//! The functions of the CuTe DSL that take or give objects of Python, and the members of its values. Our model of the DSL
//! (`python/dsl`) evaluates them by their names.

use crate::vocabulary::{Call, Evaluated, Function, Header, Makes, entry, python_words};

/// Only our model of the DSL calls them: their arguments are objects of Python.
pub(super) fn on_objects(call: &Call<'_>) -> Evaluated {
    Err(call.not_evaluated())
}

/// An entry: module or class, name, parameters as Python takes them, and sentence; then its other names in the same way.
macro_rules! of_dsl {
    ($of:literal, $name:literal, $params:literal, $doc:literal $(, ($others:literal, $other:literal, $takes:literal))* $(,)?) => {
        entry(
            concat!($of, ".", $name),
            concat!($of, ".", $name, "(", $params, ")"),
            $doc,
            on_objects,
        )
        .header(Header::Python)
        .python(&[
            python_words::on_objects($of, $name, $params),
            $(python_words::on_objects($others, $other, $takes)),*
        ])
    };
}
pub(super) use of_dsl;

/// Functions of its modules.
pub(in crate::vocabulary) const FUNCTIONS: &[Function] = &[
    of_dsl!(
        "cutlass.cute",
        "E",
        "mode",
        "a unit vector of coordinates: 1@0 for the first mode"
    ),
    of_dsl!(
        "cutlass.cute",
        "ScaledBasis",
        "value mode",
        "a number times a unit vector of coordinates"
    ),
    of_dsl!(
        "cutlass.cute",
        "leading_dim",
        "shape stride",
        "the mode whose stride is 1",
        ("Tensor", "leading_dim", "self")
    ),
    of_dsl!(
        "cutlass.cute",
        "make_mma_atom",
        "op **named",
        "the atom of an MMA operation"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "cutlass.cute",
        "make_copy_atom",
        "op copy_internal_type num_bits_per_copy= **named",
        "the atom of a copy operation for elements of a type"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "cutlass.cute.nvgpu.tcgen05",
        "get_s2t_smem_desc_tensor",
        "atom smem_tensor",
        "the descriptors of a tensor in shared memory, for a copy to tensor memory"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "cutlass.cute",
        "autovec_copy",
        "src dst **named",
        "copies a tensor with the widest vectors that both layouts allow"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "basic_copy",
        "src dst",
        "copies a tensor element by element"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "alloc_tmem",
        "num_columns= *rest **named",
        "allocates columns of tensor memory"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "setmaxregister_increase",
        "reg_count= **named",
        "raises the limit of registers of each thread in the warpgroup",
        (
            "cutlass.cute.arch",
            "warpgroup_reg_alloc",
            "reg_count= **named"
        )
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute.arch",
        "setmaxregister_decrease",
        "reg_count= **named",
        "lowers the limit of registers of each thread in the warpgroup",
        (
            "cutlass.cute.arch",
            "warpgroup_reg_dealloc",
            "reg_count= **named"
        )
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "TensorSSA",
        "value shape dtype **named",
        "the elements of a tensor as a value"
    )
    .makes(Makes::Layout)
    .assembled(),
    of_dsl!(
        "cutlass.cute.nvgpu.tcgen05",
        "make_umma_smem_desc",
        "src layout major next_src= **named",
        "the descriptor of a matrix in shared memory"
    ),
    of_dsl!(
        "cutlass.cute",
        "size_in_bytes",
        "dtype layout",
        "the bytes of the elements that a layout reaches"
    ),
    of_dsl!(
        "cutlass.cute",
        "sym_int",
        "width= divisibility= symbol= **named",
        "an extent that is known at run time, with what divides it",
        (
            "cutlass.cute",
            "sym_int32",
            "_= divisibility= symbol= **named"
        ),
        (
            "cutlass.cute",
            "sym_int64",
            "_= divisibility= symbol= **named"
        )
    ),
    of_dsl!(
        "cutlass.cute",
        "compile",
        "function *args **named",
        "traces and compiles a host function for its arguments"
    ),
    of_dsl!(
        "cutlass.cute",
        "jit",
        "*args **named",
        "makes a function one that is traced on the host",
        ("cutlass", "jit", "*args **named")
    ),
    of_dsl!(
        "cutlass.cute",
        "kernel",
        "*args **named",
        "makes a function a kernel"
    ),
    of_dsl!(
        "cutlass",
        "dsl_user_op",
        "*args **named",
        "makes a function an operation that takes loc and ip"
    ),
    of_dsl!("cutlass", "dtype", "name", "the numeric type of a name"),
    of_dsl!(
        "cutlass",
        "dynamic_expr",
        "value",
        "says that a condition is the program's, not the trace's"
    ),
    of_dsl!(
        "cutlass",
        "if_generate",
        "condition then else_body= input_args= return_types=",
        "an if of the program, with its two branches as functions"
    ),
    of_dsl!(
        "cutlass",
        "is_dynamic_expression",
        "value",
        "whether a value is known at run time only"
    ),
    of_dsl!(
        "cutlass",
        "range",
        "*bounds **named",
        "a loop of the program",
        ("cutlass", "range_dynamic", "*bounds **named")
    ),
    of_dsl!(
        "cutlass",
        "range_constexpr",
        "*bounds **named",
        "a loop that the trace unrolls"
    ),
];

/// Members of its values.
pub(in crate::vocabulary) const MEMBERS: &[Function] = &[
    of_dsl!(
        "Layout",
        "value",
        "self",
        "the value itself, as MLIR has it",
        ("ComposedLayout", "value", "self"),
        ("Tensor", "value", "self"),
        ("Tensor", "ir_value", "self **named"),
        ("Integer", "ir_value", "self **named"),
        ("Numeric", "ir_value", "self **named"),
        ("Pointer", "type", "self")
    ),
    of_dsl!(
        "Pointer",
        "swizzle_type",
        "self",
        "the swizzle of a pointer"
    ),
    of_dsl!(
        "Swizzle",
        "num_base",
        "self",
        "the lowest bits of an offset that a swizzle keeps"
    ),
    of_dsl!(
        "Swizzle",
        "num_bits",
        "self",
        "how many bits of an offset a swizzle changes"
    ),
    of_dsl!(
        "Swizzle",
        "num_shift",
        "self",
        "how far above the changed bits those are that change them"
    ),
    of_dsl!(
        "Tensor",
        "store",
        "self data **named",
        "writes a value to the elements of a tensor"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "Tensor",
        "load",
        "self **named",
        "the elements of a tensor as a value"
    )
    .makes(Makes::Layout)
    .assembled(),
    of_dsl!(
        "Tensor",
        "mark_compact_shape_dynamic",
        "self mode stride_order= divisibility=",
        "makes the extent of a mode one that is known at run time"
    )
    .makes(Makes::Layout)
    .assembled(),
    of_dsl!(
        "Tensor",
        "mark_layout_dynamic",
        "self leading_dim=",
        "makes extents and strides known at run time, but a stride of 1"
    )
    .makes(Makes::Layout)
    .assembled(),
    of_dsl!(
        "Tensor",
        "memspace",
        "self",
        "the memory of a tensor or pointer",
        ("Pointer", "memspace", "self")
    ),
    of_dsl!(
        "Tensor",
        "reduce",
        "self op init_val= reduction_profile= **named",
        "reduces the elements of a value, or each of its modes that a profile names"
    )
    .makes(Makes::Layout)
    .assembled(),
    of_dsl!(
        "Tensor",
        "to",
        "self dtype",
        "a value with elements of another type",
        ("Integer", "to", "self dtype"),
        ("Numeric", "to", "self dtype")
    )
    .makes(Makes::Layout)
    .assembled(),
    of_dsl!(
        "Tensor",
        "dtype",
        "self",
        "the type of the elements",
        ("Tensor", "element_type", "self"),
        ("Pointer", "dtype", "self"),
        ("Pointer", "value_type", "self")
    ),
    of_dsl!(
        "Pointer",
        "align",
        "self bytes",
        "the same pointer, known to be a multiple of some bytes"
    ),
    of_dsl!(
        "Pointer",
        "toint",
        "self **named",
        "the address as an integer"
    ),
    of_dsl!(
        "CopyAtom",
        "get",
        "self field",
        "a field that an operation reads at run time",
        ("MmaAtom", "get", "self field")
    ),
    of_dsl!(
        "CopyAtom",
        "set",
        "self field value",
        "sets a field that an operation reads at run time",
        ("MmaAtom", "set", "self field value")
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "CopyAtom",
        "layout_dst_tv",
        "self",
        "the thread-value layout of the elements that an atom writes"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "CopyAtom",
        "layout_src_tv",
        "self",
        "the thread-value layout of the elements that an atom reads"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "CopyAtom",
        "op",
        "self",
        "the operation of an atom",
        ("MmaAtom", "op", "self")
    ),
    of_dsl!(
        "CopyAtom",
        "thr_id",
        "self",
        "the threads that execute an atom together",
        ("MmaAtom", "thr_id", "self")
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "CopyAtom",
        "value_type",
        "self",
        "the type of the elements that an atom copies"
    ),
    of_dsl!(
        "MmaAtom",
        "shape_mnk",
        "self",
        "the extents M, N and K of an atom"
    ),
    of_dsl!(
        "MmaAtom",
        "tv_layout_A",
        "self",
        "the thread-value layout of an atom's operand A"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "MmaAtom",
        "tv_layout_B",
        "self",
        "the thread-value layout of an atom's operand B"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "MmaAtom",
        "tv_layout_C",
        "self",
        "the thread-value layout of an atom's operand C"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "ThrCopy",
        "thr_idx",
        "self",
        "the thread of a slice",
        ("ThrMma", "thr_idx", "self")
    ),
    of_dsl!(
        "TiledCopy",
        "layout_tv_tiled",
        "self",
        "the thread-value layout of a tiled copy"
    )
    .makes(Makes::Layout)
    .of_instructions(),
    of_dsl!(
        "TiledCopy",
        "tiler_mn",
        "self",
        "the tile that a tiled copy moves"
    ),
    of_dsl!(
        "TiledMma",
        "permutation_mnk",
        "self",
        "the tiler that permutes M, N and K"
    ),
];
