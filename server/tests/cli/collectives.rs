//! Kernels of collective builders: hovers, `summary`, and what a pipeline is told of them.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::ask::{ask, root};

/// A kernel of the builders; of SM90, or of another architecture with its own schedule.
const GEMM: &str = r"
using TileShape = cute::Shape<cute::_128, cute::_128, cute::_64>;
using ClusterShape = cute::Shape<cute::_2, cute::_1, cute::_1>;

using CollectiveEpilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, TileShape, ClusterShape,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float,
    cutlass::half_t, cutlass::layout::RowMajor, 8,
    cutlass::half_t, cutlass::layout::RowMajor, 8,
    cutlass::epilogue::TmaWarpSpecializedCooperative>::CollectiveOp;

using CollectiveMainloop = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp,
    cutlass::half_t, cutlass::layout::RowMajor, 8,
    cutlass::half_t, cutlass::layout::ColumnMajor, 8,
    float, TileShape, ClusterShape,
    cutlass::gemm::collective::StageCountAutoCarveout<
        static_cast<int>(sizeof(typename CollectiveEpilogue::SharedStorage))>,
    cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;

using GemmKernel = cutlass::gemm::kernel::GemmUniversal<
    cute::Shape<int, int, int, int>, CollectiveMainloop, CollectiveEpilogue>;

using Stages = cute::Int<CollectiveMainloop::DispatchPolicy::Stages>;
using Layout = typename CollectiveMainloop::SmemLayoutAtomA;
constexpr int bytes = sizeof(typename GemmKernel::SharedStorage);
";

/// The carveout without which the epilogue does not fit.
const CARVEOUT: &str = "cutlass::gemm::collective::StageCountAutoCarveout<
        static_cast<int>(sizeof(typename CollectiveEpilogue::SharedStorage))>";

struct Fixture {
    folder: TempDir,
    source: PathBuf,
}

impl Fixture {
    fn of(text: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let source = folder.path().join("gemm.cu");
        fs::write(&source, text).unwrap();
        Self { folder, source }
    }

    fn path(&self) -> &str {
        self.source.to_str().unwrap()
    }

