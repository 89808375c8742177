//! Rust sources through the command line.

use std::fs;

use tempfile::TempDir;

use crate::ask::{ask, command};

#[test]
fn the_layouts_of_the_examples() {
    let layouts = |file| ask(&["layouts", file]).ends_with(0).stdout;
    insta::assert_snapshot!("layouts_rust_algebra", layouts("examples/rust/algebra.rs"));
    insta::assert_snapshot!("layouts_rust_cute_rs", layouts("examples/rust/cute_rs.rs"));
    insta::assert_snapshot!("layouts_rust_cutile", layouts("examples/rust/cutile.rs"));
    let kernels = ["layouts", "--accesses", "examples/rust/kernels.rs"];
    insta::assert_snapshot!("accesses_rust_kernels", ask(&kernels).ends_with(0).stdout);
}

#[test]
fn the_examples_are_right() {
    let answer = ask(&["check", "examples/rust"]).ends_with(0);
    assert_eq!(answer.stdout, "0 errors, 0 warnings in 6 files\n");
}

#[test]
fn conventions_and_units_are_named() {
    let hover = |place| ask(&["hover", place]).ends_with(0).stdout;
    insta::assert_snapshot!(hover("examples/rust/cuda_oxide.rs:9:10"), @r"
    alias Chunks: Swizzle, known at compile time
    Sw<3,3,3>
    <3,3,6> of cuda-oxide: absolute shift, elements; Sw<3,3,3> in CuTe's convention
    on bytes Sw<3,4,3> for 16-bit elements, Sw<3,5,3> for 32-bit elements
    ");
    insta::assert_snapshot!(hover("examples/rust/cubecl.rs:8:9"), @r"
    swizzle: Swizzle, known at compile time
    Sw<3,4,3> on bytes
    <3,4,3> of CubeCL: relative shift, bytes; Sw<3,4,3> in CuTe's convention
    on 16-bit elements Sw<3,3,3>, on 32-bit elements Sw<3,2,3>
    128B swizzle of TMA
    ");
    insta::assert_snapshot!(hover("examples/rust/cute_rs.rs:20:6"), @r"
    alias ADesc: ComposedLayout, known at compile time
    Sw<3,4,3> o smem_ptr[16b](unset) o (_128,_64):(_64,_1)
    16-bit elements in shared memory, 16384 bytes
    32 lanes along mode 0, one element each: 4-way bank conflict; 32 lanes along mode 1: no bank conflict
    size 8192, cosize 8192, rank 2
    Sw<3,4,3> on bytes, Sw<3,3,3> on 16-bit elements
    128B swizzle of TMA
    ");
}

#[test]
fn the_same_layout_in_three_languages_has_the_same_hover() {
    let folder = TempDir::new().unwrap();
    let hover = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let line = text.lines().count();
        let column = text
            .lines()
            .last()
            .and_then(|line| line.find("tile"))
            .unwrap()
            + 1;
        let place = format!("{}:{line}:{column}", path.display());
        ask(&["hover", &place]).ends_with(0).stdout
    };
    let cuda = hover(
        "a.cu",
        "using namespace cute;\nauto tile = make_layout(Shape<Shape<_2,_4>,_8>{}, Stride<Stride<_1,_16>,_2>{});\n",
    );
    let rust = hover(
        "a.rs",
        "use cute_algebra::layout;\nfn f() { let tile = layout!(((2, 4), 8):((1, 16), 2)); }\n",
    );
    let typed = hover(
        "b.rs",
        "use cute_rs::*;\ntype tile = L<T2<T2<C<2>, C<4>>, C<8>>, T2<T2<C<1>, C<16>>, C<2>>>;\n",
    );
    let python = hover(
        "a.py",
        "import cutlass.cute as cute\ntile = cute.make_layout(((2, 4), 8), stride=((1, 16), 2))\n",
    );
    assert!(cuda.contains("((_2,_4),_8):((_1,_16),_2)"), "{cuda}");
    assert_eq!(rust, cuda);
    assert_eq!(typed, cuda.replace("tile:", "alias tile:"));
    // The DSL prints no underscores.
    let words = cuda.replace("((_2,_4),_8):((_1,_16),_2)", "((2,4),8):((1,16),2)");
    assert_eq!(python, words);
}

#[test]
fn the_modules_of_a_crate_are_read() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    write("Cargo.toml", "[package]\nname = \"kernels\"\n");
    write(
        "src/lib.rs",
        "mod sizes;\nmod tiles;\n#[path = \"other/place.rs\"]\nmod far;\n",
    );
    write(
        "src/sizes.rs",
        "pub mod deep;\npub const BM: usize = 128;\n",
    );
    write(
        "src/sizes/deep.rs",
        "pub const BK: usize = super::BM / 2;\n",
    );
    write("src/other/place.rs", "pub type Unit = cute_rs::C<1>;\n");
    let tiles = write(
        "src/tiles/mod.rs",
        "use crate::far::Unit;\nuse crate::sizes::{self, deep::BK as DEPTH};\nuse cute_rs::{C, L, T2};\n\
         pub type A = L<T2<C<{ sizes::BM }>, C<DEPTH>>, T2<C<DEPTH>, Unit>>;\n",
    );
    let answer = ask(&["layouts", tiles.to_str().unwrap()])
        .ends_with(0)
        .stdout;
    assert!(
        answer.contains("alias A: Layout (_128,_64):(_64,_1)"),
        "{answer}"
    );
}

#[test]
fn names_that_no_path_leads_to_a_crate_mean_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other.rs");
    let text = "struct Layout;\nimpl Layout { fn new(a: (i32, i32), b: (i32, i32)) -> Self { Layout } }\n\
                fn f() { let a = Layout::new((4, 8), (1, 4)); let b = composition(&a, &a); }\n";
    fs::write(&path, text).unwrap();
    let answer = ask(&["layouts", path.to_str().unwrap()]).ends_with(0);
    assert_eq!(answer.stdout, "");
}

