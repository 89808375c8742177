//! Projects of several files, written for the checks: each has another way in which files depend on each other.

use std::fmt::Write as _;
use std::path::Path;

/// A project: its name, and its files with their texts.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its name in reports.
    pub name: String,
    /// Paths below the root, with `/`, and texts.
    pub files: Vec<(String, String)>,
}

impl Project {
    fn of(name: &str, files: &[(&str, &str)]) -> Self {
        let files = files.iter();
        Self {
            name: name.to_owned(),
            files: files
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect(),
        }
    }

    fn with(mut self, path: &str, text: String) -> Self {
        self.files.push((path.to_owned(), text));
        self
    }

    /// The sources below a folder, at most this many, those in the folder itself first.
    ///
    /// # Panics
    /// When the folder cannot be read.
    pub fn of_folder(folder: &Path, at_most: usize) -> Self {
        let mut files = Vec::new();
        let mut folders = std::collections::VecDeque::from([folder.to_owned()]);
        while let Some(next) = folders.pop_front() {
            let entries = std::fs::read_dir(&next)
                .unwrap_or_else(|error| panic!("{}: {error}", next.display()));
            let mut paths: Vec<_> = entries.map(|it| it.expect("an entry").path()).collect();
            paths.sort();
            for path in paths {
                if path.is_dir() {
                    folders.push_back(path);
                } else if super::language_of(&path.to_string_lossy()).is_some()
                    && let Ok(text) = std::fs::read_to_string(&path)
                    && let Ok(below) = path.strip_prefix(folder)
                {
                    files.push((below.to_string_lossy().replace('\\', "/"), text));
                }
            }
        }
        files.truncate(at_most);
        Self {
            name: folder.display().to_string(),
            files,
        }
    }
}

/// All of them.
pub fn projects() -> Vec<Project> {
    vec![
        diamond(),
        attention(),
        collective(),
        macros(),
        traits(),
        launches(),
        flags(),
        comments(),
        wrong(),
        python(),
        python_flat(),
        rust(),
    ]
}

/// A header that others include in many ways.
fn diamond() -> Project {
    let sizes = "#pragma once\n#include <cute/tensor.hpp>\nusing namespace cute;\n\
        template <int N> struct Sizes {\n  static constexpr int kRows = N;\n  static constexpr int kColumns = 8;\n};\n\
        template <class T> __device__ auto doubled(T t) {\n  auto twice = make_layout(make_shape(t, Int<2>{}));\n  return twice;\n}\n";
    let tile = "#pragma once\n#include \"sizes.h\"\n\
        template <int N> struct Tile {\n\
        \x20 using Layout = decltype(make_layout(make_shape(Int<Sizes<N>::kRows>{}, Int<Sizes<N>::kColumns>{})));\n\
        \x20 __device__ void run() {\n    auto rows = doubled(Int<Sizes<N>::kRows>{});\n    auto all = Layout{};\n  }\n};\n\
        template <class T> __device__ void fill(T n) {\n  auto filled = make_layout(make_shape(n, Int<4>{}));\n  auto part = logical_divide(filled, Int<2>{});\n}\n";
    let left = "#pragma once\n#include \"tile.h\"\n\
        template <int N> __device__ void left() {\n  Tile<N> tile;\n  tile.run();\n  auto l = typename Tile<N>::Layout{};\n}\n";
    let right = "#pragma once\n#include \"sizes.h\"\n#include \"tile.h\"\n\
        template <int N> __device__ void right() {\n  auto r = doubled(Int<N + 1>{});\n  fill(Int<N>{});\n}\n";
    let mut project = Project::of(
        "diamond",
        &[
            ("sizes.h", sizes),
            ("tile.h", tile),
            ("left.h", left),
            ("right.h", right),
        ],
    );
    for number in 0..5 {
        let text = format!(
            "#include \"left.h\"\n#include \"right.h\"\n\
             __global__ void kernel{number}() {{\n  left<{}>();\n  right<{}>();\n}}\n",
            4 << number,
            8 << number
        );
        project = project.with(&format!("source{number}.cu"), text);
    }
    project
}

