//! Several files: headers, the units that instantiate them, flags.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::ask::{ask, ask_with};

const ATTENTION: &str = "tests/projects/attention";

/// The rows of a name in a file.
fn rows(file: &str, name: &str, more: &[&str]) -> Vec<Value> {
    let mut arguments = vec!["layouts", file, "--format", "json"];
    arguments.extend(more);
    let answer = ask(&arguments).ends_with(0);
    answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["name"] == name && row["supposed"] != true)
        .collect()
}

fn values(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .filter_map(|row| row["value"].as_str())
        .collect()
}

#[test]
fn a_kernel_in_a_header_shows_the_values_of_each_unit_that_launches_it() {
    let rows = rows(&format!("{ATTENTION}/forward_kernel.h"), "sQ", &[]);
    assert_eq!(
        values(&rows),
        [
            "Sw<3,3,3> o _0 o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
            "Sw<2,3,3> o _0 o ((_8,_8),(_32,_3)):((_32,_256),(_1,_2048))",
        ]
    );
    for (row, unit) in rows
        .iter()
        .zip(["forward_hdim64_half.cu", "forward_hdim96_bf16.cu"])
    {
        let instance = row["instance"].as_str().unwrap_or_default();
        assert!(instance.contains(unit), "{instance}");
    }
}

#[test]
fn one_hover_shows_both_launches() {
    let place = format!("{ATTENTION}/forward_kernel.h:16:10");
    let shown = ask(&["hover", &place]).ends_with(0).stdout;
    assert!(
        shown.contains("((_8,_16),(_64,_1))") && shown.contains("((_8,_8),(_32,_3))"),
        "{shown}"
    );
}

#[test]
fn traits_in_a_header_show_the_instances_of_the_project() {
    let rows = rows(&format!("{ATTENTION}/tile_traits.h"), "kBlockKSmem", &[]);
    assert_eq!(values(&rows), ["64", "32"]);
    let names: Vec<_> = rows.iter().map(|row| row["instance"].as_str()).collect();
    assert_eq!(
        names,
        [
            Some("TileTraits<128,128,64,half_t>"),
            Some("TileTraits<64,64,96,bfloat16_t>"),
        ]
    );
}

#[test]
fn headers_that_are_asked_for_together_have_the_rows_of_each_alone() {
    let headers = ["forward_kernel.h", "forward_launch.h", "tile_traits.h"];
    let headers = headers.map(|name| format!("{ATTENTION}/{name}"));
    let rows = |files: &[String]| {
        let files = files.iter().map(String::as_str);
        let arguments: Vec<&str> = ["layouts", "--format", "json"]
            .into_iter()
            .chain(files)
            .collect();
        ask(&arguments).ends_with(0).stdout
    };
    let each: String = headers
        .iter()
        .map(|header| rows(std::slice::from_ref(header)))
        .collect();
    assert!(each.lines().count() > 20, "{each}");
    assert_eq!(rows(&headers), each);
}

/// The traits are wrong for 10; only what uses them in the other file says whether a compiler ever sees that.
#[test]
fn traits_in_a_header_are_judged_where_a_unit_uses_them() {
    let traits = "#pragma once
#include <cute/tensor.hpp>
using namespace cute;
template <int N> struct Traits {
  using Whole = Layout<Int<N>>;
  static constexpr auto kCut = logical_divide(Whole{}, Int<4>{});
};
";
    let kernel = "#pragma once
template <class T> struct Kernel {
  __device__ void operator()() { typename T::Whole whole; }
};
template <class T> __global__ void plain() { typename T::Whole whole; }
";
    let units = [
        ("plain<Traits<10>><<<1, 32>>>();", true),
        ("Kernel<Traits<10>> kernel; kernel();", true),
        ("Kernel<Traits<10>>* kernel = nullptr;", false),
        ("using Named = Kernel<Traits<10>>;", false),
        (
            "using Chosen = std::conditional_t<true, Traits<12>, Traits<10>>; plain<Chosen><<<1, 32>>>();",
            false,
        ),
    ];
    for (statements, is_wrong) in units {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), ".clangd", "");
        let header = write(folder.path(), "traits.h", traits);
        write(folder.path(), "kernel.h", kernel);
        let unit = format!(
            "#include \"traits.h\"\n#include \"kernel.h\"\nvoid run() {{ {statements} }}\n"
        );
        write(folder.path(), "unit.cu", &unit);
        let answer = ask(&["check", &header]).ends_with(0);
        let said = answer.stdout.contains("over-covers");
        assert_eq!(said, is_wrong, "{statements}\n{}", answer.stdout);
    }
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

