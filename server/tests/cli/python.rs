//! Python sources through the command line.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::ask::ask;

/// Writes a file below a folder.
fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

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
    let write = |path: &str, text: &str| write(folder.path(), path, text);
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
    assert!(with.contains("var tile: Layout (16,8):(1,16)\n"), "{with}");
}

#[test]
fn what_tests_and_programs_of_the_project_make_is_known_in_the_module_that_declares_it() {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| write(folder.path(), path, text);
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
        ("(4,8):(1,4)", "test_run[4], one of 2"),
        ("(16,8):(1,16)", "test_run[16], one of 2"),
    ] {
        let line = found.lines().find(|line| line.contains(value));
        assert!(line.is_some_and(|line| line.contains(test)), "{found}");
    }
    fs::remove_file(folder.path().join("tests/test_run.py")).unwrap();
    let found = layouts();
    assert!(!found.contains("(4,8)"), "{found}");
}

#[test]
fn a_kernel_that_nothing_makes_is_supposed_for_a_module_that_it_imports() {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    write("cute-analyzer.toml", "");
    write("lib/__init__.py", "");
    write(
        "lib/copies.py",
        "import cutlass.cute as cute\n\n@cute.jit\ndef whole(tile):\n    rows = cute.make_layout((tile, 8))\n\n\
         @cute.jit\ndef gathered(tile):\n    indices = cute.make_layout((tile, 2))\n\n\
         @cute.jit\ndef never(tile):\n    other = cute.make_layout((tile, 4))\n",
    );
    write(
        "lib/kernel.py",
        "import cutlass.cute as cute\nfrom cutlass import const_expr\nfrom . import copies\n\nclass Kernel:\n    \
         def __init__(self, tile_m: int, gather: bool = False):\n        self.tile_m = tile_m\n        \
         self.gather = gather\n\n    @cute.jit\n    def __call__(self):\n        \
         copies.whole(self.tile_m)\n        if const_expr(self.gather):\n            copies.gathered(self.tile_m)\n",
    );
    let copies = folder.path().join("lib/copies.py");
    let found = ask(&["layouts", copies.to_str().unwrap()])
        .ends_with(0)
        .stdout;
    let line = |name: &str| {
        let line = found.lines().find(|line| line.contains(name));
        line.unwrap_or_default().to_owned()
    };
    let rows = line("var rows");
    assert!(rows.contains("(128,8):(1,128)"), "{found}");
    assert!(rows.contains("supposed: Kernel(tile_m=128)"), "{found}");
    let indices = line("var indices");
    assert!(indices.contains("(128,2):(1,128)"), "{found}");
    assert!(
        indices.contains("supposed: Kernel(tile_m=128, gather=True)"),
        "{found}"
    );
    assert!(line("var other").contains("Unknown"), "{found}");
    let counted = ask(&["layouts", "--unknown", copies.to_str().unwrap()]);
    let counted = counted.ends_with(0).stdout;
    assert!(
        counted.contains("layouts declared: 2 known, 0 symbolic, 1 unknown; 2 known ones only in supposed instances"),
        "{counted}"
    );
}

#[test]
fn who_uses_a_kernel_says_which_instances_are_shown_and_else_its_own_example_does() {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    write("cute-analyzer.toml", "");
    write(
        "kernel.py",
        "import cutlass.cute as cute\n\nclass Kernel:\n    def __init__(self, tile):\n        self.tile = tile\n\n    \
         @cute.jit\n    def __call__(self):\n        made = cute.make_layout((self.tile, 8))\n\n\
         def run(tile):\n    only = cute.make_layout(tile)\n    cute.compile(Kernel(tile))\n\n\
         if __name__ == '__main__':\n    run(2)\n",
    );
    let kernel = folder.path().join("kernel.py");
    let layouts = || {
        ask(&["layouts", kernel.to_str().unwrap()])
            .ends_with(0)
            .stdout
    };
    assert!(layouts().contains("var made: Layout (2,8):(1,2)\n"));
    // A test is one more instance, another program the one that matters.
    write(
        "test_kernel.py",
        "import cutlass.cute as cute\nfrom kernel import Kernel\n\ndef test_small():\n    cute.compile(Kernel(4))\n",
    );
    let found = layouts();
    assert!(found.contains("made: Layout (2,8):(1,2)"), "{found}");
    assert!(found.contains("made: Layout (4,8):(1,4)"), "{found}");
    write(
        "program.py",
        "import cutlass.cute as cute\nfrom kernel import Kernel\n\ncute.compile(Kernel(16))\n",
    );
    let found = layouts();
    assert!(!found.contains("made: Layout (2,8)"), "{found}");
    assert!(found.contains("made: Layout (4,8):(1,4)"), "{found}");
    assert!(found.contains("made: Layout (16,8):(1,16)"), "{found}");
    // What only the example runs is its own.
    assert!(found.contains("var only: Layout 2:1"), "{found}");
    // Many calls of a function in the example leave room for those of the program.
    write(
        "kernel.py",
        "import cutlass\nimport cutlass.cute as cute\n\nclass Kernel:\n    def __init__(self, tile):\n        self.tile = tile\n\n    \
         @cute.jit\n    def __call__(self):\n        for rows in cutlass.range_constexpr(40):\n            self.layout_of(rows + 1)\n\n    \
         def layout_of(self, rows):\n        made = cute.make_layout((self.tile, rows))\n\n\
         if __name__ == '__main__':\n    cute.compile(Kernel(2))\n",
    );
    let found = layouts();
    assert!(!found.contains("made: Layout (2,"), "{found}");
    assert!(found.contains("made: Layout (16,1):(1,0)"), "{found}");
}