/// The forward pass of attention.
fn attention() -> Project {
    Project::of(
        "attention",
        &[
            (
                "forward_kernel.h",
                include_str!("../../projects/attention/forward_kernel.h"),
            ),
            (
                "forward_launch.h",
                include_str!("../../projects/attention/forward_launch.h"),
            ),
            (
                "forward_params.h",
                include_str!("../../projects/attention/forward_params.h"),
            ),
            (
                "static_switch.h",
                include_str!("../../projects/attention/static_switch.h"),
            ),
            (
                "tile_traits.h",
                include_str!("../../projects/attention/tile_traits.h"),
            ),
            (
                "instances/forward_hdim64_half.cu",
                include_str!("../../projects/attention/instances/forward_hdim64_half.cu"),
            ),
            (
                "instances/forward_hdim96_bf16.cu",
                include_str!("../../projects/attention/instances/forward_hdim96_bf16.cu"),
            ),
        ],
    )
}

/// A collective with many parameters, a kernel around it, and a unit for each instance.
fn collective() -> Project {
    let mainloop = "#pragma once\n#include <cute/tensor.hpp>\n#include \"helpers.hpp\"\nnamespace toy {\nusing namespace cute;\n\
        template <int Stages, class TileShape_, class Element_, bool Is_causal>\nstruct Mainloop {\n\
        \x20 using TileShape = TileShape_;\n  using Element = Element_;\n\
        \x20 static constexpr int kM = get<0>(TileShape{});\n  static constexpr int kK = get<1>(TileShape{});\n\
        \x20 using Atom = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}));\n\
        \x20 using SmemQ = decltype(tile_to_shape(Atom{}, Shape<Int<kM>, Int<kK>, Int<Stages>>{}));\n\
        \x20 using Mma = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<Int<kM / 32>, _1, _1>>>;\n\
        \x20 template <class Params>\n  __device__ void load(Params const& params, int thread) {\n\
        \x20   auto mQ = make_layout(make_shape(params.rows, Int<kK>{}), make_stride(params.stride, _1{}));\n\
        \x20   auto gQ = rows_of(SmemQ{});\n\
        \x20   if constexpr (Is_causal) {\n      auto mask = make_layout(Shape<Int<kM>, Int<kM>>{});\n    }\n  }\n\
        \x20 __device__ void mma(int thread) {\n    Mma tiled;\n\
        \x20   auto acc = partition_fragment_C(tiled, Shape<Int<kM>, Int<kM>>{});\n\
        \x20   auto flat = coalesce(acc.layout());\n  }\n};\n}\n";
    let helpers = "#pragma once\n#include <cute/tensor.hpp>\nnamespace toy {\nusing namespace cute;\n\
        // ((8, M), (64, K), S) -> (8, M)\n\
        template <class L> __device__ constexpr auto rows_of(L l) {\n  auto inner = l.layout_b();\n  return get<0>(inner);\n}\n}\n";
    let kernel = "#pragma once\n#include \"mainloop.hpp\"\nnamespace toy {\nstruct Params { int rows; int stride; };\n\
        template <class Mainloop>\n__global__ void device_kernel(Params params) {\n\
        \x20 Mainloop loop;\n  loop.load(params, threadIdx.x);\n  loop.mma(threadIdx.x);\n}\n\
        template <int M, int K, int Stages, class Element>\nvoid run(Params const& params, bool causal) {\n\
        \x20 if (causal) {\n    device_kernel<Mainloop<Stages, Shape<Int<M>, Int<K>>, Element, true>><<<1, 128>>>(params);\n\
        \x20 } else {\n    device_kernel<Mainloop<Stages, Shape<Int<M>, Int<K>>, Element, false>><<<1, 128>>>(params);\n  }\n}\n}\n";
    let mut project = Project::of(
        "collective",
        &[
            ("kernel/mainloop.hpp", mainloop),
            ("kernel/helpers.hpp", helpers),
            ("kernel/kernel.hpp", kernel),
        ],
    );
    for (number, (m, k, stages)) in [(64, 64, 2), (128, 64, 3), (128, 128, 2), (64, 128, 4)]
        .into_iter()
        .enumerate()
    {
        let element = ["cutlass::half_t", "cutlass::bfloat16_t"][number % 2];
        let text = format!(
            "#include \"../kernel/kernel.hpp\"\n\
             template void toy::run<{m}, {k}, {stages}, {element}>(toy::Params const&, bool);\n"
        );
        project = project.with(&format!("instances/unit{number}.cu"), text);
    }
    project
}

