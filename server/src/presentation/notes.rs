//! Comments that a source may get: an assumption about a run-time size, and the value of a name.
//!
//! As all rewrites they are proposals, proved before they are offered.

use std::collections::BTreeSet;
use std::ops::Range;

use cute_analysis::{Analysis, Edit, Kind as ValueKind, Number, Role};
use tree_sitter_cute::Host;
use tree_sitter_cute::tree::Span;

use super::abbreviation::LONGEST;
use super::rewrites::{Kind, Rewrite, indent, start_of_line};

/// The mark of a comment that reaches to the end of its line.
fn mark(host: Host) -> &'static str {
    match host {
        Host::Python => "#",
        Host::CudaCpp | Host::Rust => "//",
    }
}

/// `// cute: assume K % 64 == 0` above each line of a range on which something is open: facts that
/// may decide it, the weakest first.
pub fn assumptions(
    analysis: &Analysis,
    text: &str,
    asked: &Range<usize>,
    host: Host,
) -> Vec<Rewrite> {
    let mut found: Vec<Rewrite> = Vec::new();
    for open in &analysis.preconditions {
        let known = found.iter().any(|rewrite| rewrite.name == open.span);
        if known || asked.start > open.span.end || open.span.start > asked.end {
            continue;
        }
        let line = start_of_line(text, open.span.start);
        for fact in facts(analysis, open.span) {
            let comment = format!("{}{} cute: assume {fact}\n", indent(text, line), mark(host));
            found.push(Rewrite {
                title: format!("Assume that {fact}"),
                kind: Kind::Assume,
                edit: Edit {
                    span: Span::new(line, line),
                    new_text: comment,
                },
                name: open.span,
            });
        }
    }
    found
}

/// `// cute: assume varlen=1` and `=0` above the line of a declaration whose value a run-time truth value decides.
pub fn truths(analysis: &Analysis, text: &str, byte: usize, host: Host) -> Vec<Rewrite> {
    let facts = analysis.facts_at(byte);
    let decided = facts.first().filter(|fact| fact.role == Role::Var);
    let Some((fact, name)) = decided.and_then(|fact| Some((fact, fact.reason()?.undecided()?)))
    else {
        return Vec::new();
    };
    let line = start_of_line(text, fact.span.start);
    let assume = |value: u8| Rewrite {
        title: format!("Assume that {name} is {}", value == 1),
        kind: Kind::Decide,
        edit: Edit {
            span: Span::new(line, line),
            new_text: format!(
                "{}{} cute: assume {name}={value}\n",
                indent(text, line),
                mark(host)
            ),
        },
        name: fact.name_span,
    };
    [1, 0].map(assume).into()
}

