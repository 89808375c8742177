//! With CUTLASS's headers on the include path: its collectives are read as sources, and the words
//! of CuTe keep their meaning.

use cute_tests::oracles::cutlass;

use super::ask::ask;

/// The output of `layouts` for a source, with folders of CUTLASS on the include path.
fn layouts(file: &str, folders: &[&str]) -> String {
    let root = cutlass();
    let mut arguments = vec!["layouts".to_owned()];
    for folder in folders {
        arguments.push("-I".to_owned());
        arguments.push(root.join(folder).display().to_string());
    }
    arguments.push(file.to_owned());
    ask(&arguments).ends_with(0).stdout
}

#[test]
fn a_tutorial_has_the_same_values_with_and_without_the_headers() {
    for name in [
        "sgemm_sm80.cu",
        "hopper/wgmma_tma_sm90.cu",
        "blackwell/05_mma_tma_epi_sm100.cu",
    ] {
        let file = cutlass().join("examples/cute/tutorial").join(name);
        let file = file.display().to_string();
        let alone = layouts(&file, &[]);
        assert!(alone.lines().count() > 100, "{name} has values");
        let with_headers = layouts(&file, &["include", "examples/common"]);
        // Types of CUTLASS's own are known with them only.
        for row in alone.lines().filter(|row| !row.contains(": Unknown (")) {
            assert!(
                with_headers.lines().any(|other| other == row),
                "{name}: {row}"
            );
        }
    }
}

/// Each value is what a compiler makes of the same source with CUTLASS's headers.
#[test]
fn collective_builders_make_what_the_compiler_makes_of_them() {
    let source = r#"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
using namespace cute;
using namespace cutlass;
template <class EA, class LA, int aA, class EB, class LB, int aB, class Tile, class Cluster, class Stages, class Schedule>
using Main = typename gemm::collective::CollectiveBuilder<arch::Sm90, arch::OpClassTensorOp,
    EA, LA, aA, EB, LB, aB, float, Tile, Cluster, Stages, Schedule>::CollectiveOp;
template <class E, class L, int alignment, class Schedule>
using Epi = typename epilogue::collective::CollectiveBuilder<arch::Sm90, arch::OpClassTensorOp,
    Shape<_128,_128,_64>, Shape<_1,_1,_1>, epilogue::collective::EpilogueTileAuto, float, float,
    E, L, alignment, E, L, alignment, Schedule>::CollectiveOp;
using M1 = Main<float, layout::RowMajor, 4, float, layout::ColumnMajor, 4, Shape<_128,_128,_64>,
    Shape<_2,_1,_1>, gemm::collective::StageCountAutoCarveout<1>, gemm::KernelTmaWarpSpecialized>;
using M2 = Main<half_t, layout::RowMajor, 8, half_t, layout::ColumnMajor, 8, Shape<_128,_128,_64>,
    Shape<_2,_1,_1>, gemm::collective::StageCountAutoCarveout<1>, gemm::collective::KernelScheduleAuto>;
using M3 = Main<half_t, layout::ColumnMajor, 8, half_t, layout::RowMajor, 8, Shape<_128,_128,_64>,
    Shape<_1,_2,_1>, gemm::collective::StageCountAuto, gemm::KernelTmaWarpSpecializedCooperative>;
using M4 = Main<float_e4m3_t, layout::RowMajor, 16, float_e4m3_t, layout::ColumnMajor, 16,
    Shape<_128,_128,_128>, Shape<_2,_1,_1>, gemm::collective::StageCountAutoCarveout<10000>,
    gemm::KernelTmaWarpSpecializedPingpong>;
using E1 = Epi<float, layout::ColumnMajor, 4, epilogue::TmaWarpSpecialized>;
using E2 = Epi<half_t, layout::RowMajor, 8, epilogue::TmaWarpSpecializedCooperative>;
using A1 = typename M1::SmemLayoutA;
using A2 = typename M2::SmemLayoutA;
using A3 = typename M3::SmemLayoutA;
using A4 = typename M4::SmemLayoutA;
using P1 = typename E1::EpilogueTile;
using P2 = typename E2::EpilogueTile;
using T1 = typename M1::TiledMma;
using T2 = typename M2::TiledMma;
using T4 = typename M4::TiledMma;
"#;
    let compiled = "\
A1: Sw<3,4,3> o smem_ptr[32b](unset) o ((_8,_16),(_32,_2),(_1,_3)):((_32,_256),(_1,_4096),(_0,_8192))
A2: Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1),(_1,_7)):((_64,_512),(_1,_0),(_0,_8192))
A3: Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_2),(_8,_8),(_1,_7)):((_1,_4096),(_64,_512),(_0,_8192))
A4: Sw<3,4,3> o smem_ptr[8b](unset) o ((_8,_16),(_128,_1),(_1,_6)):((_128,_1024),(_1,_0),(_0,_16384))
P1: (_64,_32)
P2: (_128,_32)
T1: (_128,_1,_1,_1):(_1,_0,_0,_0)
T2: (_128,_2,_1,_1):(_1,_128,_0,_0)
T4: (_128,_1,_1,_1):(_1,_0,_0,_0)
";
    are_printed(source, compiled);
}