#[test]
fn a_module_that_a_package_imports_on_a_condition_is_known_to_its_users() {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| write(folder.path(), path, text);
    write("cute-analyzer.toml", "");
    write(
        "lib/__init__.py",
        "from elsewhere import is_there\n\nif is_there():\n    from .kernel import Kernel\n    \
         from . import sizes\nelse:\n    Kernel = None\n",
    );
    write("lib/sizes.py", "ROWS = 4\n");
    write(
        "lib/kernel.py",
        "import cutlass.cute as cute\nfrom lib.sizes import ROWS\n\nclass Kernel:\n    @cute.jit\n    \
         def __call__(self):\n        made = cute.make_layout((ROWS, 8))\n",
    );
    write(
        "program.py",
        "import cutlass.cute as cute\nfrom lib.kernel import Kernel\nimport lib\n\ncute.compile(Kernel())\n\
         maybe = cute.make_layout(4 if lib.Kernel is None else 8)\n",
    );
    let layouts = |file: &str| {
        let file = folder.path().join(file);
        let file = file.to_str().unwrap();
        ask(&["layouts", file]).ends_with(0).stdout
    };
    let found = layouts("lib/kernel.py");
    assert!(found.contains("var made: Layout (4,8):(1,4)"), "{found}");
    // What the package itself has under its name is still open.
    let found = layouts("program.py");
    assert!(found.contains("var maybe: Unknown"), "{found}");
}

#[test]
fn values_are_printed_as_the_dsl_prints_them_and_read_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("words.py");
    let text = "import cutlass\nimport cutlass.cute as cute\n\n@cute.jit\ndef words():\n    \
         atom = cute.make_layout((8, 64), stride=(64, 1))\n    \
         inner = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, atom)\n    \
         order = (1, None)\n    flag = True\n    one = (16,)\n    dtype = cutlass.BFloat16\n    \
         crd = cute.make_identity_tensor((8, 4))\n    \
         smem = cutlass.utils.SmemAllocator()\n    \
         tile = smem.allocate_tensor(cutlass.Float16, atom, 128, cute.make_swizzle(3, 4, 3))\n\nwords()\n";
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let layouts = ask(&["layouts", path]).ends_with(0).stdout;
    for line in [
        "var inner: ComposedLayout S<3,4,3> o 0 o (8,64):(64,1)",
        "var order: tuple (1, None)",
        "var flag: bool True",
        "var one: tuple (16,)",
        "var dtype: type BFloat16",
        "var crd: Tensor (8,4):(1@0,1@1)",
    ] {
        assert!(layouts.contains(line), "{line}\n{layouts}");
    }
    let json = ask(&["layouts", "--format", "json", path])
        .ends_with(0)
        .stdout;
    assert!(
        json.contains(r#""print":"tensor<ptr<f16, smem, S<3,4,3>> o (8,64):(64,1)>""#),
        "{json}"
    );
    let hints = ask(&["hints", path]).ends_with(0).stdout;
    assert!(hints.contains("S<3,4,3> o 16b o (8,64):(64,1)"), "{hints}");
    let hover = ask(&["hover", &format!("{path}:7:5")]).ends_with(0).stdout;
    assert!(hover.contains("S<3,4,3> o 0 o (8,64):(64,1)"), "{hover}");
    // What is printed is read.
    let read = ask(&["eval", "S<3,4,3> o 0 o (8,64):(64,1)"])
        .ends_with(0)
        .stdout;
    assert!(read.contains("Sw<3,4,3> o 0 o (8,64):(64,1)"), "{read}");
}