/// The meaning of a header depends on macros of its includer.
fn macros() -> Project {
    Project::of(
        "macros",
        &[
            (
                "config.h",
                "#ifndef CONFIG_H\n#define CONFIG_H\n#ifndef TILE\n#define TILE 16\n#endif\n\
                 #define WIDE (TILE * 2)\n#define TILE_OF(n) make_layout(make_shape(Int<TILE>{}, Int<n>{}))\n#endif\n",
            ),
            (
                "body.h",
                "#pragma once\n#include <cute/tensor.hpp>\n#include \"config.h\"\nusing namespace cute;\n\
                 inline void body() {\n  auto wide = make_layout(Int<WIDE>{});\n  auto of = TILE_OF(4);\n\
                 #if TILE > 16\n  auto large = make_layout(_64{});\n#else\n  auto small = make_layout(_8{});\n#endif\n}\n",
            ),
            ("list.inl", "ENTRY(8)\nENTRY(16)\nENTRY(24)\n"),
            (
                "small.cu",
                "#include \"body.h\"\nvoid small() { body(); auto own = TILE_OF(3); }\n",
            ),
            (
                "large.cu",
                "#define TILE 32\n#include \"body.h\"\nvoid large() { body(); auto own = TILE_OF(5); }\n",
            ),
            (
                "listed.cu",
                "#include \"body.h\"\n#define ENTRY(n) inline auto entry##n() { auto e = make_layout(Int<n>{}); return e; }\n\
                 #include \"list.inl\"\n#undef ENTRY\nvoid listed() { auto a = entry8(); auto b = entry24(); }\n",
            ),
        ],
    )
}

/// Specialisations in other files than their templates.
fn traits() -> Project {
    Project::of(
        "traits",
        &[
            (
                "traits.h",
                "#pragma once\n#include <cute/tensor.hpp>\nusing namespace cute;\n\
                 template <class T, int N> struct Traits {\n  using Layout = Layout<Shape<Int<N>, _8>>;\n  static constexpr int kBits = sizeof(T) * 8;\n};\n\
                 template <class Tr> struct Kernel {\n  using L = typename Tr::Layout;\n  void run() {\n    auto whole = L{};\n\
                 \x20   auto bits = make_layout(Int<Tr::kBits>{});\n  }\n};\n",
            ),
            (
                "special.h",
                "#pragma once\n#include \"traits.h\"\n\
                 template <int N> struct Traits<double, N> {\n  using Layout = Layout<Shape<_4, Int<N>>, Stride<Int<N>, _1>>;\n  static constexpr int kBits = 64;\n};\n\
                 template <> struct Traits<float, 3> {\n  using Layout = Layout<_3>;\n  static constexpr int kBits = 1;\n};\n",
            ),
            (
                "plain.cu",
                "#include \"traits.h\"\nvoid plain() {\n  Kernel<Traits<float, 16>> k;\n  k.run();\n}\n",
            ),
            (
                "special.cu",
                "#include \"special.h\"\nvoid special() {\n  Kernel<Traits<double, 16>> k;\n  k.run();\n  Kernel<Traits<float, 3>> s;\n  s.run();\n}\n",
            ),
        ],
    )
}

/// Kernels that are launched in other files, with guards.
fn launches() -> Project {
    Project::of(
        "launches",
        &[
            (
                "gemm.cuh",
                "#pragma once\n#include <cute/tensor.hpp>\nusing namespace cute;\n\
                 template <class TA, class SmemLayout>\n__global__ void gemm(TA const* a, int m, int k, SmemLayout layout) {\n\
                 \x20 auto mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, _1{}));\n\
                 \x20 auto gA = local_tile(mA, Shape<_128, _8>{}, make_coord(blockIdx.x, 0));\n\
                 \x20 __shared__ TA smem[cosize_v<SmemLayout>];\n  auto sA = make_tensor(make_smem_ptr(smem), layout);\n\
                 \x20 auto tA = make_layout(Shape<_32, _8>{});\n  auto tAgA = local_partition(gA, tA, threadIdx.x);\n\
                 \x20 auto tAsA = local_partition(sA, tA, threadIdx.x);\n  copy(tAgA, tAsA);\n}\n",
            ),
            (
                "host.h",
                "#pragma once\n#include \"gemm.cuh\"\n\
                 template <class T> void launch(T const* a, int m, int k) {\n  if (m % 128) return;\n\
                 \x20 auto layout = make_layout(Shape<_128, _8>{});\n  dim3 grid(ceil_div(m, 128));\n  gemm<<<grid, 256>>>(a, m, k, layout);\n}\n",
            ),
            (
                "half.cu",
                "#include \"host.h\"\nvoid half_(cutlass::half_t const* a) { launch(a, 256, 64); }\n",
            ),
            (
                "float.cu",
                "#include \"host.h\"\nvoid float_(float const* a, int m) { launch(a, m, 64); }\n",
            ),
        ],
    )
}

