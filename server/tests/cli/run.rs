//! `run`: a layout's address program against the algebra.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::ask::ask;

#[test]
fn every_offset_is_computed_and_compared_on_the_processor() {
    let answer = ask(&["run", "(8,(4,2)):(4,(1,32))", "--device", "auto"]).ends_with(0);
    assert_eq!(
        answer.stdout.lines().last(),
        Some("64 of 64 offsets compared (all): each is the algebra's")
    );
    let place = answer.stdout.lines().next().unwrap_or_default();
    assert!(place.contains(": 8 instructions: run on "), "{place}");
}

#[test]
fn a_copy_is_run_and_every_element_looked_up() {
    let answer = ask(&[
        "run",
        "(64,64):(64,1)",
        "--copy-to",
        "Sw<3,3,3> o 0 o (64,64):(64,1)",
        "--element-bits",
        "16",
        "--device",
        "cpu",
    ])
    .ends_with(0);
    assert!(
        answer
            .stdout
            .contains("every element is where the algebra says")
    );
    assert!(
        answer.stdout.contains("8192 bytes moved, 16 at once"),
        "{}",
        answer.stdout
    );
    let meeting = ask(&["run", "4:1", "--copy-to", "4:0"]).ends_with(1);
    assert!(
        meeting.stderr.contains("not-injective"),
        "{}",
        meeting.stderr
    );
}

#[test]
fn bank_conflicts_are_counted() {
    let column = ask(&["run", "32:32", "--experiment", "banks", "--device", "cpu"]).ends_with(0);
    assert!(
        column
            .stdout
            .contains("32 wavefronts, 1 without conflicts (model)")
    );
}

#[test]
fn a_tile_loaded_by_tma_is_where_the_swizzle_says() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";
    let answer = ask(&["run", tile, "--experiment", "tma", "--device", "cpu"]).ends_with(0);
    for said in [
        "512 elements of the first box are where the layout says",
        "box [64, 8] of 1024 bytes, 1 instructions a tile",
    ] {
        assert!(answer.stdout.contains(said), "{}", answer.stdout);
    }
}

#[test]
fn a_plan_is_shown_and_not_run() {
    let plan = ask(&["run", "(8,8):(8,1)", "--plan"]).ends_with(0);
    assert!(
        plan.stdout
            .contains("launch layout_offsets<<<1, 256, 0>>>(buffer 0, 64)")
    );
    assert!(plan.stdout.contains(".visible .entry layout_offsets"));
}

/// A driver's library that answers as real ones do where there is no device, and one from before
/// the functions that are needed.
#[test]
fn a_driver_without_a_device_and_one_too_old_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let without_device = symbols("return 100;");
    let cases = [
        (without_device.as_str(), "finds no device"),
        (
            "int cuInit(unsigned flags) { return 0; }",
            "too old: it has no",
        ),
    ];
    for (source, said) in cases {
        let library = folder.path().join("libcuda.so.1");
        std::fs::write(folder.path().join("driver.c"), source).unwrap();
        let built = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-w", "-o"])
            .args([&library, &folder.path().join("driver.c")])
            .status()
            .unwrap();
        assert!(built.success());
        let answer = std::process::Command::new(env!("CARGO_BIN_EXE_cute-analyzer"))
            .args(["run", "8:1", "--device", "cuda"])
            .env("LD_LIBRARY_PATH", folder.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&answer.stderr);
        assert_eq!(answer.status.code(), Some(1), "{errors}");
        assert!(errors.contains(said), "{errors}");
    }
}

/// Every function that is looked up, each with one body.
fn symbols(body: &str) -> String {
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/../runner/src/cuda/driver.rs");
    let text = std::fs::read_to_string(driver).unwrap();
    text.lines()
        .filter_map(|line| line.trim().split_once(" = \"cu"))
        .filter_map(|(_, rest)| rest.split_once("\": fn("))
        .fold(String::new(), |text, (name, _)| {
            text + &format!("int cu{name}() {{ {body} }}\n")
        })
}

