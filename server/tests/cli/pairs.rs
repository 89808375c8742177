//! Texts that were rewritten, each on a source of its own: the new text is there, the old one is not.

use tempfile::TempDir;

use crate::ask::ask;

/// What is asked, with `SOURCE` for the file of the source, and what the answer has and lacks.
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
        now: "add `// cute: instantiate tile<T, kM>` with its arguments above the template",
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
];

#[test]
fn each_text_is_the_better_one() {
    for pair in PAIRS {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("source.cu");
        let head = "#include <cute/tensor.hpp>\nusing namespace cute;\n";
        std::fs::write(&file, format!("{head}{}", pair.source)).expect("a file");
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