const SIZED: &str =
    "#include \"size.h\"\nusing namespace cute;\nauto l = make_layout(Int<kSize>{});\n";

#[test]
fn include_folders_come_from_the_command_line_the_compile_commands_and_clangd() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "src/a.cu", SIZED);
    write(
        folder.path(),
        "deep/inc/size.h",
        "constexpr int kSize = 24;\n",
    );
    assert_eq!(values(&rows(&file, "l", &[])), [] as [&str; 0]);
    let inc = folder.path().join("deep/inc").display().to_string();
    assert_eq!(values(&rows(&file, "l", &["-I", &inc])), ["_24:_1"]);
    let clangd = write(
        folder.path(),
        ".clangd",
        "CompileFlags:\n  Add: [-Ideep/inc]\n",
    );
    assert_eq!(values(&rows(&file, "l", &[])), ["_24:_1"]);
    fs::remove_file(clangd).unwrap();
    let entry =
        r#"[{"directory": ".", "file": "src/a.cu", "command": "nvcc -Ideep/inc -c src/a.cu"}]"#;
    write(folder.path(), "compile_commands.json", entry);
    assert_eq!(values(&rows(&file, "l", &[])), ["_24:_1"]);
}

#[test]
fn branches_follow_the_macros_and_the_architecture_that_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
using namespace cute;
#ifdef WIDE
constexpr int kSize = 64;
#else
constexpr int kSize = 8;
#endif
#if __CUDA_ARCH__ >= 1000
constexpr int kStages = 4;
#else
constexpr int kStages = 2;
#endif
auto l = make_layout(make_shape(Int<kSize>{}, Int<kStages>{}));
";
    let file = write(folder.path(), "a.cu", text);
    let with = |more: &[&str]| -> Vec<String> {
        values(&rows(&file, "l", more))
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(with(&["--arch", "sm_90a"]), ["(_8,_2):(_1,_8)"]);
    assert_eq!(
        with(&["--arch", "sm_100a", "-D", "WIDE"]),
        ["(_64,_4):(_1,_64)"]
    );
    // Every architecture from sm_90 on is possible: nothing is guessed.
    assert_eq!(with(&[]), [] as [&str; 0]);
}

#[test]
fn a_macro_of_a_flag_is_its_number_in_expressions() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
#include <cute/tensor.hpp>
using namespace cute;
#ifndef STAGES
#define STAGES 2
#endif
#define TILE (2 * WIDTH)
auto l = make_layout(make_shape(Int<WIDTH>{}, Int<TILE>{}, Int<STAGES>{}));
#undef GONE
auto u = make_layout(Int<GONE>{});
";
    let file = write(folder.path(), "a.cu", text);
    let with = |name: &str, more: &[&str]| -> Vec<String> {
        let rows = rows(&file, name, more);
        values(&rows).into_iter().map(str::to_owned).collect()
    };
    let flags = ["-D", "WIDTH=8", "-D", "STAGES=3", "-D", "GONE=1"];
    assert_eq!(with("l", &flags), ["(_8,_16,_3):(_1,_8,_128)"]);
    assert_eq!(with("l", &["-D", "WIDTH=4"]), ["(_4,_8,_2):(_1,_4,_32)"]);
    // A macro that the source takes back, and one that no flag defines, have no value.
    assert_eq!(with("u", &flags), [] as [&str; 0]);
    assert_eq!(with("l", &[]), [] as [&str; 0]);
}

