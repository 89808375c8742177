//! Texts that were rewritten, each on its own source: the new text is there, the old one is not.

use std::fs;

use tempfile::TempDir;

use crate::ask::{ask, root};

/// The arguments, with `SOURCE` for the file of the source, and texts that the answer has and lacks.
struct Pair {
    source: &'static str,
    arguments: &'static [&'static str],
    now: &'static str,
    before: &'static str,
}

/// A composition that has no layout.
const NO_COMPOSITION: &str = "\
void f() {
  auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));
  auto sixth = make_layout(Int<3>{}, Int<6>{});
  auto r = composition(columns, sixth);
}
";

/// A composition whose condition and cosize depend on a run-time size.
const RUN_TIME: &str = "\
void f(int M) {
  auto c = composition(make_layout(make_shape(M, Int<5>{}), make_stride(Int<1>{}, M)), make_layout(Int<3>{}, Int<5>{}));
}
";

/// Two instances of one kernel, which differ in a template argument.
const TWO_INSTANCES: &str = "\
template <int kM>
__global__ void tile(float* p) {
  __shared__ float smem[kM * 8];
  auto s = make_tensor(make_smem_ptr(smem), make_layout(make_shape(Int<kM>{}, Int<8>{})));
}
void host(float* p) {
  tile<128><<<1, 256>>>(p);
  tile<64><<<1, 256>>>(p);
}
";

/// A stage that counts to 3 where there are three stages, and a barrier that all threads arrive at.
const STAGES: &str = "\
struct Storage {
  alignas(128) half_t a[64 * 64 * 3];
  uint64_t empty;
};
__global__ void multiply(int tiles) {
  extern __shared__ char bytes[];
  Storage& smem = *reinterpret_cast<Storage*>(bytes);
  Tensor sA = make_tensor(make_smem_ptr(smem.a), Layout<Shape<_64, _64, _3>, Stride<_1, _64, Int<4096>>>{});
  Tensor rA = make_tensor<half_t>(Shape<_64, _64>{});
  int stage = 0;
  for (int k = 0; k < tiles; ++k) {
    copy(sA(_, _, stage), rA);
    stage = stage == 3 ? 0 : stage + 1;
  }
  if (threadIdx.x == 0) {
    cutlass::arch::ClusterBarrier::init(&smem.empty, 1);
  }
  __syncthreads();
  cutlass::arch::ClusterBarrier::arrive(&smem.empty);
}
void launch(int tiles) {
  multiply<<<64, 128, sizeof(Storage)>>>(tiles);
}
";

/// A number that is one of two, and a tensor in global memory.
const CHOICE: &str = "\
void f(bool varlen, int b, int h, half_t* p) {
  auto l = make_layout(make_shape(varlen ? 1 : b, h));
  auto t = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<64>{}, Int<64>{}), make_stride(Int<64>{}, Int<1>{})));
}
";

/// A loop that the evaluation does not reach the end of.
const ENDLESS: &str = "\
template <int N> struct Deep { using type = typename Deep<N + 1>::type; };
void f() {
  auto l = make_layout(typename Deep<0>::type{});
}
";

