//! Inlay hints: the value of a declared layout at the end of its line.
//!
//! Quiet by design: one hint per line at most, none for plain integers, tuples of run-time integers
//! (`dim3`), parameters, types and what is not known. A hint stands at the end of the line, behind a comment if there is one,
//! so that it moves no code while code is being typed.

use std::fmt::{self, Write as _};
use std::ops::Range;

use cute_analysis::{Analysis, Fact, Kind, Role, Value};

use super::abbreviation;
use super::instances::Chosen;

/// What a hint is about; each can be switched off by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Class {
    /// A layout, with or without a swizzle.
    #[default]
    Layout,
    /// A tensor.
    Tensor,
    /// A swizzle alone.
    Swizzle,
    /// A tuple: a shape, a stride, a tile.
    Tuple,
}

/// What an editor shows beside a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// What it is about.
    pub class: Class,
    /// Where it stands: the end of a line.
    pub byte_offset: usize,
    /// Where the name stands that it is about.
    pub declared: Range<usize>,
    /// What it says of other instances, at its end: ` 1/3` where they differ.
    pub mark: String,
    /// What it says, in a few characters.
    pub label: String,
    /// The same unabbreviated, in CuTe's print.
    pub full: String,
    /// What a pointer on the hint shows: name, kind, print; all instances where they differ.
    pub tooltip: String,
}

/// The hints of a source, from top to bottom. `text` is the source that was analysed; of several
/// instances the chosen one is shown.
pub fn hints(analysis: &Analysis, text: &str, chosen: &Chosen) -> Vec<Hint> {
    hints_in(analysis, text, 0..text.len(), chosen)
}

/// The hints on the lines that a range of bytes touches.
pub fn hints_in(
    analysis: &Analysis,
    text: &str,
    range: Range<usize>,
    chosen: &Chosen,
) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    let first = text
        .get(..range.start)
        .and_then(|before| before.rfind('\n'));
    let lines = first.map_or(0, |end| end + 1)..=end_of_line(text, range.end);
    let mut facts: Vec<&Fact> = analysis
        .facts
        .iter()
        .filter(|fact| lines.contains(&fact.name_span.start))
        .collect();
    facts.sort_by_key(|fact| fact.name_span.start);
    for instances in facts.chunk_by(|a, b| a.name_span == b.name_span) {
        let (Some(first), true) = (
            instances.first(),
            instances.iter().any(|fact| is_hinted(fact)),
        ) else {
            continue;
        };
        let end = end_of_line(text, first.name_span.end);
        if hints.last().is_some_and(|hint| hint.byte_offset == end) {
            continue;
        }
        hints.extend(hint_of(instances, chosen, end));
    }
    hints
}

/// What was known of an earlier version of a source, when all instances were.
pub struct Before<'a> {
    /// All of it.
    pub analysis: &'a Analysis,
    /// That version.
    pub text: &'a str,
    /// Where a byte of it is now; `None` where it is no more.
    pub now: &'a dyn Fn(usize) -> Option<usize>,
    /// Where a byte of now was.
    pub then: &'a dyn Fn(usize) -> usize,
}

impl fmt::Debug for Before<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Before").finish_non_exhaustive()
    }
}

/// The same while of each name only the instance that is shown is known, and not yet of all names. What
/// an earlier version says of other instances still stands, and so does a hint of what is not known yet;
/// where its line was edited it ends in `…`.
pub fn first_hints_in(
    analysis: &Analysis,
    text: &str,
    range: Range<usize>,
    chosen: &Chosen,
    before: &Before<'_>,
) -> Vec<Hint> {
    let mut hints = hints_in(analysis, text, range.clone(), chosen);
    let then = (before.then)(range.start)..(before.then)(range.end);
    for old in hints_in(before.analysis, before.text, then, chosen) {
        let Some(at) = (before.now)(old.declared.start) else {
            continue;
        };
        if let Some(hint) = hints.iter_mut().find(|hint| hint.declared.start == at) {
            hint.label.push_str(&old.mark);
            hint.full.push_str(&old.mark);
            hint.mark = old.mark;
            continue;
        }
        let name = at..at + old.declared.len();
        let end = end_of_line(text, name.end.min(text.len()));
        let is_there = before.text.get(old.declared.clone()) == text.get(name);
        let was_edited = line_around(before.text, old.declared.start) != line_around(text, at);
        // What is not shown of one instance may be shown of another one.
        let is_known = analysis
            .facts
            .iter()
            .any(|fact| fact.name_span.start == at && (was_edited || old.mark.is_empty()));
        if is_there && !is_known && !hints.iter().any(|hint| hint.byte_offset == end) {
            let mark = if was_edited { "…" } else { "" };
            hints.push(Hint {
                byte_offset: end,
                declared: at..at + old.declared.len(),
                label: old.label + mark,
                full: old.full + mark,
                ..old
            });
        }
    }
    hints.sort_by_key(|hint| hint.byte_offset);
    hints
}

/// The line that holds a byte.
fn line_around(text: &str, byte: usize) -> &str {
    let before = text.get(..byte).unwrap_or_default();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    text.get(start..end_of_line(text, byte)).unwrap_or_default()
}