#[test]
fn headers_of_an_include_folder_find_each_other_without_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ".clangd", "");
    let header = "#include <parts/size.h>\n#include <other/size.h>\nusing namespace cute;\n\
                  auto l = make_layout(Int<kSize>{});\nauto o = make_layout(Int<kOther>{});\n";
    let header = write(folder.path(), "library/include/parts/deep/layout.h", header);
    write(
        folder.path(),
        "library/include/parts/size.h",
        "constexpr int kSize = 24;\n",
    );
    // A folder that is not called so is on no path.
    write(
        folder.path(),
        "library/other/size.h",
        "constexpr int kOther = 8;\n",
    );
    assert_eq!(values(&rows(&header, "l", &[])), ["_24:_1"]);
    assert!(values(&rows(&header, "o", &[])).is_empty());
}

#[test]
fn headers_that_include_each_other_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        "a.cu",
        "#include \"b.h\"\n#include \"gone.h\"\nusing namespace cute;\nauto l = make_layout(Int<kB>{});\n",
    );
    write(
        folder.path(),
        "b.h",
        "#include \"c.h\"\nconstexpr int kB = kC * 2;\n",
    );
    write(
        folder.path(),
        "c.h",
        "#include \"b.h\"\nconstexpr int kC = 4;\n",
    );
    assert_eq!(values(&rows(&file, "l", &[])), ["_8:_1"]);
}

#[test]
fn a_tree_that_is_asked_for_from_elsewhere_is_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let header =
        "#pragma once\ntemplate <int N> struct Tile { using L = cute::Layout<cute::Int<N>>; };\n";
    // Nothing says that the build defines it, and all of the unit needs it.
    let unit = "#ifdef WITH_TILES\n#include \"tile.h\"\nvoid run() { auto tile = Tile<4>::L{}; }\n#endif\n";
    let header = write(folder.path(), "include/tile.h", header);
    write(folder.path(), "source/one.cu", unit);
    let path = folder.path().display().to_string();
    let answer = ask(&["layouts", "--unknown", &path]).ends_with(0);
    assert!(
        answer
            .stdout
            .contains("layouts declared: 2 known, 0 symbolic, 0 unknown"),
        "{}",
        answer.stdout
    );
    // Of one file, what a project is published with says where it begins.
    assert_eq!(values(&rows(&header, "L", &[])), ["N:_1"]);
    write(folder.path(), "LICENSE", "");
    assert_eq!(values(&rows(&header, "L", &[])), ["_4:_1"]);
}

#[test]
fn the_reasons_for_unknown_values_are_ranked_over_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let text = "using namespace cute;\nauto a = mystery(1);\nauto b = mystery(2);\n\
                auto c = other();\nauto d = make_layout(other());\nauto e = make_layout(_8{});\n";
    write(folder.path(), "a.cu", text);
    let path = folder.path().display().to_string();
    let answer = ask(&["layouts", "--unknown", &path]).ends_with(0);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines[0], "layouts   values  files  reason (first place)");
    assert!(
        lines[1].starts_with("      1        2      1  the body of `other`"),
        "{lines:?}"
    );
    assert!(
        lines[2].starts_with("      0        2      1  the body of `mystery`"),
        "{lines:?}"
    );
    assert_eq!(lines[3], "layouts declared: 1 known, 0 symbolic, 1 unknown");
    assert_eq!(lines[4], "values: 1 known, 0 symbolic, 4 unknown in 1 file");
}