/// Facts that may decide an open condition at a span: that a run-time size it names is a multiple of a number that
/// plays a part there, or of all of them.
fn facts(analysis: &Analysis, span: Span) -> Vec<String> {
    let (mut names, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    let open = analysis.preconditions.iter();
    for found in open.filter(|found| found.span == span) {
        for (role, number) in &found.numbers {
            match number {
                Number::Integer(value) if *value > 1 => {
                    numbers.insert(*value);
                }
                Number::Text(text) if role != "rule" && is_name(text) => {
                    names.insert(text.as_str());
                }
                _ => {}
            }
        }
    }
    let all = numbers
        .iter()
        .try_fold(1_i64, |all, number| all.checked_mul(*number));
    numbers.extend(all.filter(|all| *all > 1));
    let facts = names.into_iter().flat_map(|name| {
        let numbers = numbers.iter();
        numbers.map(move |number| format!("{name} % {number} == 0"))
    });
    facts.collect()
}

fn is_name(text: &str) -> bool {
    let of_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    !text.is_empty() && text.chars().all(of_name)
}

/// The value of the layout that is declared at a byte, as a comment behind its declaration.
pub fn description(analysis: &Analysis, text: &str, byte: usize, host: Host) -> Option<Rewrite> {
    let facts = analysis.facts_at(byte);
    let fact = facts.first()?;
    let is_shown = matches!(
        fact.kind(),
        ValueKind::Layout | ValueKind::ComposedLayout | ValueKind::Tensor
    );
    let agree = facts.iter().all(|other| other.value == fact.value);
    if fact.role != Role::Var || !is_shown || !agree {
        return None;
    }
    let value = analysis.dialect.text_of_layout(&fact.value);
    let line = text.get(fact.span.end..)?.split(['\n', '\r']).next()?;
    // A comment is there already, or the statement goes on.
    let ends_here = line.trim_start().trim_start_matches(';').trim().is_empty();
    if !ends_here || value.chars().count() > 2 * LONGEST {
        return None;
    }
    let end = fact.span.end + line.trim_end().len();
    Some(Rewrite {
        title: format!("Note that {} is {value}", fact.name),
        kind: Kind::Describe,
        edit: Edit {
            span: Span::new(end, end),
            new_text: format!("  {} {value}", mark(host)),
        },
        name: fact.name_span,
    })
}

#[cfg(test)]
mod tests {
    use cute_analysis::{Alone, Options, SourceFile, analyse};
    use tree_sitter_cute::{Budget, Syntax};

    use super::*;

    const SOURCE: &str = "using namespace cute;\nvoid host(int K) {\n  \
        auto a = make_layout(make_shape(K, Int<8>{}));\n  \
        auto part = composition(a, make_layout(Int<4>{}, Int<64>{}));\n}\n";

    fn analysed(text: &str) -> Analysis {
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let file = SourceFile::analysed("test.cu", text, syntax.lower(text));
        analyse(&file, &Alone, &Options::default())
    }

    fn applied(text: &str, edit: &Edit) -> String {
        let mut text = text.to_owned();
        text.replace_range(edit.span.start..edit.span.end, &edit.new_text);
        text
    }

    #[test]
    fn an_assumption_decides_what_was_open() {
        let before = analysed(SOURCE);
        let at = SOURCE.find("composition").unwrap();
        let proposed = assumptions(&before, SOURCE, &(at..at), Host::CudaCpp);
        let holding: Vec<&str> = proposed
            .iter()
            .filter(|found| found.holds(&before, &analysed(&applied(SOURCE, &found.edit))))
            .map(|found| found.title.as_str())
            .collect();
        assert_eq!(holding, ["Assume that K % 256 == 0"]);
        let edited = applied(SOURCE, &proposed[0].edit);
        assert!(
            edited.contains("  // cute: assume K % 4 == 0\n  auto part"),
            "{edited}"
        );
        assert_eq!(assumptions(&before, SOURCE, &(0..0), Host::CudaCpp), []);
    }

    #[test]
    fn a_truth_value_that_decides_can_be_assumed() {
        let source = "using namespace cute;\nstruct P { bool wide; };\nvoid f(P const& p, float* q) {\n  \
            auto a = p.wide ? make_smem_ptr(q) : make_gmem_ptr(q);\n  \
            auto n = p.wide ? _4{} : _8{};\n}\n";
        let before = analysed(source);
        let at = source.find("a = ").unwrap();
        let titles: Vec<String> = truths(&before, source, at, Host::CudaCpp)
            .into_iter()
            .filter(|found| found.holds(&before, &analysed(&applied(source, &found.edit))))
            .map(|found| found.title)
            .collect();
        assert_eq!(
            titles,
            ["Assume that p.wide is true", "Assume that p.wide is false"]
        );
        // A choice of numbers is known as one.
        let other = source.find("n = ").unwrap();
        assert_eq!(truths(&before, source, other, Host::CudaCpp), []);
    }

    #[test]
    fn a_layout_is_described_behind_its_declaration() {
        let before = analysed(SOURCE);
        let at = SOURCE.find("a = ").unwrap();
        let found = description(&before, SOURCE, at, Host::CudaCpp).unwrap();
        let edited = applied(SOURCE, &found.edit);
        assert!(
            edited.contains("Int<8>{}));  // (K,_8):(_1,K)\n"),
            "{edited}"
        );
        let after = analysed(&edited);
        assert!(found.holds(&before, &after));
        // It is not offered twice.
        assert_eq!(description(&after, &edited, at, Host::CudaCpp), None);
    }
}