/// Folders of headers and macros that a build file names.
fn flags() -> Project {
    Project::of(
        "flags",
        &[
            (
                "compile_commands.json",
                "[{\"directory\": \".\", \"file\": \"src/other.cu\", \"command\": \"nvcc -DDEPTH=4 -c src/other.cu\"}]\n",
            ),
            (
                "cute-analyzer.toml",
                "assume = [\"M % 64 == 0\"]\ninclude = [\"include\"]\ndefine = [\"WIDTH=64\"]\n",
            ),
            (
                "include/lib/tile.hpp",
                "#pragma once\n#include <cute/tensor.hpp>\nnamespace lib {\ntemplate <int W> struct Tile {\n\
                 \x20 static constexpr auto layout() {\n    auto made = cute::make_layout(cute::Shape<cute::Int<W>, cute::_4>{});\n    return made;\n  }\n};\n}\n",
            ),
            (
                "src/use.cu",
                "#include <lib/tile.hpp>\nvoid use(int M) {\n  auto l = lib::Tile<WIDTH>::layout();\n\
                 \x20 auto r = cute::make_layout(cute::make_shape(M, cute::Int<WIDTH>{}));\n  auto d = cute::logical_divide(r, cute::_64{});\n}\n",
            ),
            (
                "src/other.cu",
                "#include \"../include/lib/tile.hpp\"\nvoid other() {\n  auto l = lib::Tile<DEPTH>::layout();\n}\n",
            ),
        ],
    )
}

/// Comments that are read: instances, states, orders.
fn comments() -> Project {
    Project::of(
        "comments",
        &[
            (
                "pieces.h",
                "#pragma once\n#include <cute/tensor.hpp>\nusing namespace cute;\n\
                 // cute: instantiate piece<Int<8>, 4>\ntemplate <class T, int N> void piece() {\n\
                 \x20 auto p = make_layout(make_shape(T{}, Int<N>{})); // (8,4):(1,8)\n\
                 \x20 // cute: run offsets\n  auto q = make_layout(Int<N>{}, Int<2>{});\n}\n\
                 inline void noted(int M) {\n  // layout: (16,16):(16,1)\n  int offset = M * 16;\n  auto s = make_layout(make_shape(M, _4{})); // (M,4)\n}\n",
            ),
            (
                "one.cu",
                "#include \"pieces.h\"\nvoid one() {\n  piece<Int<16>, 2>();\n  noted(3);\n}\n",
            ),
            (
                "two.cu",
                "#include \"pieces.h\"\nvoid two() {\n  piece<Int<32>, 2>();\n}\n",
            ),
        ],
    )
}

/// Sources with findings.
fn wrong() -> Project {
    Project::of(
        "wrong",
        &[
            (
                "ops.h",
                "#pragma once\n#include <cute/tensor.hpp>\nusing namespace cute;\n\
                 template <int N> auto every(Int<N>) {\n  auto columns = make_layout(make_shape(_4{}, _8{}));\n\
                 \x20 auto picked = composition(columns, make_layout(_5{}, Int<N>{}));\n  return picked;\n}\n\
                 template <class L> auto parts(L l) {\n  auto cut = logical_divide(l, _3{});\n  return get<2>(cut);\n}\n",
            ),
            (
                "good.cu",
                "#include \"ops.h\"\nvoid good() {\n  auto a = every(_4{});\n  auto b = make_layout(Shape<_4, _2>{});\n}\n",
            ),
            (
                "bad.cu",
                "#include \"ops.h\"\nvoid bad() {\n  auto a = every(_6{});\n  auto b = parts(make_layout(_9{}));\n\
                 \x20 auto c = composition(make_layout(Shape<_4, _6>{}), make_layout(_5{}, _6{}));\n}\n",
            ),
            ("examples.cu", include_str!("../../../examples/wrong.cu")),
        ],
    )
}