const PAIRS: &[Pair] = &[
    Pair {
        source: "void f() {\n  auto a = composition(make_layout(Int<8>{}), make_layout(Int<4>{}));\n}\n",
        arguments: &["hover", "SOURCE:4:12"],
        now: "composition(make_layout(Int<8>{}), make_layout(Int<4>{})): Layout, known at compile time",
        before: "expression: Layout, static",
    },
    Pair {
        source: "void f() {\n  auto a = logical_divide(make_layout(Int<8>{}), Int<4>{});\n}\n",
        arguments: &["hover", "SOURCE:4:12"],
        now: "splits the layout into tiles: mode 0 = inside a tile, mode 1 = which tile",
        before: "where the other tiles lie",
    },
    Pair {
        source: "void f() {\n  auto a = make_layout(make_shape(Int<6>{}, Int<2>{}), make_stride(Int<1>{}, Int<7>{}));\n  \
                 auto b = make_layout(make_shape(Int<3>{}, Int<2>{}), make_stride(Int<2>{}, Int<3>{}));\n  \
                 auto r = composition(a, b);\n}\n",
        arguments: &["check", "SOURCE"],
        now: "CuTe compiles this and gets it wrong: at coordinate 5 the result is 7, a(b(5)) is 8",
        before: "is not the composition of the two functions",
    },
    Pair {
        source: NO_COMPOSITION,
        arguments: &["check", "SOURCE"],
        now: "because of `sixth`",
        before: "this operand causes it",
    },
    Pair {
        source: NO_COMPOSITION,
        arguments: &["check", "SOURCE"],
        now: "Make sixth 3:4: 6 → 4 on line 5",
        before: "Use 3:4: change",
    },
    Pair {
        source: "void f() {\n  auto s = Swizzle<3,3,3>{};\n}\n",
        arguments: &["hover", "SOURCE:4:8"],
        now: "bits 3-5 ^= bits 6-8: permutes chunks of 8, the pattern repeats every 512 offsets",
        before: "xors 3 bits",
    },
    Pair {
        source: "void f() {\n  auto l = make_layout(make_shape(Int<4>{}, Int<2>{}), make_stride(Int<2>{}, Int<16>{}));\n}\n",
        arguments: &["hover", "SOURCE:4:8"],
        now: "not compact: offset 1 (of 0 to 22) is never used",
        before: "leaves holes",
    },
    Pair {
        source: "void f() {\n  auto a = unheard_of(3);\n}\n",
        arguments: &["hover", "SOURCE:4:8"],
        now: "`unheard_of`",
        before: "nothing is known of layouts there",
    },
    Pair {
        source: "template <class T, int kM>\nvoid tile() {\n  auto a = typename T::Layout{};\n}\n",
        arguments: &["hover", "SOURCE:5:8"],
        now: "add `// cute: instantiate tile<T, 128>` with its arguments above the template",
        before: "instantiate NAME<",
    },
    Pair {
        source: "",
        arguments: &["draw", "SM90_64x64x16_F32F16F16_SS"],
        now: "SM90_64x64x16_F32F16F16_SS` needs template arguments",
        before: "type is no",
    },
    Pair {
        source: "",
        arguments: &["draw", "SM90_64x64x16_F32F16F16_SS{}"],
        now: "SM90_64x64x16_F32F16F16_SS` needs template arguments",
        before: "other is not",
    },
    Pair {
        source: "",
        arguments: &["draw", "make_layout(make_shape(K, M))"],
        now: "`K` and `M` are known only at run time; give them values: `--assume 'K=…' --assume 'M=…'`",
        before: "give it a value",
    },
    Pair {
        source: RUN_TIME,
        arguments: &["hover", "SOURCE:4:8"],
        now: "cosize depends on M",
        before: "cosize -M",
    },
    Pair {
        source: RUN_TIME,
        arguments: &["hover", "SOURCE:4:8"],
        now: "needs: 5 < M or 5 % M == 0",
        before: "stopped after",
    },
    Pair {
        source: "void f() {\n  auto t = make_tensor(make_smem_ptr<half_t>(nullptr), make_layout(make_shape(Int<8>{}, Int<64>{}), \
                 make_stride(Int<64>{}, Int<1>{})));\n}\n",
        arguments: &["hover", "SOURCE:4:8"],
        now: "8 lanes along mode 0, one element each: 8-way bank conflict",
        before: "a warp along mode 0",
    },
    Pair {
        source: TWO_INSTANCES,
        arguments: &["hover", "SOURCE:6:8"],
        now: "shown: instance 1 of 2, kM=128",
        before: "1/2 is tile",
    },
    Pair {
        source: TWO_INSTANCES,
        arguments: &["summary", "SOURCE"],
        now: "smem 4 of 227 KiB",
        before: "B shared, ",
    },
    Pair {
        source: CHOICE,
        arguments: &["hover", "SOURCE:4:8"],
        now: "((varlen ? 1 : b),h)",
        before: "either",
    },
    Pair {
        source: CHOICE,
        arguments: &["hover", "SOURCE:5:8"],
        now: "widest vector access: ",
        before: "16 bits elements",
    },
    Pair {
        source: "void f() {\n  auto a = composition(make_layout(Int<8>{}), make_layout(Int<4>{}));\n}\n",
        arguments: &["hover", "SOURCE:4:14"],
        now: "composition(layout, tiler): R with R(c) = layout(tiler(c)) for every coordinate c of tiler",
        before: "R(c) = A(B(c)) for every coordinate c of B",
    },
    Pair {
        source: NO_COMPOSITION,
        arguments: &["check", "SOURCE"],
        now: "stride 6 of sixth crosses an extent of 4 in columns unevenly: 6 % 4 = 2",
        before: "neither divides nor is smaller",
    },
    Pair {
        source: STAGES,
        arguments: &["check", "SOURCE"],
        now: "index can reach 3, but mode 2 of the tensor has 3 stages: out of bounds",
        before: "is other memory",
    },
    Pair {
        source: STAGES,
        arguments: &["check", "SOURCE"],
        now: "barrier expects 1 arrival per phase, but 128 arrive: ",
        before: "a phase of the barrier ends with arrival",
    },
    Pair {
        source: ENDLESS,
        arguments: &["hover", "SOURCE:5:8"],
        now: "evaluation limit reached",
        before: "stopped after",
    },
    Pair {
        source: "",
        arguments: &["check", "--help"],
        now: "Also check warp memory accesses: bank conflicts and uncoalesced sectors",
        before: "Judge what a warp makes of memory",
    },
];

