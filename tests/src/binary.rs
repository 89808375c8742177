//! The binary of `cute-analyzer`.

use std::path::PathBuf;

/// The binary that cargo built beside the running test.
///
/// # Panics
/// When it is not there. A check that cannot run has not passed.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let binary = folder.join(format!("cute-analyzer{}", std::env::consts::EXE_SUFFIX));
    assert!(
        binary.is_file(),
        "{} is missing: cargo build -p cute-analyzer",
        binary.display()
    );
    binary
}
