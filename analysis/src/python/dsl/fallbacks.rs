//! Source texts of our own for functions of tuples, and for what `cutlass.utils` and `cutlass.pipeline` have where no wheel
//! is installed.

/// The text of a file of the prelude.
macro_rules! prelude {
    ($path:literal) => {
        include_str!(concat!("../prelude/cutlass/", $path))
    };
}

/// Modules with their texts.
pub(super) static PRELUDE: &[(&str, &str)] =
    &[("cutlass.cute._algebra", prelude!("cute/algebra.py"))];
