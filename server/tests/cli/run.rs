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
            .contains("every element is where the algebra predicts")
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

#[test]
fn a_plan_is_data_for_scripts() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)";
    let arguments = [
        "run",
        tile,
        "--experiment",
        "wgmma",
        "--plan",
        "--format",
        "json",
    ];
    let plan = ask(&arguments).ends_with(0);
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(plan["kernel"], "wgmma_product");
    assert_eq!(plan["target"], "sm_90a");
    assert_eq!(plan["launch"]["threads"], 128);
    assert_eq!(plan["buffers"][0]["bytes"], 8192);
    assert_eq!(plan["arguments"][4]["long"], "0x4000004000010000");
}

#[test]
fn fragments_of_a_swizzled_tile_are_where_the_layout_says() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";
    for (experiment, atom) in [
        ("ldmatrix", "SM75_U32x4_LDSM_N"),
        ("stmatrix", "SM90_U32x4_STSM_N"),
    ] {
        let answer =
            ask(&["run", tile, "--experiment", experiment, "--device", "cpu"]).ends_with(0);
        for said in [
            atom,
            "256 elements are where the layout says",
            "4 wavefronts, 4 without conflicts (model)",
        ] {
            assert!(answer.stdout.contains(said), "{}", answer.stdout);
        }
    }
    let refused = ask(&[
        "run",
        "(8,8):(9,1)",
        "--experiment",
        "ldmatrix",
        "--element-bits",
        "16",
    ]);
    let refused = refused.ends_with(1);
    assert!(
        refused.stderr.contains("misaligned-start"),
        "{}",
        refused.stderr
    );
}

#[test]
fn tensor_cores_read_a_tile_through_the_previewed_descriptor() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)";
    let answer = ask(&["run", tile, "--experiment", "wgmma", "--device", "cpu"]).ends_with(0);
    for said in [
        "4096 elements are the tile's own",
        "64 by 64 by 64, SM90_64x64x16_F32F16F16_SS",
        "descriptors 0x4000004000010000 of A",
    ] {
        assert!(answer.stdout.contains(said), "{}", answer.stdout);
    }
    let wide = "Sw<2,4,3> o smem_ptr[16b](unset) o (_128,_32):(_32,_1)";
    let arguments = [
        "run",
        wide,
        "--experiment",
        "tcgen05",
        "--times",
        wide,
        "--seed",
        "5",
        "--device",
        "cpu",
    ];
    let product = ask(&arguments).ends_with(0);
    for said in [
        "16384 elements are the product's",
        "random integers, seed 5",
    ] {
        assert!(product.stdout.contains(said), "{}", product.stdout);
    }
}

#[test]
fn matrices_of_any_layouts_are_multiplied() {
    // Windows of a row: a convolution.
    let arguments = [
        "(120,9):(1,1)",
        "--times",
        "(16,9):(9,1)",
        "--into",
        "(120,16):(1,120)",
    ];
    let answer = ask(&[&["run"], &arguments[..], &["--device", "cpu"]].concat()).ends_with(0);
    let said = "1920 sums are those of the definition";
    assert!(answer.stdout.contains(said), "{}", answer.stdout);
    let unfit = [
        "run",
        "(4,4):(4,1)",
        "--times",
        "(4,5):(5,1)",
        "--into",
        "(4,4):(4,1)",
    ];
    let unfit = ask(&unfit).ends_with(1);
    assert!(unfit.stderr.contains("rank-mismatch"), "{}", unfit.stderr);
    ask(&["run", "(4,4):(4,1)", "--times", "(4,5):(5,1)"]).ends_with(2);
}

#[test]
fn a_tile_is_loaded_from_the_tensor_that_is_named() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";
    let arguments = [
        "run",
        tile,
        "--experiment",
        "tma",
        "--tensor",
        "(100,256):(256,_1)",
        "--device",
        "cpu",
    ];
    let answer = ask(&arguments).ends_with(0);
    assert!(
        answer.stdout.contains("from (_100,_256):(_256,_1)"),
        "{}",
        answer.stdout
    );
}