#[test]
fn a_huge_layout_is_sampled_and_says_so() {
    let layout = "(1048576,1048576):(1,1048576)";
    let answer = ask(&["run", layout, "--format", "json"]).ends_with(0);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer["exhaustive"], false);
    assert_eq!(answer["agrees"], true);
    assert_eq!(answer["size"], 1_i64 << 40);
}

#[test]
fn what_cannot_be_run_is_refused_with_the_reason() {
    let symbolic = ask(&["run", "(M,4):(4,1)"]).ends_with(1);
    assert!(
        symbolic.stderr.contains("not-provable"),
        "{}",
        symbolic.stderr
    );
    ask(&["run", "(8,"]).ends_with(2);
}

#[test]
fn the_annotated_layouts_of_a_file_are_run_each_by_itself() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("annotated.cu");
    let source = "void f(int m) {\n  \
        // cute: run offsets\n  auto rows = make_layout(Shape<_8,_4>{}, LayoutRight{});\n  \
        /* cute: run n=4 */\n  auto some = make_layout(Shape<_8,_8>{});\n  \
        // cute: run copy dst=rows\n  auto columns = make_layout(Shape<_8,_4>{});\n  \
        // cute: run banks\n  auto lanes = make_layout(Shape<_32>{}, Stride<_2>{});\n}\n";
    fs::write(&path, source).unwrap();
    let file = path.to_str().unwrap();
    let answer = ask(&["run", file, "--device", "cpu"]).ends_with(0);
    let verdicts: Vec<&str> = answer
        .stdout
        .lines()
        .filter(|line| line.contains("compared") || line.contains("algebra says"))
        .collect();
    assert_eq!(verdicts.len(), 3, "{}", answer.stdout);
    assert!(verdicts[0].starts_with("32 of 32 "), "{}", answer.stdout);
    assert!(verdicts[1].starts_with("4 of 64 "), "{}", answer.stdout);
    assert!(
        answer.stdout.contains(&format!("{file}:9 lanes\n")),
        "{}",
        answer.stdout
    );
    assert!(
        answer.stdout.contains(&format!("{file}:3 rows\n")),
        "{}",
        answer.stdout
    );
    // One line: that of the comment, or that of the layout.
    for line in [4, 5] {
        let one = ask(&["run", &format!("{file}:{line}"), "--device", "cpu"]).ends_with(0);
        assert!(
            one.stdout.starts_with(&format!("{file}:5 some\n")),
            "{}",
            one.stdout
        );
        assert!(!one.stdout.contains("rows"), "{}", one.stdout);
    }
}

#[test]
fn what_a_directive_cannot_run_is_refused_with_the_reason() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("refused.py");
    let source = "import cutlass\nimport cutlass.cute as cute\n\ndef f(m: cutlass.Int32):\n    \
        # cute: run\n    open = cute.make_layout((m, 4))\n    \
        # cute: run banks n=4\n    rows = cute.make_layout(4)\n    \
        # cute: run copy dst=elsewhere\n    more = cute.make_layout(4)\n    \
        # cute: run\n    number = 4\n";
    fs::write(&path, source).unwrap();
    let file = path.to_str().unwrap();
    let answer = ask(&["run", file, "--device", "cpu"]).ends_with(1);
    for reason in [
        "refused.py:6 open: not-provable",
        "refused.py:8 rows: only offsets can be sampled",
        "refused.py:10 more: no `elsewhere` is declared",
        "refused.py:12 number: is no layout, but a int",
    ] {
        assert!(
            answer.stderr.contains(reason),
            "{reason}: {}",
            answer.stderr
        );
    }
    let none = ask(&["run", &format!("{file}:1")]).ends_with(1);
    assert!(
        none.stderr.contains("no layout stands behind"),
        "{}",
        none.stderr
    );
}