fn is_hinted(fact: &Fact) -> bool {
    matches!(fact.role, Role::Var | Role::Alias)
        && match fact.kind() {
            Kind::Layout | Kind::ComposedLayout | Kind::Tensor | Kind::Swizzle => true,
            // Run-time integers only, as in a `dim3` or `make_shape(M, N, K)`: the code says it.
            Kind::Tuple => has_static_part(&fact.value),
            _ => false,
        }
}

fn has_static_part(value: &Value) -> bool {
    match value {
        Value::Tuple(items) => items.iter().any(has_static_part),
        Value::Underscore => false,
        other => other.is_static(),
    }
}

/// The hint of a name: of the chosen instance, else of the first that has one.
fn hint_of(instances: &[&Fact], chosen: &Chosen, byte_offset: usize) -> Option<Hint> {
    let which = instances
        .iter()
        .map(|fact| (fact.function.as_deref(), fact.instance.as_deref()));
    let mut shown = chosen.first(which);
    if !instances.get(shown).is_some_and(|fact| is_hinted(fact)) {
        shown = instances.iter().position(|fact| is_hinted(fact))?;
    }
    let first = instances.get(shown)?;
    let full = print_of(first);
    let agree = instances.iter().all(|fact| print_of(fact) == full);
    let mark = if agree {
        String::new()
    } else {
        format!(" {}/{}", shown + 1, instances.len())
    };
    let mut tooltip = format!("{}: {}", first.name, first.kind().name());
    if agree {
        tooltip.push('\n');
        tooltip.push_str(&first.value.to_string());
    } else {
        for (index, fact) in instances.iter().enumerate() {
            let instance = fact.instance.as_deref().unwrap_or("");
            let number = index + 1;
            let of = instances.len();
            let value = match fact.reason() {
                Some(reason) => reason.to_string(),
                None => fact.value.to_string(),
            };
            let _ = write!(tooltip, "\n{number}/{of} {value}  {instance}");
        }
    }
    Some(Hint {
        class: class_of(first),
        byte_offset,
        declared: first.name_span.start..first.name_span.end,
        label: abbreviation::label(&first.value) + &mark,
        full: full + &mark,
        mark,
        tooltip,
    })
}

fn class_of(fact: &Fact) -> Class {
    match fact.kind() {
        Kind::Tensor => Class::Tensor,
        Kind::Swizzle => Class::Swizzle,
        Kind::Tuple => Class::Tuple,
        _ => Class::Layout,
    }
}

/// A tensor prints as its layout: where the memory is, is in the tooltip.
fn print_of(fact: &Fact) -> String {
    match (&*fact.value, fact.value.as_any_layout()) {
        // Its swizzle is part of where its elements are.
        (Value::Shared(shared), _) => shared.to_string(),
        (_, Some(layout)) => layout.to_string(),
        (value, None) => value.to_string(),
    }
}

/// The end of the line that holds a byte, without blanks at its end.
pub(super) fn end_of_line(text: &str, byte: usize) -> usize {
    let rest = text.get(byte..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    byte + line.trim_end().len()
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::tree::Span;

    use super::*;

    const SOURCE: &str = "auto s = make_layout(x);  // é  \r\nauto t = f(), u = g();\n";

    fn fact(name: &str, role: Role, value: Value, instance: Option<&str>) -> Fact {
        let start = SOURCE.find(&format!("{name} =")).unwrap();
        let span = Span::new(start, start + name.len());
        Fact {
            name: name.into(),
            name_span: span,
            span,
            role,
            function: None,
            value: value.into(),
            instance: instance.map(Into::into),
        }
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
    fn a_hint_stands_behind_the_comment() {
        let hints = hints_of(vec![fact("s", Role::Var, layout("(_8,M):(_1,_8)"), None)]);
        assert_eq!(hints.len(), 1);
        assert_eq!(
            &SOURCE[..hints[0].byte_offset],
            "auto s = make_layout(x);  // é"
        );
        assert_eq!(hints[0].label, "(8,M):(1,8)");
        assert_eq!(hints[0].full, "(_8,M):(_1,_8)");
    }

    #[test]
    fn a_line_has_one_hint() {
        let hints = hints_of(vec![
            fact("t", Role::Var, layout("_8:_1"), None),
            fact("u", Role::Var, layout("_4:_1"), None),
        ]);
        assert_eq!(hints.len(), 1);
        assert_eq!(hints[0].label, "8:1");
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
        assert_eq!(hints[0].label, "(8,M)");
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
        assert_eq!(hints(&analysis, SOURCE, &chosen)[0].label, "4:1 2/2");
        chosen.choose("gemm", None);
        assert_eq!(hints(&analysis, SOURCE, &chosen)[0].label, "8:1 1/2");
    }

    #[test]
    fn instances_that_differ_are_counted() {
        let hints = hints_of(vec![
            fact("s", Role::Var, layout("_8:_1"), Some("gemm_nt")),
            fact("s", Role::Var, layout("_4:_1"), Some("gemm_tn")),
        ]);
        assert_eq!(hints[0].label, "8:1 1/2");
        assert!(
            hints[0].tooltip.contains("2/2 _4:_1  gemm_tn"),
            "{}",
            hints[0].tooltip
        );
        let agree = hints_of(vec![
            fact("s", Role::Var, layout("_8:_1"), Some("gemm_nt")),
            fact("s", Role::Var, layout("_8:_1"), Some("gemm_tn")),
        ]);
        assert_eq!(agree[0].label, "8:1");
    }
}