/// A package of Python, with tests that make its instances.
fn python() -> Project {
    Project::of(
        "python",
        &[
            ("tiles/__init__.py", "from .kernel import Kernel, outer\n"),
            (
                "tiles/sizes.py",
                "ROWS = 16\nCOLUMNS = 8\n\n\ndef doubled(n):\n    return 2 * n\n",
            ),
            (
                "tiles/kernel.py",
                "import cutlass.cute as cute\nfrom .sizes import ROWS, COLUMNS, doubled\n\n\
                 outer = cute.make_layout((ROWS, COLUMNS), stride=(COLUMNS, 1))\n\n\n\
                 class Kernel:\n    def __init__(self, rows, columns=4):\n        self.rows = rows\n        self.columns = columns\n\n\
                 \x20   @cute.jit\n    def __call__(self):\n        whole = cute.make_layout((self.rows, self.columns))\n\
                 \x20       part = cute.logical_divide(whole, (2, 2))\n        twice = cute.make_layout(doubled(self.rows))\n        return part\n",
            ),
            (
                "tests/test_kernel.py",
                "import cutlass.cute as cute\nfrom tiles.kernel import Kernel\nfrom tiles import outer\n\n\n\
                 def test_small():\n    small = Kernel(8)\n    small()\n    tiled = cute.logical_divide(outer, (4, 4))\n\n\n\
                 def test_large():\n    large = Kernel(32, 16)\n    large()\n\n\ntest_small()\ntest_large()\n",
            ),
            (
                "main.py",
                "import cutlass.cute as cute\nfrom tiles import Kernel\n\nkernel = Kernel(64)\nshape = kernel()\n",
            ),
        ],
    )
}

/// Modules of Python that are beside each other.
fn python_flat() -> Project {
    Project::of(
        "python flat",
        &[
            (
                "shapes.py",
                "import cutlass.cute as cute\n\nTILE = (64, 32)\n\n\ndef swizzled(bits):\n    return cute.make_composed_layout(\n\
                 \x20       cute.make_swizzle(bits, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1))\n    )\n",
            ),
            (
                "copies.py",
                "import cutlass.cute as cute\nimport shapes\nfrom shapes import TILE, swizzled\n\n\
                 atom = swizzled(3)\ntile = cute.tile_to_shape(atom, TILE, (0, 1))\nrows = cute.make_layout(shapes.TILE)\n",
            ),
            (
                "smem_tile.py",
                include_str!("../../../examples/python/smem_tile.py"),
            ),
            (
                "use.py",
                "import cutlass.cute as cute\nfrom copies import tile, rows\n\nhalf = cute.logical_divide(rows, (32, 16))\n",
            ),
        ],
    )
}

/// A crate of Rust with modules.
fn rust() -> Project {
    let mut library =
        String::from("mod sizes;\npub mod tiles;\npub mod other;\n\nuse cute_algebra::layout;\n\n");
    let _ = write!(
        library,
        "pub fn whole() {{\n    let whole = layout!((sizes::ROWS, 8):(8, 1));\n    println!(\"{{whole}}\");\n}}\n"
    );
    Project::of(
        "rust",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"tiles\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
            ),
            (
                "src/sizes.rs",
                "pub const ROWS: i64 = 64;\npub const COLUMNS: i64 = ROWS / 2;\n",
            ),
            (
                "src/tiles.rs",
                "use cute_algebra::ops::{composition, logical_divide};\nuse cute_algebra::{Layout, Refusal, layout, tiler};\n\n\
                 use crate::sizes::{COLUMNS, ROWS};\n\n\
                 pub fn tiled() -> Result<Layout, Refusal> {\n    let matrix = layout!((ROWS, COLUMNS):(COLUMNS, 1));\n\
                 \x20   let picked = composition(&matrix, &layout!((4):(2)))?;\n    println!(\"{picked}\");\n    logical_divide(&matrix, &tiler!(8))\n}\n",
            ),
            ("src/other.rs", include_str!("../../../examples/rust/algebra.rs")),
        ],
    )
    .with("src/lib.rs", library)
}
