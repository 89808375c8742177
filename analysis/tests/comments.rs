//! Comments that state layouts and shapes: which variable they describe, when they are stale, and
//! what corrects them.

mod support;

use cute_analysis::{Finding, Options};
use support::{analysed, findings};

/// The rules of the findings of a source, in order.
fn rules(text: &str) -> Vec<&'static str> {
    let found = analysed(text, &Options::default()).findings;
    found.iter().map(|finding| finding.rule).collect()
}

/// A function around statements, with run-time sizes that start as numbers.
fn kernel(statements: &str) -> String {
    format!(
        "using namespace cute;\nvoid host(int argc, char** argv) {{\n  int M = 512;\n  \
         sscanf(argv[1], \"%d\", &M);\n  int N = 64;\n{statements}\n}}\n"
    )
}

#[test]
fn layouts_that_are_long_stand_below_a_short_first_line() {
    let found = analysed(
        &kernel(
            r"
  auto tile = make_layout(Shape<Shape<_128, _16>, _1, _4>{}, Stride<Stride<_64, _1>, _0, _16>{});
  print(tile);  // tile: ((_256,_16),_1,_4):((_64,_1),_0,_16)
",
        ),
        &Options::default(),
    )
    .findings;
    let messages: Vec<&str> = found
        .iter()
        .map(|finding| finding.message.as_str())
        .collect();
    assert_eq!(
        messages,
        ["the comment states a different layout than `tile`\n\
          the comment says ((_256,_16),_1,_4):((_64,_1),_0,_16), \
          but `tile` is ((_128,_16),_1,_4):((_64,_1),_0,_16)"]
    );
}

#[test]
fn each_comment_that_is_stale_shows_its_numbers_and_its_correction() {
    insta::assert_snapshot!(findings(&kernel(
        r"
  auto a = make_layout(make_shape(Int<8>{}, Int<4>{}));  // (_8,_4):(_4,_1)
  auto b = make_layout(make_shape(M, N));
  print(b);  // b: (512,64):(1,256)
  auto c = make_layout(make_shape(Int<8>{}, M, Int<2>{}));  // (BLK_M,BLK_K)
  auto d = make_shape(Int<8>{}, make_shape(Int<4>{}, Int<2>{}));  // (MMA=16, (4, 2))
  // (8,32)
  auto e = make_tensor(make_gmem_ptr<float>(nullptr), Layout<Shape<_8, _16>>{});
  print(e);  // e: gmem_ptr[16b](ADDR) o (_8,_16):(_1,_8)
  auto f = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});  // Sw<2,3,3> o 0 o (8,64):(64,1)
"
    )));
}

#[test]
fn comments_that_are_right_or_cannot_be_judged_are_none() {
    let right = kernel(
        r"
  auto a = make_layout(make_shape(Int<8>{}, Int<4>{}));  // (8,4):(1,8)
  auto b = make_layout(make_shape(M, N));  // (M,K):(1,M)
  print(b);  // b: (512,64):(1,512)
  print(b);  // other: (1,2):(3,4)
  auto c = make_layout(make_shape(Int<8>{}, M, Int<2>{}));  // (BLK_M,BLK_K,PIPE)
  auto d = make_layout(make_shape(make_shape(Int<2>{}, Int<4>{}), Int<2>{}));  // (8,2):(1,8)
  auto e = make_layout(make_shape(Int<1>{}, Int<4>{}));  // (1,4):(0,1)
  auto f = make_layout(make_shape(M, Int<4>{}));  // (?,4):(1,?)
  auto m = group<0, 2>(a);  // (8,4):(1,8)
  print(m);  // m: (M,N)
  auto g = unknown(a);  // (1,2,3)
  auto n = group<0, 2>(make_layout(
      make_shape(Int<8>{}, Int<4>{}, Int<2>{}),  // (A,B,C)
      make_stride(_1{}, _8{}, _32{})));  // (A,B,C)
  auto h = make_shape(Int<8>{}, Int<4>{}), i = make_shape(_1{}, _2{}, _3{});  // (A,B,C,D)
  auto j = get<0>(make_shape(a, Int<4>{}));  // see (1,2,3) above
  // (two,lines)
  // (of,a,sentence)
  auto k = make_shape(Int<8>{});
  auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});  // Sw<3,3,3> o 0 o (8,64):(64,1)
",
    );
    assert_eq!(rules(&right), [""; 0]);
}

#[test]
fn a_comment_describes_the_name_that_is_visible_where_it_stands() {
    let text = r"
using namespace cute;
void kernel() {
  auto a = Layout<_8>{};
  {
    auto a = Layout<_4>{};
    print(a);  // a: _4:_1
  }
  print(a);  // a: _8:_1
}
void other() {
  auto a = Layout<_16>{};  // a: _16:_1
  auto f = [&] {
    auto a = Layout<_2>{};
    print(a);  // a: _2:_1
  };
}
void two(Layout<_8> x,  // _8:_1
         Layout<_4> y)  // _4:_1
{
  // x: _4:_1
}
";
    let found = analysed(text, &Options::default()).findings;
    let lines: Vec<usize> = found.iter().map(|finding| line(text, finding)).collect();
    assert_eq!(lines, [21], "{found:#?}");
}

fn line(text: &str, finding: &Finding) -> usize {
    text[..finding.span.start].matches('\n').count() + 1
}

