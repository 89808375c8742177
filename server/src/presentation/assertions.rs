//! Assertions of conditions on sizes and pointers, before the statement that needs them.
//!
//! As all rewrites they are proposals, proved before they are offered.

use std::collections::BTreeSet;
use std::ops::Range;

use cute_analysis::{Analysis, Edit, Finding, Number};
use tree_sitter_cute::tree::{
    Expr, Function, Ident, Item, ItemKind, Span, Unit, Visitor, walk_expr,
};

use super::rewrites::{Kind, Rewrite, indent, start_of_line};
use crate::expression;

/// `assert(ldA % 8 == 0);` for each precondition of a range whose names are known where it is;
/// `static_assert` where all of them are template parameters.
pub fn assertions(
    analysis: &Analysis,
    unit: &Unit,
    text: &str,
    asked: &Range<usize>,
) -> Vec<Rewrite> {
    let mut found: Vec<Rewrite> = Vec::new();
    for need in &analysis.preconditions {
        if asked.start > need.span.end || need.span.start > asked.end {
            continue;
        }
        let Some(rewrite) = assertion(need, unit, text) else {
            continue;
        };
        if !found.iter().any(|known| known.title == rewrite.title) {
            found.push(rewrite);
        }
    }
    found
}

fn assertion(need: &Finding, unit: &Unit, text: &str) -> Option<Rewrite> {
    let condition = condition(need)?;
    let around = Around::of(unit, need.span);
    let (function, statement) = (around.function?, around.statement?);
    let names = names(&condition)?;
    let of_types: BTreeSet<&str> = function
        .tparams
        .iter()
        .filter_map(|parameter| Some(parameter.name.as_ref()?.name.as_str()))
        .collect();
    let is_known = |name: &String| {
        of_types.contains(name.as_str()) || is_declared(function, name, statement.start)
    };
    if !names.iter().all(is_known) || !begins_statement(unit, text, statement.start) {
        return None;
    }
    let is_static = names.iter().all(|name| of_types.contains(name.as_str()));
    let word = if is_static { "static_assert" } else { "assert" };
    // On its own line where the statement begins one.
    let blanks = indent(text, statement.start);
    let begins_line = start_of_line(text, statement.start) + blanks.len() == statement.start;
    let end = if begins_line {
        format!("\n{blanks}")
    } else {
        " ".to_owned()
    };
    Some(Rewrite {
        title: format!("Assert that {condition}"),
        kind: Kind::Assert,
        edit: Edit {
            span: Span::new(statement.start, statement.start),
            new_text: format!("{word}({condition});{end}"),
        },
        name: need.span,
    })
}

/// A condition that has to hold, as C++ writes it.
fn condition(need: &Finding) -> Option<String> {
    let number = |name: &str| {
        let (_, number) = need.numbers.iter().find(|(key, _)| key == name)?;
        Some(number)
    };
    if let (Some(Number::Text(size)), Some(Number::Integer(by))) =
        (number("size"), number("divisor"))
    {
        let is_name = expression::parsed(size).ok()?.as_plain_name().is_some();
        return Some(if is_name {
            format!("{size} % {by} == 0")
        } else {
            format!("({size}) % {by} == 0")
        });
    }
    match (number("pointer"), number("bytes")) {
        (Some(Number::Text(pointer)), Some(Number::Integer(bytes))) => {
            let parsed = expression::parsed(pointer).ok()?;
            let raw = if parsed.as_plain_name().is_some() {
                pointer.clone()
            } else {
                format!("raw_pointer_cast({pointer})")
            };
            Some(format!("reinterpret_cast<uintptr_t>({raw}) % {bytes} == 0"))
        }
        _ => None,
    }
}

/// The variables that an expression names.
fn names(condition: &str) -> Option<BTreeSet<String>> {
    struct Names(BTreeSet<String>);
    impl Visitor for Names {
        fn expr(&mut self, expr: &Expr) {
            if let Some(name) = expr.as_plain_name() {
                self.0.insert(name.to_owned());
            } else {
                walk_expr(self, expr);
            }
        }
        fn ident(&mut self, _: &Ident) {}
    }
    // An expression with a cast is not named by it.
    let parsed = expression::parsed(condition).ok()?;
    let mut names = Names(BTreeSet::new());
    names.expr(&parsed);
    names.0.remove("uintptr_t");
    names.0.remove("raw_pointer_cast");
    names.0.remove("reinterpret_cast");
    (!names.0.is_empty()).then_some(names.0)
}

