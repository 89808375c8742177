//! Bounds of the paths that a source names: its project, the repository around it, and the folders that flags or the
//! build name.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::ask::{Answer, ask};

/// A folder with files: one outside of the project, and a project that names it.
struct Tree(TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Self(TempDir::new().unwrap());
        tree.write("outside/size.h", "constexpr int K = 8;\n");
        tree.write("work/a.cu", SOURCE);
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn layouts(&self, name: &str, more: &[&str]) -> Answer {
        let path = self.path(name);
        let mut arguments = vec!["layouts", path.to_str().unwrap()];
        arguments.extend(more);
        ask(&arguments).ends_with(0)
    }

    /// Whether the size of the header outside is known, and nothing is refused; or refused, and said.
    #[track_caller]
    fn is_read(&self, more: &[&str]) -> bool {
        let answer = self.layouts("work/a.cu", more);
        let is_known = answer.stdout.contains("_8:_1");
        let is_refused = answer.stderr.contains("leads out of the workspace, to ");
        assert_ne!(is_known, is_refused, "{}{}", answer.stdout, answer.stderr);
        is_known
    }
}

/// Checks that a layout is not known, and that this is said of a file.
#[track_caller]
fn is_refused(answer: &Answer, layout: &str, said: &str) {
    let Answer { stdout, stderr, .. } = answer;
    assert!(!stdout.contains(layout), "{stdout}");
    assert!(stderr.contains(said), "{stderr}");
}

const SOURCE: &str = "#include \"../outside/size.h\"\nusing namespace cute;\n\
                      void f() { auto l = make_layout(Int<K>{}); }\n";

#[test]
fn an_include_leads_into_the_project_and_what_is_refused_is_said() {
    let tree = Tree::new();
    assert!(!tree.is_read(&[]));
    let place = format!("{}:1:14", tree.path("work/a.cu").display());
    let hover = ask(&["hover", &place]).ends_with(0).stdout;
    assert!(
        hover.contains("`../outside/size.h` is not read: it leads out of the workspace, to "),
        "{hover}"
    );
    assert!(hover.contains("name its folder with -I"), "{hover}");
    let rows = tree.layouts("work/a.cu", &["--unknown"]);
    assert!(
        rows.stdout
            .contains("      1  `../outside/size.h` is not read"),
        "{}",
        rows.stdout
    );
    assert!(
        rows.stderr.contains("leads out of the workspace"),
        "{}",
        rows.stderr
    );
    let missing = tree.write("work/b.cu", "#include \"gone.h\"\n");
    let place = format!("{}:1:12", missing.display());
    let hover = ask(&["hover", &place]).ends_with(0).stdout;
    assert!(
        hover.contains("`gone.h` cannot be read: no such file"),
        "{hover}"
    );
}

#[test]
fn flags_the_build_and_a_repository_widen_it() {
    let tree = Tree::new();
    let outside = tree.path("outside");
    assert!(tree.is_read(&["-I", outside.to_str().unwrap()]));

    let tree = Tree::new();
    let build = r#"[{"directory": ".", "file": "a.cu", "command": "nvcc -I../outside -c a.cu"}]"#;
    tree.write("work/compile_commands.json", build);
    assert!(tree.is_read(&[]));

    let tree = Tree::new();
    tree.write("work/.clangd", "CompileFlags:\n  Add: [-I../outside]\n");
    assert!(tree.is_read(&[]));

    let tree = Tree::new();
    tree.write("work/cute-analyzer.toml", "");
    assert!(!tree.is_read(&[]));
    fs::create_dir(tree.path(".git")).unwrap();
    assert!(tree.is_read(&[]));
}

#[cfg(unix)]
#[test]
fn a_link_leads_where_it_leads() {
    use std::os::unix::fs::symlink;

    let tree = Tree::new();
    let link = |from: &str, to: &str| symlink(tree.path(from), tree.path(to)).unwrap();
    link("outside/size.h", "work/size.h");
    link("outside", "work/linked");
    fs::create_dir(tree.path("work/sub")).unwrap();
    for name in ["size.h", "linked/size.h", "sub/../linked/size.h"] {
        let text = SOURCE.replace("../outside/size.h", name);
        tree.write("work/a.cu", &text);
        assert!(!tree.is_read(&[]), "{name}");
    }
    // The folder that a flag names is read, where it leads.
    let linked = tree.path("work/linked");
    assert!(tree.is_read(&["-I", linked.to_str().unwrap()]));
}

#[test]
fn a_module_of_a_crate_is_in_its_project() {
    let tree = Tree::new();
    tree.write("outside/sizes.rs", "pub const K: usize = 8;\n");
    let lib = "#[path = \"../../outside/sizes.rs\"]\nmod sizes;\nuse cute_rs::{C, L};\n\
               pub type A = L<C<{ sizes::K }>, C<1>>;\n";
    tree.write("work/src/lib.rs", lib);
    tree.write("work/Cargo.toml", "[package]\nname = \"kernels\"\n");
    is_refused(
        &tree.layouts("work/src/lib.rs", &[]),
        "_8:_1",
        "`../../outside/sizes.rs` is not read: it leads out of",
    );
    let place = format!("{}:1:14", tree.path("work/src/lib.rs").display());
    let hover = ask(&["hover", &place]).ends_with(0).stdout;
    assert!(hover.contains("leads out of the workspace"), "{hover}");
    let near = lib.replace("../../outside", "../near");
    tree.write("work/near/sizes.rs", "pub const K: usize = 8;\n");
    tree.write("work/src/lib.rs", &near);
    let read = tree.layouts("work/src/lib.rs", &[]);
    assert!(read.stdout.contains("_8:_1"), "{}", read.stdout);
    assert_eq!(read.stderr, "");
}

#[cfg(unix)]
#[test]
fn a_module_of_python_is_in_the_project_or_its_environment() {
    let tree = Tree::new();
    tree.write("outside/sizes.py", "K = 8\n");
    let source = tree.write(
        "work/a.py",
        "import cutlass.cute as cute\nfrom sizes import K\n\n@cute.jit\ndef f():\n    l = cute.make_layout(K)\n\nf()\n",
    );
    let link = tree.path("work/sizes.py");
    std::os::unix::fs::symlink(tree.path("outside/sizes.py"), &link).unwrap();
    is_refused(
        &tree.layouts("work/a.py", &[]),
        "8:1",
        "`sizes` is not read: it leads out of the workspace",
    );
    fs::remove_file(&link).unwrap();
    fs::copy(tree.path("outside/sizes.py"), &link).unwrap();
    let read = tree.layouts("work/a.py", &[]);
    assert!(read.stdout.contains("8:1"), "{}", read.stdout);
    fs::remove_file(Path::new(&link)).unwrap();
    let outside = tree.path("outside");
    let named = ["--python", outside.to_str().unwrap()];
    let read = tree.layouts(
        source
            .strip_prefix(tree.0.path())
            .unwrap()
            .to_str()
            .unwrap(),
        &named,
    );
    assert!(read.stdout.contains("8:1"), "{}", read.stdout);
    assert_eq!(read.stderr, "");
}
