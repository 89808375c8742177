//! The folders of the CUTLASS sources and of the headers of the CUDA toolkit that some checks read.

use std::path::PathBuf;

/// The environment variable that names a folder with the CUTLASS sources (`include`, `examples`).
pub const CUTLASS_VARIABLE: &str = "CUTE_CUTLASS";

/// The CUTLASS sources: where [`CUTLASS_VARIABLE`] says, else where `cargo xtask fetch` puts them.
///
/// # Panics
/// When they are not there. A check that cannot run has not passed.
pub fn cutlass() -> PathBuf {
    let fetched = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/oracles/cutlass");
    let folder = std::env::var_os(CUTLASS_VARIABLE).map_or(fetched, PathBuf::from);
    assert!(
        folder.join("include/cute").is_dir(),
        "no CUTLASS sources in {}: run `cargo xtask fetch`, or set {CUTLASS_VARIABLE}",
        folder.display()
    );
    folder
}

/// The sources of `FlashAttention`, where `cargo xtask fetch` puts them: `csrc/flash_attn/src`, `flash_attn/cute`.
///
/// # Panics
/// When they are not there. A check that cannot run has not passed.
pub fn flash_attention() -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/oracles/flash-attention");
    assert!(
        folder
            .join("csrc/flash_attn/src/flash_fwd_kernel.h")
            .is_file(),
        "no sources of FlashAttention in {}: run `cargo xtask fetch`",
        folder.display()
    );
    folder
}

/// The sources of a project, where `cargo xtask fetch` puts them: `natten`, `xformers`, `causal-conv1d`, `flashinfer`.
///
/// # Panics
/// When they are not there. A check that cannot run has not passed.
pub fn project(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../target/oracles")
        .join(name);
    assert!(
        folder.is_dir(),
        "no sources of {name} in {}: run `cargo xtask fetch`",
        folder.display()
    );
    folder
}

/// The include folder of the CUDA toolkit, where `cargo xtask fetch` puts it.
///
/// # Panics
/// When it is not there. A check that cannot run has not passed.
pub fn cuda_include() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../target/oracles/cuda/nvidia/cu13/include");
    assert!(
        folder.join("cuda_runtime_api.h").is_file(),
        "no headers of CUDA in {}: run `cargo xtask fetch`",
        folder.display()
    );
    folder
}
