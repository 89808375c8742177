//! Real files that are typed letter by letter; `cargo xtask typing` types more of them.

use std::path::Path;

use cute_tests::oracles::cutlass;
use cute_tests::typing::{files, type_letters};

/// Letters of all files together.
const LETTERS: usize = 500;

#[test]
fn files_that_are_typed_letter_by_letter_lose_no_process_and_no_answer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = files(&root, &cutlass());
    let binary = Path::new(env!("CARGO_BIN_EXE_cute-analyzer"));
    for (number, file) in files.iter().enumerate() {
        let counts = type_letters(binary, file, LETTERS / files.len(), number as u64);
        assert_eq!(counts.letters, LETTERS / files.len());
        assert!(counts.answered >= counts.letters);
        assert!(
            counts.overtaken < counts.answered,
            "{}: nothing was answered",
            file.path.display()
        );
    }
}
