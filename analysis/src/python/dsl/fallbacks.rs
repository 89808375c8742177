//! Source texts for functions of tuples, and for members of `cutlass.utils` and `cutlass.pipeline` where no wheel is
//! installed.

/// The text of a file of the prelude.
macro_rules! prelude {
    ($path:literal) => {
        include_str!(concat!("../prelude/cutlass/", $path))
    };
}

/// Modules with their texts.
pub(super) static PRELUDE: &[(&str, &str)] = &[
    ("cutlass.cute._algebra", prelude!("cute/algebra.py")),
    ("cutlass.memory", prelude!("memory.py")),
    ("cutlass.pipeline", prelude!("pipeline/__init__.py")),
    ("cutlass.tensor_utils", prelude!("tensor_utils.py")),
    ("cutlass.utils", prelude!("utils/__init__.py")),
    (
        "cutlass.utils.blackwell_helpers",
        prelude!("utils/blackwell_helpers.py"),
    ),
    (
        "cutlass.utils.blockscaled_layout",
        prelude!("utils/blockscaled_layout.py"),
    ),
    (
        "cutlass.utils.hopper_helpers",
        prelude!("utils/hopper_helpers.py"),
    ),
    ("cutlass.utils.layout", prelude!("utils/layout.py")),
    (
        "cutlass.utils.static_persistent_tile_scheduler",
        prelude!("utils/static_persistent_tile_scheduler.py"),
    ),
    (
        "cutlass.utils.tensor_helpers",
        prelude!("utils/tensor_helpers.py"),
    ),
    (
        "cutlass.utils.tmem_allocator",
        prelude!("utils/tmem_allocator.py"),
    ),
];
