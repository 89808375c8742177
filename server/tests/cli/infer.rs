//! `infer`: from offsets to a layout.

use crate::ask::{ask, ask_with};

#[test]
fn a_table_becomes_a_layout() {
    let answer = ask(&["infer", "0", "8", "16", "24", "1", "9", "17", "25"]).ends_with(0);
    assert_eq!(answer.stdout, "(4,2):(8,1)\n");
    assert_eq!(
        ask(&["infer", "0", "-1", "-2"]).ends_with(0).stdout,
        "3:-1\n"
    );
}

#[test]
fn a_swizzle_is_recognised() {
    let offsets: Vec<String> = (0..64).map(|i| (i ^ (i >> 3)).to_string()).collect();
    let answer = ask(&["infer", &offsets.join(",")]).ends_with(0);
    assert_eq!(answer.stdout, "Sw<3,0,3> o 0 o 64:1\n");
}

#[test]
fn what_is_no_table_is_refused() {
    ask(&["infer", "0", "eight"]).ends_with(2);
    ask(&["infer"]).ends_with(2);
    ask(&["infer", ""]).ends_with(1);
}

#[test]
fn a_stream_of_tables() {
    let answer = ask_with(&["infer", "--stdin"], b"[0,1,2,3]\nzero\n\n0 2 4").ends_with(0);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", answer.stdout);
    assert_eq!(lines[0], r#"{"result":"4:1","kind":"layout"}"#);
    assert!(lines[1].starts_with(r#"{"error":"#) && lines[2].starts_with(r#"{"error":"#));
    assert_eq!(lines[3], r#"{"result":"3:2","kind":"layout"}"#);
}

#[test]
fn a_function_of_a_source_becomes_a_layout() {
    let folder = tempfile::tempdir().unwrap();
    let cuda = folder.path().join("index.cu");
    let text = "template <int W> __device__ int swizzled(int r, int c) { return r * W + (c ^ (r & 7) * 4); }\n\
                namespace a { __device__ int rows(int c, int r) { int q = r * 40; if (c >= 16) q += 4; return q + c + 5; } }\n\
                __device__ int square(int i) { return i * i; }\n";
    std::fs::write(&cuda, text).unwrap();
    let rust = folder.path().join("index.rs");
    let text = "use cuda_device::swizzle::Swizzle;\n\
                fn at(r: usize, c: usize) -> usize { Swizzle::<3, 2, 5>::apply(r * 32 + c) }\n";
    std::fs::write(&rust, text).unwrap();
    let asked = |name: &str, shape: &str, file: &std::path::Path| {
        let file = file.to_str().unwrap();
        ask(&["infer", "--function", name, "--shape", shape, "--in", file])
    };
    for (name, shape, file, layout) in [
        (
            "swizzled<32>",
            "(8,32)",
            &cuda,
            "Sw<3,2,3> o 0 o (8,32):(32,1)\n",
        ),
        ("a::rows", "(32,4)", &cuda, "((16,2),4):((1,20),40) + 5\n"),
        ("at", "(8,32)", &rust, "Sw<3,2,3> o 0 o (8,32):(32,1)\n"),
    ] {
        assert_eq!(asked(name, shape, file).ends_with(0).stdout, layout);
    }
    let none = asked("square", "(32)", &cuda).ends_with(1);
    assert!(
        none.stderr
            .contains("no layout has the offsets of `square`"),
        "{}",
        none.stderr
    );
    let unknown = asked("other", "(32)", &cuda).ends_with(1);
    assert!(
        unknown.stderr.contains("are not known"),
        "{}",
        unknown.stderr
    );
    asked("square", "(5000)", &cuda).ends_with(2);
    asked("square", "(x)", &cuda).ends_with(2);
}