/// A page or a manifest, what it says now and what it said before.
const TEXTS: &[(&str, &str, &str)] = &[
    (
        "server/src/presentation/lenses.rs",
        "{}: instance {}/{count}: {label} · click for the next",
        "instance {} of {}",
    ),
    (
        "editors/vscode/package.json",
        "\"title\": \"Show LSP Trace\"",
        "Show Messages to and from the Server",
    ),
    (
        "editors/vscode/package.json",
        "\"title\": \"Explore a layout in the panel\"",
        "Look at a layout",
    ),
    (
        "editors/vscode/package.json",
        "\"title\": \"Assume run-time sizes\"",
        "Say what it cannot know",
    ),
    (
        "docs/features.md",
        "types shows the value of one launch; click the lens for the others.",
        "one value per instance",
    ),
    (
        "docs/features.md",
        "a file guarded by an undefined build\nmacro is read as if the macro were defined.",
        "a source that is empty without a macro of its build",
    ),
    (
        "docs/rules/README.md",
        "The multicast mask does not match the CTAs that share the tile.",
        "A multicast whose mask names other CTAs",
    ),
    (
        "docs/rules/README.md",
        "No matrix descriptor can express this shared-memory tile.",
        "A tile of shared memory that no matrix descriptor says.",
    ),
    (
        "docs/rules/arrival-count-mismatch.md",
        "A barrier expects a different number of arrivals than each phase delivers.",
        "A barrier counts other arrivals",
    ),
    (
        "docs/project-file.md",
        "Command-line flags and editor settings are added to these.",
        "comes on top",
    ),
    (
        "docs/editors.md",
        "not supported yet: Zed needs an extension",
        "which there is none of",
    ),
    (
        "docs/reliability.md",
        "A slow request never blocks a fast one",
        "hold up no quick one",
    ),
    (
        "CHANGELOG.md",
        "`explain` reports every sum of modes that exceeds a bound which each mode alone respects.",
        "tells of every sum of modes",
    ),
    (
        "analysis/src/interpret/computed.rs",
        "/// Callee of the most recently evaluated call.",
        "was found to call",
    ),
    (
        "analysis/src/trace.rs",
        "/// Effects of callees that receive its memory, each with the number of own actions before it.",
        "What functions do that it gives",
    ),
];

#[test]
fn forty_texts_are_the_better_ones() {
    assert_eq!(PAIRS.len() + TEXTS.len(), 40);
    for (file, now, before) in TEXTS {
        let text = fs::read_to_string(root().join(file)).expect(file);
        assert!(text.contains(now), "{file}: {now}");
        assert!(!text.contains(before), "{file}: {before}");
    }
}

#[test]
fn each_text_is_the_better_one() {
    for pair in PAIRS {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("source.cu");
        let head = "#include <cute/tensor.hpp>\nusing namespace cute;\n";
        fs::write(&file, format!("{head}{}", pair.source)).expect("a file");
        let file = file.display().to_string();
        let arguments: Vec<String> = pair
            .arguments
            .iter()
            .map(|argument| argument.replace("SOURCE", &file))
            .collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = ask(&arguments);
        let said = format!("{}{}", answer.stdout, answer.stderr);
        assert!(
            said.contains(pair.now),
            "{arguments:?}: `{}` in\n{said}",
            pair.now
        );
        assert!(!said.contains(pair.before), "{arguments:?}:\n{said}");
    }
}