#[test]
fn crates_of_a_manifest_are_read() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"kernels\", \"tiles\", \"sizes\"]\n\
         [workspace.dependencies]\nsizes = { path = \"sizes\" }\n",
    );
    write(
        "kernels/Cargo.toml",
        "[package]\nname = \"my-kernels\"\n[dependencies]\ntiles = { path = \"../tiles\" }\n\
         sizes.workspace = true\ncute = { package = \"cute-rs\", git = \"https://example.org/cute\" }\n\
         device = { package = \"cuda-device\", path = \"../vendor/device\" }\n",
    );
    write(
        "tiles/Cargo.toml",
        "[package]\nname = \"tiles\"\n[dependencies]\nsizes.workspace = true\n",
    );
    write(
        "tiles/src/lib.rs",
        "pub mod index;\npub fn pitch() -> usize { sizes::DIM + 1 }\n",
    );
    write(
        "tiles/src/index.rs",
        "pub fn flat(y: usize, x: usize) -> usize { y * crate::pitch() + x }\n",
    );
    write(
        "sizes/Cargo.toml",
        "[package]\nname = \"sizes\"\n[lib]\npath = \"sizes.rs\"\n",
    );
    write("sizes/sizes.rs", "pub const DIM: usize = 32;\n");
    write("kernels/src/lib.rs", "pub const ROWS: usize = 4;\n");
    write(
        "kernels/src/main.rs",
        "use cute::{C, L, T2};\nuse device::{kernel, thread, DisjointSlice, SharedArray};\n\
         use tiles::index::*;\n\
         type Tile = L<T2<C<8>, C<4>>, T2<C<4>, C<1>>>;\n\
         #[kernel]\n#[launch_bounds(256)]\npub fn put(input: &[f32], mut out: DisjointSlice<f32>) {\n\
         \x20   static mut TILE: SharedArray<f32, 1056> = SharedArray::UNINIT;\n\
         \x20   let x = (thread::threadIdx_x() % 32) as usize;\n\
         \x20   let y = (thread::threadIdx_x() / 32) as usize;\n\
         \x20   unsafe { TILE[flat(y, x) * my_kernels::ROWS / 4] = input[x]; }\n}\n",
    );
    let main = folder.path().join("kernels/src/main.rs");
    let main = main.to_str().unwrap();
    let layouts = ask(&["layouts", main]).ends_with(0).stdout;
    assert!(layouts.contains("(_8,_4):(_4,_1)"), "{layouts}");
    let accesses = ask(&["layouts", "--accesses", main]).ends_with(0).stdout;
    assert!(accesses.contains("(32,8):(1,33)"), "{accesses}");
    // Without the manifest, neither the library nor the crates are known.
    fs::remove_file(folder.path().join("kernels/Cargo.toml")).unwrap();
    let layouts = ask(&["layouts", main]).ends_with(0).stdout;
    assert!(!layouts.contains("(_8,_4):(_4,_1)"), "{layouts}");
}

/// A crate that comes from a repository is read where cargo keeps the revision that the lock file names.
#[test]
fn crates_of_repositories_are_read() {
    const REVISION: &str = "1f2e3d4c5b6a79880123456789abcdef01234567";
    let (folder, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let write = |path: std::path::PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let own = |name: &str| folder.path().join(name);
    let copy = home
        .path()
        .join("git/checkouts/layouts-0a1b2c3d4e5f6071/1f2e3d4");
    write(
        own("Cargo.toml"),
        "[package]\nname = \"kernels\"\n[dependencies]\n\
         tile-sizes = { git = \"https://example.org/layouts.git\", branch = \"main\" }\n",
    );
    let source = format!("git+https://example.org/layouts.git?branch=main#{REVISION}");
    write(
        own("Cargo.lock"),
        &format!(
            "version = 4\n[[package]]\nname = \"tile-sizes\"\nversion = \"0.1.0\"\nsource = \"{source}\"\n"
        ),
    );
    write(
        own("src/main.rs"),
        "use cute_rs::{C, L};\ntype A = L<C<{ tile_sizes::ROWS }>, C<1>>;\nfn main() {}\n",
    );
    write(
        copy.join("Cargo.toml"),
        "[workspace]\nmembers = [\"crates/*\"]\n",
    );
    write(
        copy.join("crates/sizes/Cargo.toml"),
        "[package]\nname = \"tile-sizes\"\n",
    );
    write(
        copy.join("crates/sizes/src/lib.rs"),
        "pub const ROWS: usize = 48;\n",
    );
    let main = own("src/main.rs");
    let layouts = |home: &std::path::Path| {
        let mut asked = command(&["layouts", main.to_str().unwrap()]);
        let answer = asked.env("CARGO_HOME", home).output().unwrap();
        String::from_utf8(answer.stdout).unwrap()
    };
    assert!(layouts(home.path()).contains("_48:_1"));
    // Without a copy nothing is read.
    let unknown = layouts(&own("nothing"));
    assert!(!unknown.contains("_48"), "{unknown}");
}