/// Facts without a rule of ours are read off the specialisations: other architectures, block-scaled operands, an
/// epilogue's shared memory.
#[test]
fn builders_without_rules_are_read_as_the_compiler_reads_them() {
    let source = r#"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
using namespace cute;
using namespace cutlass;
template <class Arch, class Class, class E, int alignment, class Tile>
using Main = typename gemm::collective::CollectiveBuilder<Arch, Class,
    E, layout::RowMajor, alignment, E, layout::ColumnMajor, alignment, float, Tile, Shape<_1,_1,_1>,
    gemm::collective::StageCount<3>, gemm::collective::KernelScheduleAuto>::CollectiveOp;
using M2 = Main<arch::Sm120, arch::OpClassTensorOp, float_e4m3_t, 16, Shape<_128,_128,_64>>;
using M3 = Main<arch::Sm100, arch::OpClassBlockScaledTensorOp, nv_float4_t<float_e2m1_t>, 32, Shape<_128,_128,_256>>;
using E1 = typename epilogue::collective::CollectiveBuilder<arch::Sm90, arch::OpClassTensorOp,
    Shape<_128,_128,_64>, Shape<_2,_1,_1>, epilogue::collective::EpilogueTileAuto, float, float,
    half_t, layout::RowMajor, 8, half_t, layout::RowMajor, 8, epilogue::TmaWarpSpecializedCooperative>::CollectiveOp;
using A2 = typename M2::SmemLayoutA;
using T2 = typename M2::TiledMma;
using A3 = typename M3::SmemLayoutA;
using D1 = typename E1::SmemLayoutD;
"#;
    let compiled = "\
A2: Sw<2,4,3> o smem_ptr[8b](unset) o ((_8,_16),(_64,_1),(_1,_3)):((_64,_512),(_1,_0),(_0,_8192))
T2: (_32,_4,_2,_1):(_1,_32,_128,_0)
A3: Sw<3,4,3> o smem_ptr[4b](unset) o ((_128,_64),_1,_4,(_1,_3)):((_256,_1),_0,_64,(_0,_32768))
D1: Sw<2,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_32,_1),(_1,_4)):((_32,_256),(_1,_0),(_0,_4096))
";
    are_printed(source, compiled);
}

/// Checks the values of aliases, one `NAME: VALUE` a line, in a source that has CUTLASS's headers on its include
/// path.
#[track_caller]
fn are_printed(source: &str, compiled: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("collectives.cu");
    std::fs::write(&file, source).unwrap();
    let printed = layouts(&file.display().to_string(), &["include"]);
    for expected in compiled.lines() {
        let (name, value) = expected.split_once(": ").expect("a name and a value");
        let row = printed
            .lines()
            .find(|line| line.contains(&format!(": alias {name}: ")));
        let row = row.unwrap_or_else(|| panic!("{name} has a value"));
        assert!(row.ends_with(value), "{value} compiled: {row}");
    }
}

/// The tutorial's device side: `main` calls the launchers with `half_t`, for which the overload of it is preferred to the general
/// one; that of `gemm_nt` only throws. So the kernel has one instance.
#[test]
fn the_partitions_of_a_kernel_are_listed_for_the_instance_that_the_compiler_makes() {
    let file = cutlass().join("examples/cute/tutorial/sgemm_sm80.cu");
    let arguments = ["layouts", &file.display().to_string(), "--format", "json"];
    let answer = ask(&arguments).ends_with(0);
    let rows: Vec<serde_json::Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for name in ["tAgA", "tBsB", "tCrA", "tCrC", "tXsA"] {
        let is_listed = |row: &&serde_json::Value| {
            row["name"] == name
                && row["function"] == "gemm_device"
                && row["kind"] == "Tensor"
                && row["instance"].is_null()
        };
        assert_eq!(rows.iter().filter(is_listed).count(), 1, "{name}");
    }
}

/// One kernel, two launches with different traits: the hover of a name in the kernel has both.
#[test]
fn a_hover_shows_both_launches_of_the_example() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/launches.cu");
    let text = std::fs::read_to_string(file).unwrap();
    let line = text
        .lines()
        .position(|line| line.contains("auto tile = make_tensor"))
        .map(|index| index + 1)
        .unwrap();
    let hover = ask(&["hover", &format!("{file}:{line}:8")])
        .ends_with(0)
        .stdout;
    for expected in ["(_64,_32):(_32,_1)", "(_128,_64):(_64,_1)"] {
        assert!(hover.contains(expected), "{hover}");
    }
}
