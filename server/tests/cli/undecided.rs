//! The hover names a macro that no flag decides and that changes a value.

use std::fs;

use tempfile::TempDir;

use crate::ask::ask;

/// Each name has its value from another kind of condition.
const SOURCE: &str = "\
#ifndef CHOICES_CU
#define CHOICES_CU
#include \"sizes.h\"
using namespace cute;
#ifdef BIG
using T = Shape<_128, _64>;
#else
using T = Shape<_64, _64>;
#endif
#ifndef KSTAGES
#define KSTAGES 3
#endif
#if CUTE_DEPTH >= 4
constexpr int kDepth = 8;
#else
constexpr int kDepth = 2;
#endif
template <int N> CUTE_HOST_DEVICE constexpr int pick() {
#if defined(WIDE)
  if (N % 16 == 0) return 16;
#endif
  return 8;
}
struct Traits {
#if __CUDA_ARCH__ >= 1000
  using Row = Shape<_32>;
#else
  using Row = Shape<_16>;
#endif
};
void f(int m) {
  auto of_a_type = make_layout(T{});
  auto of_a_default = make_layout(Int<KSTAGES>{});
  auto of_a_number = make_layout(Int<kDepth>{});
  auto of_a_call = make_layout(Int<pick<32>()>{});
  auto of_a_class = make_layout(Traits::Row{});
  auto of_a_header = make_layout(Int<kHeader>{});
  using Op = decltype(SM90::GMMA::ss_op_selector<half_t, half_t, float, Shape<_128, _176, _64>>());
  auto of_an_instruction = make_tiled_mma(Op{});
#ifdef LOG_LAYOUTS
  print(of_a_type);
#endif
  auto of_none = make_layout(make_shape(m, _8{}));
  auto used = of_a_type;
}
#endif
";

const HEADER: &str = "\
#pragma once
#if !defined(SMALL)
constexpr int kHeader = 32;
#else
constexpr int kHeader = 4;
#endif
";

/// The hover of a name with flags.
fn hover(name: &str, flags: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("choices.cu");
    fs::write(&path, SOURCE).unwrap();
    fs::write(folder.path().join("sizes.h"), HEADER).unwrap();
    let line = SOURCE
        .lines()
        .position(|line| line.contains(&format!("{name} =")));
    let line = line.expect("the name") + 1;
    let place = format!("{}:{line}:8", path.display());
    let mut arguments = vec!["hover", &place];
    arguments.extend(flags);
    ask(&arguments).stdout
}

/// The lines of a hover about macros, one sentence in a line.
fn said(name: &str, flags: &[&str]) -> Vec<String> {
    let hover = hover(name, flags);
    let said = hover
        .lines()
        .filter(|line| line.contains("no flag decides"));
    said.map(str::to_owned).collect()
}

#[test]
fn a_macro_that_no_flag_decides_is_named_with_the_value_that_it_would_give() {
    let sentences: [(&str, &[&str]); 7] = [
        (
            "of_a_type",
            &["With -DBIG: (_128,_64):(_1,_128); no flag decides BIG (line 5)."],
        ),
        (
            "of_a_default",
            &["With -DKSTAGES=4: _4:_1; no flag decides KSTAGES (line 10)."],
        ),
        (
            "of_a_number",
            &["With -DCUTE_DEPTH=4: _8:_1; no flag decides CUTE_DEPTH (line 13)."],
        ),
        (
            "of_a_call",
            &["With -DWIDE: _16:_1; no flag decides WIDE (line 19)."],
        ),
        (
            "of_a_class",
            &["With --arch sm_100: (_32):(_1); no flag decides __CUDA_ARCH__ (line 25)."],
        ),
        (
            "of_a_header",
            &["With -DSMALL: _4:_1; no flag decides SMALL."],
        ),
        (
            "of_an_instruction",
            &[
                "With -DCUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED: 128 threads multiply a tile of (64,176,16) (M,N,K); \
               no flag decides CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED.",
            ],
        ),
    ];
    for (name, sentences) in sentences {
        assert_eq!(said(name, &[]), sentences, "{name}");
    }
}

#[test]
fn nothing_is_said_where_a_flag_decides_or_no_macro_changes_the_value() {
    assert_eq!(said("of_none", &[]), [""; 0]);
    let decided = [
        ("of_a_type", "BIG", "(_128,_64):(_1,_128)"),
        ("of_a_default", "KSTAGES=5", "_5:_1"),
        ("of_a_call", "WIDE", "_16:_1"),
        ("of_a_header", "SMALL", "_4:_1"),
    ];
    for (name, flag, value) in decided {
        let hover = hover(name, &["-D", flag]);
        assert!(hover.contains(value), "{hover}");
        assert!(!hover.contains("no flag decides"), "{hover}");
    }
}

#[test]
fn nothing_is_said_of_a_header_whose_units_give_the_name_several_values() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(".clangd", "");
    let header = "#pragma once\n#ifndef TILE\n#define TILE 16\n#endif\ninline void body() {\n  \
                  auto wide = make_layout(Int<TILE * 2>{});\n}\n";
    write("body.h", header);
    write(
        "large.cu",
        "#define TILE 32\n#include \"body.h\"\nvoid large() { body(); }\n",
    );
    let place = format!("{}:6:8", folder.path().join("body.h").display());
    let hover = ask(&["hover", &place]).stdout;
    // The only unit defines the macro itself.
    assert!(hover.contains("_64:_1"), "{hover}");
    assert!(!hover.contains("no flag decides"), "{hover}");
    write(
        "small.cu",
        "#include \"body.h\"\nvoid small() { body(); }\n",
    );
    let hover = ask(&["hover", &place]).stdout;
    assert!(
        hover.contains("_64:_1") && hover.contains("_32:_1"),
        "{hover}"
    );
    assert!(!hover.contains("no flag decides"), "{hover}");
}