#[test]
fn an_assertion_in_a_log_of_gcc_is_explained_at_the_line_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
#include <cute/layout.hpp>
using namespace cute;
template <class Tile>
auto pick(Tile tile) {
  return composition(tile, Layout<_3, _6>{});
}
int main() {
  auto columns = make_layout(Shape<_4, _3>{}, Stride<_3, _1>{});
  auto picked = pick(columns);
}
";
    let file = write(folder.path(), "tiles.cpp", text);
    // As GCC 12 prints it, without the excerpts.
    let log = format!(
        "\
include/cute/layout.hpp: In instantiation of 'cute::detail::composition_impl<..>(..)':
include/cute/layout.hpp:1140:34:   required from 'constexpr auto cute::composition(..)'
{file}:5:21:   required from 'auto pick(Tile) [with Tile = ..]'
{file}:9:21:   required from here
include/cute/config.hpp:126:64: error: static assertion failed: Stride Divisibility Condition
"
    );
    let answer = ask_with(&["decode", "--format", "json"], log.as_bytes()).ends_with(1);
    let row: Value = serde_json::from_str(answer.stdout.trim()).unwrap();
    assert_eq!(
        (&row["line"], &row["rule"]),
        (&5.into(), &"stride-divisibility".into())
    );
    let findings = row["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "{row}");
    let tile = row["operands"]
        .as_array()
        .unwrap()
        .iter()
        .find(|o| o["expression"] == "tile");
    assert_eq!(tile.unwrap()["value"], "(_4,_3):(_3,_1)", "{row}");
    let shown = ask_with(&["decode"], log.as_bytes()).ends_with(1).stdout;
    assert!(
        shown.contains("error[stride-divisibility]: CuTe says"),
        "{shown}"
    );
    assert!(
        ask_with(&["decode"], b"make: done")
            .ends_with(0)
            .stdout
            .is_empty()
    );
}

/// The output of `compute-sanitizer` is repeated with the element of the tensor and the values of the thread.
#[test]
fn a_stopped_kernel_is_said_again_with_its_thread_and_element() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
#include <cute/tensor.hpp>
using namespace cute;
__global__ void shift(float const* p, float* q) {
  int at = blockIdx.x * 128 + threadIdx.x;
  Tensor row = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<256>{})));
  q[at] = row(at);
}
void launch(float const* p, float* q) {
  shift<<<3, 128>>>(p, q);
}
";
    let file = write(folder.path(), "shift.cu", text);
    let log = format!(
        "\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at shift(const float *, float *)+0x90 in {file}:6
=========     by thread (5,0,0) in block (2,0,0)
=========     Address 0x7f0000001014 is out of bounds
=========     and is 21 bytes after the nearest allocation at 0x7f0000000c00 of size 1,024 bytes
CUDA error: an illegal instruction was encountered
========= ERROR SUMMARY: 1 error
"
    );
    let answer = ask_with(&["decode", "--format", "json"], log.as_bytes()).ends_with(1);
    let rows: Vec<Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    let first = &rows[0];
    assert_eq!(
        (&first["line"], &first["thread"], &first["block"]),
        (
            &6.into(),
            &serde_json::json!([5, 0, 0]),
            &serde_json::json!([2, 0, 0])
        )
    );
    let element = "byte 1044 of an allocation of 1024: element 261 from its start, which row of (_256):(_1) does not have";
    assert_eq!(first["elements"], serde_json::json!([element]), "{first}");
    let at = first["operands"]
        .as_array()
        .unwrap()
        .iter()
        .find(|operand| operand["expression"] == "at");
    assert_eq!(at.unwrap()["value"], "261", "{first}");
    assert_eq!(rows[1]["error"], 715);
    let shown = ask_with(&["decode"], log.as_bytes()).ends_with(1).stdout;
    assert!(shown.contains("thread (5,0,0) of block (2,0,0)"), "{shown}");
    assert!(shown.contains("CUDA error 715"), "{shown}");
}

