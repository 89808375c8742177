//! Hovers of one value each, as a person reads them.

use cute_analysis::DeclaredValue;

use super::*;

fn shown(value: Value) -> Option<Hover> {
    let mut analysis = Analysis::default();
    let content = DeclaredValue {
        name: "sA".into(),
        role: Role::Var,
        function: None,
        value: value.into(),
        instance: None,
    };
    let fact = Fact::new(Span::new(5, 7), Span::new(0, 20), content);
    analysis.facts.push(fact);
    hover(
        &analysis,
        &Lines::new("auto sA = layout;"),
        6,
        &Chosen::default(),
        Findings::All,
    )
}

#[test]
fn a_layout_in_both_forms() {
    let hover = shown(Value::from(
        "(_128,_8):(_1,_128)"
            .parse::<cute_algebra::Layout>()
            .unwrap(),
    ))
    .unwrap();
    assert_eq!(hover.span, Span::new(5, 7));
    insta::assert_snapshot!(hover.plain, @r"
    sA: Layout, known at compile time
    (_128,_8):(_1,_128)
    size 1024, cosize 1024, rank 2
    mode 0 is contiguous (128 elements); compact: offsets 0 to 1023, each once
    ");
    insta::assert_snapshot!(hover.markdown, @r"
    **sA: Layout, known at compile time**
    ```text
    (_128,_8):(_1,_128)
    ```
    size 1024, cosize 1024, rank 2  
    mode 0 is contiguous (128 elements); compact: offsets 0 to 1023, each once
    ");
}

#[test]
fn a_swizzled_layout_names_the_bits() {
    let value = Value::from(
        "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"
            .parse::<cute_algebra::ComposedLayout>()
            .unwrap(),
    );
    insta::assert_snapshot!(shown(value).unwrap().plain, @r"
    sA: ComposedLayout, known at compile time
    Sw<3,3,3> o _0 o (_8,_64):(_64,_1)
    size 512, rank 2
    bits 3-5 ^= bits 6-8: permutes chunks of 8, the pattern repeats every 512 offsets
    ");
}

#[test]
fn what_is_no_layout_has_no_hover() {
    assert_eq!(shown(Value::Nothing), None);
    assert_eq!(
        shown(Value::Unknown(Reason::Undeclared("h_A".into()))),
        None
    );
}

#[test]
fn a_value_that_cannot_be_known_says_why_where_it_helps() {
    let reason = Reason::NotEvaluated("make_tma_copy".into());
    insta::assert_snapshot!(shown(Value::Unknown(reason)).unwrap().plain, @r"
    sA: unknown
    `make_tma_copy` is not evaluated yet
    ");
    let reason = Reason::Unbound("Traits".into());
    insta::assert_snapshot!(shown(Value::Unknown(reason)).unwrap().plain, @r"
    sA: unknown
    template parameter `Traits` has no visible instantiation
    add `// cute: instantiate NAME<arguments>` above the template, or add the file that instantiates it
    ");
}

#[test]
fn a_use_of_a_name_that_is_unknown_says_what_its_declaration_says() {
    let text = "using namespace cute;\ntemplate <class T> void f() {\n  auto t = make_tensor<T>(T{});\n  \
                auto u = t;\n  other(t);\n}\n";
    let syntax = tree_sitter_cute::Syntax::parse(
        tree_sitter_cute::Host::CudaCpp,
        text,
        None,
        tree_sitter_cute::Budget::unlimited(),
    );
    let file = cute_analysis::SourceFile::parsed("f.cu", text, syntax.unwrap().into());
    let options = cute_analysis::Options::default();
    let analysis = cute_analysis::analyse(&file, &cute_analysis::Alone, &options);
    let at = |byte: usize| {
        let lines = Lines::new(text);
        hover(&analysis, &lines, byte, &Chosen::default(), Findings::All).map(|it| it.plain)
    };
    let declared = at(text.find("t = make").unwrap()).unwrap();
    assert!(declared.starts_with("t: unknown\n"), "{declared}");
    let made = "made on line 3 by: t = make_tensor<T>(T{})\n";
    assert_eq!(
        at(text.find("t);").unwrap()),
        Some(format!("{declared}{made}"))
    );
}

#[test]
fn the_tensor_of_a_slice_is_behind_its_value() {
    let text = "using namespace cute;\nvoid f(int k) {\n  \
                auto sA = make_layout(make_shape(_8{}, _4{}, _3{}));\n  auto stage = sA(_, _, k);\n  \
                auto place = sA(1, 2, k);\n  other(stage);\n}\n";
    let syntax = tree_sitter_cute::Syntax::parse(
        tree_sitter_cute::Host::CudaCpp,
        text,
        None,
        tree_sitter_cute::Budget::unlimited(),
    );
    let file = cute_analysis::SourceFile::parsed("f.cu", text, syntax.unwrap().into());
    let options = cute_analysis::Options::default();
    let analysis = cute_analysis::analyse(&file, &cute_analysis::Alone, &options);
    let at = |place: &str| {
        let (lines, byte) = (Lines::new(text), text.find(place).unwrap());
        let said = hover(&analysis, &lines, byte, &Chosen::default(), Findings::All).unwrap();
        said.plain.lines().take(4).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(at("stage = "), @r"
    stage: Layout, known at compile time
    (_8,_4):(_1,_8)
    slice of sA: (_8,_4,_3):(_1,_8,_32)
    size 32, cosize 32, rank 2
    ");
    insta::assert_snapshot!(at("stage);"), @r"
    stage: Layout, known at compile time
    (_8,_4):(_1,_8)
    made on line 4 by: stage = sA(_, _, k)
    slice of sA: (_8,_4,_3):(_1,_8,_32)
    ");
    // A coordinate gives an offset.
    assert!(!at("place = ").contains("slice"));
}
