//! Executes layout plans.
//!
//! **Knows** a plan (buffers, program, launch, expectation), its CPU executor and its CUDA executor.
//! **Must never know** editors or source text.
