//! The CuTe layout algebra.
//!
//! **Knows** integers (known or symbolic), hierarchical tuples, strides, layouts, swizzles, and
//! every operation on them.
//! **Must never know** source text, files, GPUs, or LSP.
#![forbid(unsafe_code)]
