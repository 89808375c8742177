//! A driver's library that replaces NVIDIA's, compiled from `driver.c`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder below `scratch` that has the library as `libcuda.so.1`; it is built once in a process. The environment variable
/// `STANDIN` chooses its fault.
pub fn driver(scratch: &Path) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let built = FOLDER.get_or_init(|| {
        let folder = scratch.join("stand-in-driver");
        std::fs::create_dir_all(&folder).expect("a folder for the library");
        build(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src/driver.c"),
            &folder,
        );
        folder
    });
    built.clone()
}

/// Compiles a source to `libcuda.so.1` in a folder.
pub fn build(source: &Path, folder: &Path) {
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .arg(source)
        .status()
        .expect("a C compiler");
    assert!(status.success(), "{} does not compile", source.display());
}
