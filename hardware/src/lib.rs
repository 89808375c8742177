//! What NVIDIA hardware prescribes to layouts.
//!
//! **Knows** MMA and copy atoms, shared- and global-memory models, TMA maps, matrix descriptors,
//! address programs and their PTX text.
//! **Must never know** source text, LSP, or the CUDA driver.
#![forbid(unsafe_code)]