/// `CUTE_STATIC_ASSERT_V` at a line of the user says nothing but that it failed.
#[test]
fn an_assertion_of_the_user_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
#include <cute/tensor.hpp>
using namespace cute;
void f() {
  auto tile = make_layout(Shape<_8, _4>{});
  CUTE_STATIC_ASSERT_V(size<0>(tile) == Int<16>{});
}
";
    let file = write(folder.path(), "own.cu", text);
    let log = format!(
        "{file}(5): error: static assertion failed\n    CUTE_STATIC_ASSERT_V(size<0>(tile) == Int<16>{{}});\n    ^\n"
    );
    let answer = ask_with(&["decode", "--format", "json"], log.as_bytes()).ends_with(1);
    let row: Value = serde_json::from_str(answer.stdout.trim()).unwrap();
    assert_eq!(
        (&row["rule"], &row["line"]),
        (&"static-assert-fails".into(), &5.into())
    );
    assert!(!row["findings"].as_array().unwrap().is_empty(), "{row}");
    let operands = row["operands"].as_array().unwrap();
    assert!(
        operands
            .iter()
            .any(|operand| operand["expression"] == "tile"),
        "{row}"
    );
}

/// Programs of ours that g++ 12 and Clang 18 refuse with the headers of CuTe 4.2, and what they printed:
/// without excerpts of the sources, `PROGRAM` in the place of the program's path. Each is named by the
/// rule, what Clang said of it `RULE.clang.log`. In some of them a macro of CuTe without a text fails.
#[test]
fn what_a_compiler_says_of_real_programs_is_said_again_with_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/logs");
    let mut explained = 0;
    for entry in std::fs::read_dir(&logs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "log") {
            continue;
        }
        let rule = path.file_stem().unwrap().to_str().unwrap();
        let rule = rule.strip_suffix(".clang").unwrap_or(rule);
        let program = std::fs::read_to_string(logs.join(format!("{rule}.cpp"))).unwrap();
        let file = write(folder.path(), &format!("{rule}.cpp"), &program);
        let log = std::fs::read_to_string(&path).unwrap();
        let log = log.replace("PROGRAM", &file);
        let answer = ask_with(&["decode", "--format", "json"], log.as_bytes()).ends_with(1);
        let first = answer.stdout.lines().next().unwrap();
        let row: Value = serde_json::from_str(first).unwrap();
        assert_eq!(
            (&row["rule"], &row["file"]),
            (&rule.into(), &file.into()),
            "{row}"
        );
        assert!(!row["findings"].as_array().unwrap().is_empty(), "{row}");
        assert!(!row["operands"].as_array().unwrap().is_empty(), "{row}");
        let of_one_place = answer.stdout.lines().filter(|line| {
            let other: Value = serde_json::from_str(line).unwrap();
            ["line", "column", "from"]
                .iter()
                .all(|key| other[key] == row[key])
        });
        assert_eq!(of_one_place.count(), 1, "{}", answer.stdout);
        explained += 1;
    }
    assert!(explained >= 16, "{explained} logs");
}

/// A toolkit in small: its runtime header and types, and a header with macros that nothing here defines.
const TOOLKIT: [(&str, &str); 3] = [
    (
        "cuda_runtime_api.h",
        "#pragma once\n#include \"vector_types.h\"\n#include \"cuda/std/binder\"\n",
    ),
    (
        "vector_types.h",
        "#pragma once\nstruct __toolkit_builtin__ dim3\n{\n    unsigned int x, y, z;\n};\n\
         typedef __toolkit_builtin__ struct dim3 dim3;\n",
    ),
    (
        "cuda/std/binder",
        "#pragma once\n_KIT_PUSH\nint first();\n_KIT_SUPPRESS_PUSH _KIT_API int second();\n_KIT_POP\n\
         kit_push\nint third;\n",
    ),
];

#[test]
fn what_is_known_without_the_headers_of_the_toolkit_is_known_with_them() {
    let text = "\
#include <cuda_runtime_api.h>
#include <cuda/std/binder>
using namespace cute;
void launch(int m) {
  auto M = int(m);
  auto tall = make_layout(make_shape(M, Int<4>{}));
  dim3 block(128, 2);
  auto threads = make_layout(make_shape(int(block.x), int(block.y)));
}
";
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.cu", text);
    let include = folder.path().join("include");
    for (name, text) in TOOLKIT {
        write(&include, name, text);
    }
    let include = include.display().to_string();
    for name in ["M", "tall", "block", "threads"] {
        let alone = rows(&file, name, &[]);
        assert!(!values(&alone).is_empty(), "{name}");
        assert_eq!(
            values(&rows(&file, name, &["-I", &include])),
            values(&alone),
            "{name}"
        );
    }
}

