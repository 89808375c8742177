//! Hints of a few declarations each.

use std::sync::Arc;

use cute_analysis::{DeclaredValue, Value};
use cute_hardware::{MmaAtom, TiledMma};
use tree_sitter_cute::tree::Span;

use super::interest::{is_member_of_class, writes};
use super::label::short;
use super::*;

const SOURCE: &str = "auto s = make_layout(x);  // é  \r\nauto t = f(), u = g();\n";

fn fact(name: &str, role: Role, value: Value, instance: Option<&str>) -> Fact {
    let start = SOURCE.find(&format!("{name} =")).unwrap();
    let name_span = Span::new(start, start + name.len());
    let rest = &SOURCE[start..];
    let declared_from = SOURCE[..start].rfind("auto").unwrap();
    let initialiser = rest.find(')').unwrap() + 1;
    let span = Span::new(declared_from, start + initialiser);
    let content = DeclaredValue {
        name: name.into(),
        role,
        function: None,
        value: value.into(),
        instance: instance.map(Into::into),
    };
    Fact::new(name_span, span, content)
}

fn layout(text: &str) -> Value {
    Value::from(text.parse::<cute_algebra::Layout>().unwrap())
}

fn hints_of(facts: Vec<Fact>) -> Vec<Hint> {
    let mut analysis = Analysis::default();
    analysis.facts = facts;
    hints(&analysis, SOURCE, &Chosen::default())
}

#[test]
fn a_hint_stands_at_the_end_of_the_statement() {
    let hints = hints_of(vec![fact("s", Role::Var, layout("(_8,M):(_1,_8)"), None)]);
    assert_eq!(hints.len(), 1);
    let before = &SOURCE[..hints[0].byte_offset];
    assert_eq!(before, "auto s = make_layout(x);");
    assert_eq!(hints[0].label(43), "(8,M):(1,8)");
    assert_eq!(hints[0].label(0), "(_8,M):(_1,_8)");
}

#[test]
fn a_statement_has_one_hint_with_the_names_that_it_declares() {
    let hints = hints_of(vec![
        fact("t", Role::Var, layout("_8:_1"), None),
        fact("u", Role::Var, layout("_4:_1"), None),
    ]);
    assert_eq!(hints.len(), 1);
    assert_eq!(hints[0].label(43), "t 8:1, u 4:1");
    assert_eq!(hints[0].label(0), "t _8:_1, u _4:_1");
    assert_eq!(hints[0].label(10), "t 8:1…");
    assert!(SOURCE[hints[0].byte_offset..].starts_with('\n'));
}

#[test]
fn of_many_names_those_are_told_that_have_room_for_a_value() {
    let shown = |name: &str| Shown {
        class: Class::Layout,
        name: name.into(),
        said: Said::Evaluated(layout("(_128,_64):(_64,_1)").into(), Dialect::Cute),
    };
    let mut hint = Hint {
        shown: ["first_layout_atom", "second_layout_atom", "third"]
            .map(shown)
            .into(),
        ..Hint::default()
    };
    assert_eq!(hint.label(43), "first_layout_atom (128,64):(64,1)…");
    hint.shown.drain(..2);
    hint.shown.push(shown("u"));
    assert_eq!(hint.label(43), "third (128,64):(64,1), u (128,64):(64,1)");
}

#[test]
fn parts_that_do_not_fit_are_left_out_whole() {
    let mma = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap();
    let mma = TiledMma::new(mma, Some("(_2,_2):(_1,_2)".parse().unwrap()), vec![]).unwrap();
    let value = Value::TiledMma(Arc::new(mma));
    let said = |width| short(&value, Dialect::Cute, width);
    assert_eq!(said(43), "tile (32,16,16), 128 threads, atom 16x8x16");
    assert_eq!(said(34), "tile (32,16,16), 128 threads…");
    assert_eq!(said(20), "tile (32,16,16)…");
}

#[test]
fn integers_and_parameters_have_none() {
    let hints = hints_of(vec![
        fact(
            "s",
            Role::Var,
            Value::Int(cute_algebra::Int::fixed(128)),
            None,
        ),
        fact("t", Role::Param, layout("_8:_1"), None),
    ]);
    assert_eq!(hints, []);
}

#[test]
fn a_number_of_another_class_is_told_from_one_that_is_written() {
    assert!(is_member_of_class(" = Kernel_traits::kBlockM"));
    assert!(is_member_of_class("= typename A<B, 2>::Traits::kN"));
    for other in [
        "= 128",
        "= kM",
        "= std::max(a, b)",
        "= sizeof(T::x)",
        "= A::f() + 1",
    ] {
        assert!(!is_member_of_class(other), "{other}");
    }
    assert!(writes(" = !local ? 0 : std::max(0, m)", 0));
    assert!(!writes(" = ceil_div(k128, 12) + 1", 128));
}

#[test]
fn tuples_have_one_where_the_compiler_knows_a_part() {
    let int = |int: cute_algebra::Int| Value::Int(int);
    let known = int(cute_algebra::Int::fixed(8));
    let symbol = int(cute_algebra::Int::symbol("M"));
    let number = int(cute_algebra::Int::dynamic(256));
    let hints = hints_of(vec![
        fact(
            "s",
            Role::Var,
            Value::Tuple(vec![known, symbol.clone()]),
            None,
        ),
        fact(
            "t",
            Role::Var,
            Value::Tuple(vec![number, symbol, Value::Underscore]),
            None,
        ),
    ]);
    assert_eq!(hints.len(), 1);
    assert_eq!(hints[0].label(43), "(8,M)");
}

#[test]
fn a_chosen_instance_is_shown_first() {
    let mut facts = vec![
        fact("s", Role::Var, layout("_8:_1"), Some("line 1")),
        fact("s", Role::Var, layout("_4:_1"), Some("line 2")),
    ];
    for fact in &mut facts {
        fact.function = Some("gemm".into());
    }
    let mut analysis = Analysis::default();
    analysis.facts = facts;
    let mut chosen = Chosen::default();
    chosen.choose("gemm", Some("line 2".to_owned()));
    assert_eq!(hints(&analysis, SOURCE, &chosen)[0].label(43), "4:1");
    chosen.choose("gemm", None);
    assert_eq!(hints(&analysis, SOURCE, &chosen)[0].label(43), "8:1");
}

#[test]
fn instances_that_differ_are_in_the_tooltip() {
    let hints = hints_of(vec![
        fact("s", Role::Var, layout("_8:_1"), Some("gemm_nt")),
        fact("s", Role::Var, layout("_4:_1"), Some("gemm_tn")),
    ]);
    assert_eq!(hints[0].label(43), "8:1");
    assert!(
        hints[0].tooltip.contains("2/2 _4:_1  gemm_tn"),
        "{}",
        hints[0].tooltip
    );
    let agree = hints_of(vec![
        fact("s", Role::Var, layout("_8:_1"), Some("gemm_nt")),
        fact("s", Role::Var, layout("_8:_1"), Some("gemm_tn")),
    ]);
    assert_eq!(agree[0].label(43), "8:1");
}