#[test]
fn names_and_attributes_that_the_dsl_s_makers_fill_are_counted() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("counted.py");
    let text = "import cutlass\nimport cutlass.cute as cute\n\nclass Kernel:\n    def __init__(self, elsewhere):\n        \
                self.tile = cute.make_layout((4, 8))\n        self.count = 3\n        \
                self.atom = cute.make_copy_atom(elsewhere, cutlass.Float16)\n\n    \
                def parts(self, atom, smem, gmem, other):\n        \
                first, second = cute.nvgpu.cpasync.tma_partition(atom, 0, self.tile, smem, gmem)\n        \
                row = first[None, 0]\n        number = other(first)\n\nkernel = Kernel(open('x'))\n";
    fs::write(&path, text).unwrap();
    let answer = ask(&["layouts", "--unknown", path.to_str().unwrap()]).ends_with(0);
    // `self.tile` is known; `self.atom`, the two parts and the row of one are not; numbers are not layouts.
    let line = "layouts declared: 1 known, 0 symbolic, 4 unknown";
    assert!(answer.stdout.contains(line), "{}", answer.stdout);
}

#[test]
fn a_summary_is_in_the_words_of_the_dsl() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("words.py");
    let text = "import cutlass\nimport cutlass.cute as cute\n\n@cute.kernel\ndef kernel():\n    \
                smem = cutlass.utils.SmemAllocator()\n    \
                tile = smem.allocate_tensor(cutlass.Float16, cute.make_layout((8, 64)), 128, cute.make_swizzle(3, 4, 3))\n\n\
                @cute.jit\ndef entry():\n    kernel().launch(grid=[1, 1, 1], block=[32, 1, 1])\n\ncute.compile(entry)\n";
    fs::write(&path, text).unwrap();
    let answer = ask(&["summary", path.to_str().unwrap()]).ends_with(0);
    let line = "tile: Float16 (8,64):(1,8) under S<3,4,3> = 1,024 B";
    assert!(answer.stdout.contains(line), "{}", answer.stdout);
}

/// A kernel that copies with a predicate.
const COPIES: &str = "\
import cutlass
import cutlass.cute as cute


@cute.kernel
def move(atom: cute.CopyAtom, source: cute.Tensor, target: cute.Tensor, inside: cute.Tensor):
    cute.copy(atom, source, target, pred=inside)
";

#[test]
fn what_a_version_of_the_dsl_does_wrong_is_said_of_projects_that_have_it() {
    let said = |files: &[(&str, &str)]| {
        let folder = TempDir::new().unwrap();
        for (path, text) in files.iter().chain(&[("kernel.py", COPIES)]) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let kernel = folder.path().join("kernel.py");
        let kernel = kernel.to_str().unwrap();
        let answer = ask(&["check", "--format", "json", kernel]);
        answer.stdout.matches("known-fault").count()
    };
    let project = |dependency: &str| {
        format!("[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"{dependency}\"]\n")
    };
    let asked = |dependency: &str| said(&[("pyproject.toml", &project(dependency))]);
    assert_eq!(asked("nvidia-cutlass-dsl[cu13]==4.5.1"), 1);
    let lock = |version: &str, libraries: &str| {
        format!(
            "[[package]]\nname = \"nvidia-cutlass-dsl\"\nversion = \"{version}\"\n\n[[package]]\n\
             name = \"nvidia-cutlass-dsl-libs-{libraries}\"\nversion = \"{version}\"\n"
        )
    };
    let any = project("nvidia-cutlass-dsl");
    let locked = |lock: &str| said(&[("pyproject.toml", &any), ("uv.lock", lock)]);
    assert_eq!(locked(&lock("4.5.0", "cu13")), 1);
    // Other versions, other libraries, no exact version.
    assert_eq!(asked("nvidia-cutlass-dsl[cu13]==4.5.2"), 0);
    assert_eq!(asked("nvidia-cutlass-dsl==4.5.1"), 0);
    assert_eq!(asked("nvidia-cutlass-dsl[cu13]>=4.5.1"), 0);
    assert_eq!(locked(&lock("4.5.0", "cu12")), 0);
    assert_eq!(said(&[]), 0);
}