    fn other(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn hover(&self, name: &str) -> String {
        let text = fs::read_to_string(&self.source).unwrap();
        let declared = format!("using {name} =");
        let line = text.lines().position(|line| line.starts_with(&declared));
        let place = format!("{}:{}:8", self.path(), line.unwrap() + 1);
        ask(&["hover", &place]).ends_with(0).stdout
    }
}

#[test]
fn a_builder_is_shown_with_what_it_picks() {
    let fixture = Fixture::of(GEMM);
    let names = [
        "CollectiveEpilogue",
        "CollectiveMainloop",
        "GemmKernel",
        "Stages",
        "Layout",
    ];
    let shown: Vec<String> = names.iter().map(|name| fixture.hover(name)).collect();
    insta::assert_snapshot!("collective_hovers", shown.join("\n"));
}

#[test]
fn the_path_of_a_tile_is_about_ten_lines() {
    let fixture = Fixture::of(GEMM);
    let text = ask(&["summary", fixture.path()]).ends_with(0).stdout;
    assert!(text.lines().count() <= 12, "{text}");
    insta::assert_snapshot!("collective_summary", text);
    let row = ask(&["summary", fixture.path(), "--format", "json"]).ends_with(0);
    let row: Value = serde_json::from_str(&row.stdout).unwrap();
    assert_eq!(row["name"], "GemmKernel");
    assert_eq!(row["path"][1]["bytes"], 32768);
}

#[test]
fn a_kernel_that_is_written_out_has_its_path() {
    let text = ask(&["summary", "examples/tiled_gemm.cu"])
        .ends_with(0)
        .stdout;
    for at in ["gmem", "smem"] {
        assert!(text.contains(at), "{text}");
    }
    insta::assert_snapshot!("summary_tiled_gemm", text);
}

#[test]
fn stages_that_leave_the_epilogue_no_room_are_found() {
    let fixture = Fixture::of(&GEMM.replace(CARVEOUT, "cutlass::gemm::collective::StageCountAuto"));
    let answer = ask(&["check", fixture.path(), "--format", "json"]).ends_with(1);
    let row: Value = serde_json::from_str(answer.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(row["rule"], "smem-exceeds-capacity");
    assert_eq!(row["numbers"]["capacity"], 232_448);
    assert_eq!(answer.stdout.lines().count(), 1);
}

#[test]
fn another_version_of_cutlass_is_said() {
    let fixture = Fixture::of(GEMM);
    let headers = fixture.folder.path().join("include/cutlass");
    fs::create_dir_all(&headers).unwrap();
    let version = "#pragma once\n#define CUTLASS_MAJOR 3\n#define CUTLASS_MINOR 9\n";
    fs::write(headers.join("version.h"), version).unwrap();
    let answer = ask(&["layouts", fixture.path(), "-I", &fixture.other("include")]).ends_with(0);
    assert!(
        answer.stdout.contains(
            "the include path has CUTLASS 3.9, but only the builders of 4.2 are modelled"
        ),
        "{}",
        answer.stdout
    );
}

#[test]
fn what_changed_since_a_snapshot_is_said_and_what_moved_is_not() {
    let fixture = Fixture::of(GEMM);
    let lock = fixture.other("layouts.lock");
    let path = fixture.path();
    ask(&["layouts", path, "--snapshot", &lock]).ends_with(0);
    ask(&["layouts", path, "--diff", &lock]).ends_with(0);
    fs::write(&fixture.source, format!("\n\n{GEMM}")).unwrap();
    ask(&["layouts", path, "--diff", &lock]).ends_with(0);
    fs::write(&fixture.source, GEMM.replace("cute::_64>;", "cute::_32>;")).unwrap();
    let changed = ask(&["layouts", path, "--diff", &lock]).ends_with(1).stdout;
    assert!(
        changed.contains("CollectiveMainloop: TmaTransactionBytes from 32768 to 16384"),
        "{changed}"
    );
    assert!(
        changed.contains("Stages: value from _6 to _12"),
        "{changed}"
    );
    fs::write(&lock, "{}").unwrap();
    ask(&["layouts", path, "--diff", &lock]).ends_with(2);
}

#[test]
fn what_a_kernel_takes_and_its_lines_cost_is_kept_in_a_snapshot() {
    let text = fs::read_to_string(root().join("examples/pipeline.cu")).unwrap();
    let fixture = Fixture::of(&text);
    let lock = fixture.other("layouts.lock");
    let path = fixture.path();
    ask(&["layouts", path, "--snapshot", &lock]).ends_with(0);
    let mut shown = String::new();
    for (from, to) in [
        (
            "#include <cute/tensor.hpp>",
            "// One line more.\n#include <cute/tensor.hpp>",
        ),
        ("using Stages = _2;", "using Stages = _3;"),
        (" + sizeof(make_tensor_like(tensor<0>(tBsB)));", ";"),
        (
            "multiply<<<grid, 128, bytes>>>",
            "multiply<<<grid, 256, bytes>>>",
        ),
        ("SM90_64x128x16_", "SM90_64x64x16_"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&fixture.source, text.replace(from, to)).unwrap();
        let changed = ask(&["layouts", path, "--diff", &lock]).stdout;
        shown.extend(["==== ", from, " -> ", to, "\n"]);
        let figures = changed
            .lines()
            .filter_map(|line| line.strip_prefix(path))
            .filter(|line| line.contains(": budget ") || line.contains(": cost "));
        shown.extend(figures.flat_map(|line| [line, "\n"]));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn findings_of_a_baseline_are_not_reported_again() {
    let folder = TempDir::new().unwrap();
    let known = folder.path().join("known.json");
    let answer = ask(&["check", "examples", "--format", "json"]).ends_with(1);
    fs::write(&known, answer.stdout).unwrap();
    let known = known.to_str().unwrap();
    let answer = ask(&["check", "examples", "--baseline", known]).ends_with(0);
    assert!(
        answer.stdout.starts_with("0 errors, 0 warnings"),
        "{}",
        answer.stdout
    );
    fs::write(known, "no finding\n").unwrap();
    ask(&["check", "examples", "--baseline", known]).ends_with(2);
}

#[test]
fn annotations_of_a_workflow_name_file_line_and_rule() {
    let answer = ask(&["check", "examples", "--format", "github"]).ends_with(1);
    let first = answer
        .stdout
        .lines()
        .find(|line| line.contains("stride-divisibility"))
        .unwrap();
    assert!(
        first.starts_with("::error file=examples/wrong.cu,line="),
        "{first}"
    );
    assert!(first.contains(",title=stride-divisibility::"), "{first}");
}
