//! Python sources through the command line.

use std::fs;

use tempfile::TempDir;

use crate::ask::ask;

#[test]
fn the_hints_of_the_examples() {
    let hints = |file| ask(&["hints", file]).ends_with(0).stdout;
    insta::assert_snapshot!("hints_elementwise", hints("examples/python/elementwise.py"));
    insta::assert_snapshot!("hints_smem_tile", hints("examples/python/smem_tile.py"));
}

#[test]
fn a_wrong_composition_is_found_with_its_coordinate_and_a_remedy() {
    let answer = ask(&["check", "examples/python"]).ends_with(1);
    insta::assert_snapshot!("check_python", answer.stdout);
}

#[test]
fn modules_of_the_project_and_of_the_named_environment_are_read() {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("project/tiles/__init__.py", "");
    write("project/tiles/sizes.py", "ROWS = 16\n");
    write(
        "project/tiles/kernel.py",
        "import cutlass.cute as cute\nfrom .sizes import ROWS\nfrom widths import COLUMNS\n\
         tile = cute.make_layout((ROWS, COLUMNS))\n",
    );
    write(
        "env/lib/python3.11/site-packages/widths.py",
        "COLUMNS = 8\n",
    );
    let path = |path: &str| folder.path().join(path).to_str().unwrap().to_owned();
    let kernel = path("project/tiles/kernel.py");
    let without = ask(&["layouts", &kernel]).ends_with(0).stdout;
    assert!(
        without.contains("var tile: Unknown (`widths.COLUMNS` is not declared in any file read)"),
        "{without}"
    );
    let env = path("env");
    let with = ask(&["layouts", "--python", &env, &kernel])
        .ends_with(0)
        .stdout;
    assert!(
        with.contains("var tile: Layout (_16,_8):(_1,_16)\n"),
        "{with}"
    );
}

#[test]
fn what_tests_and_programs_of_the_project_make_is_known_in_the_module_that_declares_it() {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("cute-analyzer.toml", "");
    write("lib/__init__.py", "");
    write(
        "lib/kernel.py",
        "import cutlass.cute as cute\n\nclass Kernel:\n    def __init__(self, tile):\n        self.tile = tile\n\n    \
         @cute.jit\n    def __call__(self):\n        made = cute.make_layout((self.tile, 8))\n",
    );
    // A function that a test calls makes the object.
    write(
        "lib/interface.py",
        "import cutlass.cute as cute\nfrom .kernel import Kernel\n\ndef run(tile):\n    cute.compile(Kernel(tile))\n",
    );
    write(
        "tests/test_run.py",
        "import pytest\nfrom lib.interface import run\n\n@pytest.mark.parametrize('tile', [4, 16])\n\
         def test_run(tile):\n    run(tile)\n",
    );
    let path = |path: &str| folder.path().join(path).to_str().unwrap().to_owned();
    let layouts = || {
        ask(&["layouts", &path("lib/kernel.py")])
            .ends_with(0)
            .stdout
    };
    let found = layouts();
    for (value, test) in [
        ("(_4,_8):(_1,_4)", "test_run[4], one of 2"),
        ("(_16,_8):(_1,_16)", "test_run[16], one of 2"),
    ] {
        let line = found.lines().find(|line| line.contains(value));
        assert!(line.is_some_and(|line| line.contains(test)), "{found}");
    }
    fs::remove_file(folder.path().join("tests/test_run.py")).unwrap();
    let found = layouts();
    assert!(!found.contains("(_4,_8)"), "{found}");
}