#[test]
fn the_table_agrees_on_the_processor() {
    let answer = ask(&["run", "--table", "--device", "cpu"]).ends_with(0);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    let (summary, rows) = lines.split_last().unwrap();
    assert!(
        rows.len() >= 40 && rows.iter().all(|row| row.starts_with("ok ")),
        "{rows:?}"
    );
    assert_eq!(
        *summary,
        format!(
            "{} agree, 0 differ, 0 failed, 0 need another device; run on the CPU (as asked)",
            rows.len()
        )
    );
}

#[test]
fn what_takes_too_long_or_too_much_memory_is_stopped_before_it_hurts() {
    let products = [
        "(4096,16):(16,1)",
        "--times",
        "(1024,16):(16,1)",
        "--into",
        "(4096,1024):(1024,1)",
    ];
    let limited = [
        &["run"],
        &products[..],
        &["--time-limit", "1", "--device", "cpu"],
    ]
    .concat();
    let late = ask(&limited).ends_with(1);
    assert!(
        late.stderr.contains("took longer than 1 s"),
        "{}",
        late.stderr
    );
    let vast = ask(&["run", "(2,2):(1,2)", "--copy-to", "(2,2):(1,1000000000000)"]).ends_with(1);
    assert!(vast.stderr.contains("limit"), "{}", vast.stderr);
}

#[test]
fn a_history_is_kept_where_it_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("runs.jsonl");
    let path = file.to_str().unwrap();
    for layout in ["8:1", "(2,4):(4,1)"] {
        ask(&["run", layout, "--device", "cpu", "--history", path]).ends_with(0);
    }
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["report"]["layout"], "(_2,_4):(_4,_1)");
    assert!(lines[0]["unix_time"].as_u64().unwrap() > 1_700_000_000);
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

/// The fixtures order the same of a layout in CUDA, in Rust and in comments.
#[test]
fn what_a_source_orders_is_run_in_every_language() {
    for (name, expected) in [
        (
            "orders.cu",
            &[
                "rows",
                "32 of 32 offsets",
                "some",
                "4 of 64 offsets",
                "columns",
                "every element is where the algebra predicts",
                "lanes",
                "2 wavefronts, 1 without conflicts (model)",
                "tile",
                "512 elements of the first box",
                "operand",
                "4096 elements are the tile's own",
                "fragments",
                "256 elements are where the layout says",
                "(8,(4,2)):(4,(1,32))",
                "64 of 64 offsets",
            ][..],
        ),
        (
            "orders.rs",
            &[
                "rows",
                "32 of 32 offsets",
                "some",
                "4 of 64 offsets",
                "columns",
                "every element is where the algebra predicts",
                "lanes",
                "2 wavefronts, 1 without conflicts (model)",
                "plain",
                "512 elements of the first box",
            ],
        ),
        (
            "orders.py",
            &[
                "(8,(4,2)):(4,(1,32))",
                "64 of 64 offsets",
                "(_32):(_2)",
                "2 wavefronts, 1 without conflicts (model)",
                "(_8,_64):(_64,_1)",
                "512 elements of the first box",
                "(_64,_64):(_64,_1)",
                "16 of 4096 offsets",
            ],
        ),
    ] {
        let file = format!("server/tests/cli/fixtures/{name}");
        let answer = ask(&["run", &file, "--device", "cpu"]).ends_with(0);
        let mut rest = answer.stdout.as_str();
        for said in expected {
            let at = rest.find(said);
            let at = at.unwrap_or_else(|| panic!("{name}: {said} in\n{}", answer.stdout));
            rest = &rest[at + said.len()..];
        }
    }
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
        .filter(|line| line.contains("compared") || line.contains("algebra predicts"))
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
        "refused.py:12 number: is not a layout but a int",
    ] {
        assert!(
            answer.stderr.contains(reason),
            "{reason}: {}",
            answer.stderr
        );
    }
    let none = ask(&["run", &format!("{file}:1")]).ends_with(1);
    assert!(none.stderr.contains("no layout follows"), "{}", none.stderr);
}