#[test]
fn a_comment_that_is_right_in_one_instance_is_right() {
    let text = |sizes: [u32; 2]| {
        format!(
            "using namespace cute;\ntemplate <class S>\n__global__ void kernel(S s) {{\n  \
             auto a = make_layout(s);  // (8,2):(1,8)\n}}\nvoid host() {{\n  \
             kernel<<<1, 1>>>(Shape<_{}, _2>{{}});\n  kernel<<<1, 1>>>(Shape<_{}, _2>{{}});\n}}\n",
            sizes[0], sizes[1]
        )
    };
    assert_eq!(rules(&text([8, 4])), [""; 0]);
    assert_eq!(rules(&text([16, 4])), ["stale-layout-comment"]);
}

#[test]
fn a_directive_silences_the_comment_behind_its_statement() {
    let text = |directive: &str| {
        kernel(&format!(
            "  {directive}\n  auto a = Layout<Shape<_8, _4>>{{}};  // (8,2):(1,8)"
        ))
    };
    assert_eq!(rules(&text("")), ["stale-layout-comment"]);
    assert_eq!(
        rules(&text("// cute: allow(stale-layout-comment)")),
        [""; 0]
    );
}

#[test]
fn an_assumed_size_is_no_nominal_one() {
    let text = kernel("  auto b = make_layout(make_shape(M, N));  // (512,64):(1,512)");
    let assumed = Options {
        assume: vec!["M=128".parse().unwrap()],
        ..Options::default()
    };
    let found = analysed(&text, &assumed).findings;
    assert_eq!(found.len(), 1);
    assert!(
        found[0].message.ends_with("(128,64):(1,128)"),
        "{}",
        found[0].message
    );
    assert!(analysed(&text, &Options::default()).findings.is_empty());
}

#[test]
fn a_correction_leaves_no_finding() {
    let text = kernel(
        "  auto b = make_layout(make_shape(M, Int<4>{}));  // (M, 8, PIPE)\n  print(b);  // b: (512,4):(4,1)\n",
    );
    let found = analysed(&text, &Options::default()).findings;
    let mut edited = text.clone();
    for finding in found.iter().rev() {
        let remedy = &finding.remedies[0];
        for edit in remedy.edits.iter().rev() {
            edited.replace_range(edit.span.start..edit.span.end, &edit.new_text);
        }
    }
    assert_eq!(found.len(), 2);
    assert!(edited.contains("// (M,4)\n"), "{edited}");
    assert!(edited.contains("// b: (512,4):(1,512)"), "{edited}");
    assert_eq!(rules(&edited), [""; 0]);
}

#[test]
fn literals_in_comments_and_strings_have_values() {
    let text = "// about Sw<3,3,3> o 0 o (8,64):(64,1)\nauto s = \"(4,8):(1,4)\";\n\
                // t: gmem_ptr[16b](PTR) o (_8,M):(_1,_8)\n\
                // u: UMMA::DescriptorIterator o (_1,_4):(_0,_2)\n";
    let analysis = analysed(text, &Options::default());
    let shown: Vec<(&str, String)> = analysis
        .mentions()
        .iter()
        .map(|mention| (mention.span.text(text), mention.value.to_string()))
        .collect();
    let expected = [
        (
            "Sw<3,3,3> o 0 o (8,64):(64,1)",
            "Sw<3,3,3> o 0 o (8,64):(64,1)",
        ),
        ("(4,8):(1,4)", "(4,8):(1,4)"),
        (
            "gmem_ptr[16b](PTR) o (_8,M):(_1,_8)",
            "gmem_ptr[16b](PTR) o (_8,M):(_1,_8)",
        ),
        (
            "UMMA::DescriptorIterator o (_1,_4):(_0,_2)",
            "(_1,_4):(_0,_2)",
        ),
    ];
    let shown: Vec<(&str, &str)> = shown.iter().map(|(a, b)| (*a, &**b)).collect();
    assert_eq!(shown, expected);
}

#[test]
fn a_correction_in_a_template_holds_in_every_instance() {
    let corrections = |comment: &str, calls: &str| -> Vec<String> {
        let text = format!(
            "using namespace cute;
template <int N> __global__ void k() {{
  auto t = make_layout(Shape<Int<N>, _4, _2>{{}});  // {comment}
}}
void host() {{ {calls} }}
"
        );
        let analysis = support::analysed(&text, &cute_analysis::Options::default());
        assert_eq!(analysis.findings.len(), 1, "{comment}");
        let remedies = analysis.findings.iter().flat_map(|found| &found.remedies);
        let edits = remedies.flat_map(|remedy| &remedy.edits);
        edits.map(|edit| edit.new_text.clone()).collect()
    };
    let (one, two) = ("k<8><<<1, 1>>>();", "k<8><<<1, 1>>>(); k<16><<<1, 1>>>();");
    assert_eq!(corrections("(BLK_M,BLK_N)", one), ["(8,4,2)"]);
    assert_eq!(corrections("(BLK_M,BLK_N)", two), ["(BLK_M,BLK_N,2)"]);
    assert_eq!(corrections("(99,4,2)", one), ["8"]);
    assert_eq!(corrections("(99,4,2)", two), [""; 0]);
    assert_eq!(corrections("(BLK_M,5,2)", two), ["4"]);
    assert_eq!(corrections("(9,4)", two), [""; 0]);
    assert_eq!(corrections("(9,4,2):(1,9,36)", two), [""; 0]);
}