#[test]
fn some_instances_are_printed_and_all_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cute-analyzer.toml"), "").unwrap();
    let header = folder.path().join("tile.h");
    let text = "#pragma once\nusing namespace cute;\n\
                template <int N> auto tile() { auto lines = make_layout(Int<N>{}); return lines; }\n";
    fs::write(&header, text).unwrap();
    for unit in 1..=200 {
        let text = format!("#include \"tile.h\"\nvoid run() {{ tile<{unit}>(); }}\n");
        fs::write(folder.path().join(format!("{unit:03}.cu")), text).unwrap();
    }
    let header = header.to_str().unwrap();
    let all = rows(header, "lines", &[]);
    assert_eq!(all.len(), 200);
    assert!(all.iter().all(|row| row["instances"] == 200));
    let some = rows(header, "lines", &["--instances", "2"]);
    assert_eq!(values(&some), ["_1:_0", "_2:_1"]);
    assert!(some.iter().all(|row| row["instances"] == 200));
    let text = ask(&["layouts", header, "--instances", "2"]).ends_with(0);
    let mut lines = text.stdout.lines().filter(|line| line.contains(" lines: "));
    let last = lines.next_back().unwrap_or_default();
    assert!(last.ends_with("var lines: 198 more instances"), "{last}");
}

/// A package that compiles a kernel when it is used: a template of sources, flags beside those that are there, and flags
/// of all.
fn jit_package(folder: &Path) -> String {
    write(folder, "LICENSE", "");
    write(folder, "pkg/__init__.py", "");
    let core = "\
def spec(name, sources, flags):
    return compile('nvcc', sources, ['-DENABLE_WIDE', *flags])
";
    write(folder, "pkg/core.py", core);
    let jit = "\
import jinja2
from .core import spec


def gen_copy():
    with open('csrc/copy.jinja') as f:
        template = jinja2.Template(f.read())
    paths = []
    for width in [32, 64]:
        paths.append(f'csrc/copy_{width}.cu')
        with open(paths[-1], 'w') as f:
            f.write(template.render(width=width))
    return spec('copy', [CSRC / 'wide.cu'], ['-DWIDTH=128'])
";
    write(folder, "pkg/jit.py", jit);
    let template = "#include \"copy.cuh\"\ntemplate __global__ void copy<{{ width }}>(float*);\n";
    write(folder, "csrc/copy.jinja", template);
    let wide = "#include \"copy.cuh\"\n#ifdef ENABLE_WIDE\ntemplate __global__ void copy<WIDTH>(float*);\n#endif\n";
    write(folder, "csrc/wide.cu", wide);
    let kernel = "\
#pragma once
#include <cute/tensor.hpp>
template <int kWidth>
__global__ void copy(float* out) {
  auto tile = cute::make_layout(cute::Int<kWidth>{});
}
";
    write(folder, "csrc/copy.cuh", kernel)
}

#[test]
fn a_package_that_compiles_kernels_instantiates_headers_and_defines_macros() {
    let folder = tempfile::tempdir().unwrap();
    let header = jit_package(folder.path());
    let tile = rows(&header, "tile", &[]);
    assert_eq!(values(&tile), ["_128:_1", "_32:_1", "_64:_1"]);
    let commands = r#"[{"directory": ".", "file": "csrc/wide.cu", "command": "nvcc -DWIDTH=8 -c csrc/wide.cu"}]"#;
    // Compile commands say which macros there are.
    write(folder.path(), "compile_commands.json", commands);
    let tile = rows(&header, "tile", &[]);
    assert_eq!(values(&tile), ["_8:_1", "_32:_1", "_64:_1"]);
}