/// Whether a parameter or a variable of the outermost block of a function has a name, before a place.
fn is_declared(function: &Function, name: &str, before: usize) -> bool {
    let is_it = |ident: &Option<Ident>| ident.as_ref().is_some_and(|ident| ident.name == name);
    let is_parameter = function.params.iter().any(|param| is_it(&param.name));
    let body = function.body.as_deref().unwrap_or_default();
    is_parameter
        || body.iter().any(|item| match &item.kind {
            ItemKind::Binding(binding) => item.span.end <= before && is_it(&binding.name),
            _ => false,
        })
}

/// Whether another statement can be written before the one at a place: it is not all that belongs
/// to a condition.
fn begins_statement(unit: &Unit, text: &str, start: usize) -> bool {
    let mut end = start;
    loop {
        let before = text.get(..end).unwrap_or_default().trim_end();
        let comment = unit
            .comments
            .iter()
            .find(|comment| comment.span.start < before.len() && comment.span.end >= before.len());
        match comment {
            Some(comment) => end = comment.span.start,
            None => return before.ends_with(['{', '}', ';']),
        }
    }
}

/// The surroundings of a place.
#[derive(Default)]
struct Around<'u> {
    function: Option<&'u Function>,
    statement: Option<Span>,
}

impl<'u> Around<'u> {
    fn of(unit: &'u Unit, place: Span) -> Self {
        let mut around = Self::default();
        around.enter(&unit.items, place);
        around
    }

    fn enter(&mut self, items: &'u [Item], place: Span) {
        for item in items.iter().filter(|item| item.span.encloses(place)) {
            match &item.kind {
                ItemKind::Function(function) => {
                    self.function = Some(function);
                    self.statement = None;
                    self.enter(function.body.as_deref().unwrap_or_default(), place);
                }
                ItemKind::Record(record) => {
                    self.enter(record.members.as_deref().unwrap_or_default(), place);
                }
                ItemKind::Namespace(namespace) => self.enter(&namespace.items, place),
                ItemKind::Block(items) => self.enter(items, place),
                ItemKind::Given(given) => self.enter(&given.body, place),
                ItemKind::Conditional(conditional) => {
                    for branch in &conditional.branches {
                        self.enter(&branch.items, place);
                    }
                }
                ItemKind::If(branch) => {
                    self.statement = Some(item.span);
                    self.enter(&branch.then, place);
                    self.enter(branch.otherwise.as_deref().unwrap_or_default(), place);
                }
                ItemKind::Loop(repeat) => {
                    self.statement = Some(item.span);
                    self.enter(&repeat.body, place);
                }
                _ => self.statement = Some(item.span),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cute_analysis::{Alone, Options, SourceFile, analyse};
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    const SOURCE: &str = "using namespace cute;\nvoid host(half_t* a, int m, int k, int ldA) {\n  \
        Tensor mA = make_tensor(a, make_shape(m, k), make_stride(ldA, Int<1>{}));\n  \
        // The map.\n  \
        auto tma = make_tma_atom(SM90_TMA_LOAD{}, mA, Layout<Shape<_64, _8>>{}, Shape<_64, _8>{});\n}\n";

    fn analysed(text: &str) -> (Analysis, Unit) {
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let unit = syntax.lower(text);
        let file = SourceFile::analysed("test.cu", text, unit.clone());
        (analyse(&file, &Alone, &Options::default()), unit)
    }

    #[test]
    fn what_must_hold_is_asserted_in_front_of_its_statement() {
        let (before, unit) = analysed(SOURCE);
        let at = SOURCE.find("make_tma_atom").unwrap();
        let found = assertions(&before, &unit, SOURCE, &(at..at));
        let titles: Vec<&str> = found.iter().map(|found| found.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "Assert that reinterpret_cast<uintptr_t>(a) % 16 == 0",
                "Assert that ldA % 8 == 0"
            ]
        );
        let mut edited = SOURCE.to_owned();
        let edit = &found[1].edit;
        edited.replace_range(edit.span.start..edit.span.end, &edit.new_text);
        assert!(
            edited.contains("  // The map.\n  assert(ldA % 8 == 0);\n  auto tma"),
            "{edited}"
        );
        assert!(found[1].holds(&before, &analysed(&edited).0));
    }

    #[test]
    fn nothing_is_written_where_it_would_take_the_place_of_a_branch() {
        let text = SOURCE
            .replace("auto tma = ", "if (m > 0) g(")
            .replace("_8>{});\n}", "_8>{}));\n}");
        let (before, unit) = analysed(&text);
        let at = text.find("make_tma_atom").unwrap();
        let all = 0..text.len();
        assert!(!before.preconditions.is_empty());
        for found in assertions(&before, &unit, &text, &all) {
            let start = found.edit.span.start;
            assert!(start < at && text[start..].starts_with("if "), "{found:?}");
        }
    }
}
