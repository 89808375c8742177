//! The hover: value, measures, consequences, and findings.

use cute_analysis::{
    Analysis, Dialect, Fact, Inclusion, Kind, Reason, Role, Value, Word, WordKind,
};
use tree_sitter_cute::tree::Span;

use super::instances::{Chosen, OpenTemplate, open_template};
use super::lines::Lines;
use super::markdown::in_markdown;
use super::{access, collective, cost, dsl_word, made, meaning, reference, thread_strides};

use diagnosed::{Findings, finding_lines, linked_line, needed};
use line::{Line, markdown, plain};
use other_instances::{instance_lines, reads_alike};
use seen::{Seen, in_order, seen_fact};

pub mod diagnosed;
mod line;
mod other_instances;
mod seen;

/// The most lines of a first screen.
pub const FIRST_SCREEN: usize = 12;

/// The most characters of an expression in the title: the width of a hover beside the kind of the value.
const TITLE: usize = 60;

/// A hover in both forms that clients can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The name or expression it speaks of.
    pub span: Span,
    /// Markdown, for clients that render it: value, the findings and the consequences.
    pub markdown: String,
    /// Markdown below the picture: the other instances.
    pub below: String,
    /// Plain text, for all others and for terminals.
    pub plain: String,
    /// The section of the paper, or the header, that defines the function of which it speaks, as a link.
    pub source: Option<String>,
    /// Whether it says what a name means, and nothing that an instance decides.
    pub is_of_word: bool,
}

impl Hover {
    /// A hover that says one sentence.
    pub fn saying(sentence: &str, span: Span) -> Self {
        let mut hover = Self {
            span,
            markdown: String::new(),
            below: String::new(),
            plain: String::new(),
            source: None,
            is_of_word: false,
        };
        hover.add(&[sentence.to_owned()]);
        hover
    }

    /// Adds sentences at the end.
    pub fn add(&mut self, sentences: &[String]) {
        self.is_of_word &= sentences.is_empty();
        for sentence in sentences {
            self.markdown.push_str("\n\n");
            self.markdown.push_str(&in_markdown(sentence));
            self.plain.push_str(sentence);
            self.plain.push('\n');
        }
    }
}

/// The results at a byte of the source; nothing without a layout, shape or stride and without a word of CuTe. Of
/// several instances the chosen one comes first, else the first that is known.
pub fn hover(
    analysis: &Analysis,
    source: &Lines,
    byte: usize,
    chosen: &Chosen,
    findings: Findings,
) -> Option<Hover> {
    let facts = analysis.facts_at(byte);
    let found = findings.at(analysis, byte);

    let costs = cost::said(analysis, byte, chosen);
    let word = analysis.word_at(byte).filter(|_| facts.is_empty());
    let about = about_word(analysis, source, byte).filter(|_| facts.is_empty());
    let accessed = access::said(analysis, byte).filter(|_| facts.is_empty());
    let (span, title, seen) = if let Some(first) = facts.first() {
        let seen: Vec<Seen<'_>> = facts.iter().map(|fact| seen_fact(fact)).collect();
        (first.name_span, declared_title(first), seen)
    } else if let Some(mentioned) = mentioned(analysis, byte)
        && (accessed.is_none() || !is_index(&mentioned.2))
    {
        let (span, declared, seen) = mentioned;
        let title = declared.map_or_else(|| source.piece(span, TITLE), declared_title);
        (span, title, seen)
    } else if let Some(costs) = &costs {
        (costs.span, costs.title.clone(), Vec::new())
    } else if let Some(accessed) = &accessed {
        (accessed.span, accessed.title.clone(), Vec::new())
    } else if let Some((span, _)) = &about {
        (*span, String::new(), Vec::new())
    } else if let Some(used) = used_unknown(analysis, byte) {
        used
    } else if let Some(inclusion) = not_included(analysis, byte) {
        let title = source.piece(inclusion.span, TITLE);
        (inclusion.span, title, Vec::new())
    } else {
        // A comment that is wrong has no value.
        let finding = found.first().copied()?;
        (finding.span, "comment".to_owned(), Vec::new())
    };
    let seen = in_order(seen, chosen);
    let about_word = about.map(|(_, lines)| lines).unwrap_or_default();
    let names = analysis.mode_names_at(span);
    let mut lines = value_lines(analysis, &title, &seen, names);
    if let (Some(first), Some(fact)) = (seen.first(), facts.first()) {
        let said = thread_strides::said(analysis, first.value, fact.span);
        lines.extend(said.map(Line::Text));
    }
    if let Some(first) = seen.first() {
        let beside = collective::in_kernels(analysis, first.value);
        lines.extend(beside.into_iter().map(Line::Text));
    }
    let not_read = not_included(analysis, byte).filter(|inclusion| inclusion.span == span);
    let nothing_more =
        found.is_empty() && costs.is_none() && accessed.is_none() && not_read.is_none();
    if lines.is_empty() && about_word.is_empty() && nothing_more {
        return None;
    }
    let (mut origin, mut others) = if lines.is_empty() {
        (Vec::new(), Vec::new())
    } else {
        let instance = seen.first().and_then(|seen| seen.instance);
        let origin = origin_lines(analysis, source, span, instance);
        (origin, instance_lines(analysis, &seen))
    };
    if lines.is_empty() && !title.is_empty() && about_word.is_empty() {
        lines.push(Line::Title(title));
    }
    // Findings and conditions never fall off the first screen.
    let after_value = lines.len().min(2);
    let mut rest = lines.split_off(after_value);
    if seen.first().is_some_and(Seen::is_known) {
        lines.append(&mut origin);
    }
    for finding in found {
        lines.extend(finding_lines(finding));
    }
    for finding in findings.of_declaration(analysis, span, byte) {
        lines.extend(linked_line(finding, source));
    }
    lines.extend(not_read.into_iter().flat_map(why_not_included));
    lines.extend(needed(analysis, span));
    lines.append(&mut rest);
    lines.append(&mut origin);
    lines.extend(
        costs
            .into_iter()
            .flat_map(|costs| costs.lines)
            .map(Line::Text),
    );
    lines.extend(
        accessed
            .into_iter()
            .flat_map(|accessed| accessed.lines)
            .map(Line::Text),
    );
    let is_of_word = lines.is_empty() && others.is_empty();
    lines.extend(about_word);
    let facts = lines.len();
    lines.append(&mut others);
    let mut lines = first_screen(lines);
    let others = lines.split_off(facts.min(lines.len()));
    let below = (!others.is_empty()).then(|| format!("\n\n{}", markdown(&others)));
    Some(Hover {
        span: word.map_or(span, |word| word.span),
        markdown: markdown(&lines),
        below: below.unwrap_or_default(),
        source: word.and_then(source_of),
        is_of_word,
        plain: [plain(&lines), plain(&others)].concat(),
    })
}

/// The declaration that made the value of a name, and the tensor of which it is a slice.
fn origin_lines(
    analysis: &Analysis,
    source: &Lines,
    span: Span,
    instance: Option<&str>,
) -> Vec<Line> {
    let origin = [
        made::by(analysis, source, span, instance),
        made::sliced(analysis, source, span, instance),
    ];
    let lines = origin.into_iter().flatten();
    lines
        .map(|(said, value)| Line::Valued { said, value })
        .collect()
}

/// The outcome of the `#include` or `mod` at a byte, where its file is not read.
fn not_included(analysis: &Analysis, byte: usize) -> Option<&Inclusion> {
    let mut inclusions = analysis.inclusions.iter();
    inclusions.find(|inclusion| inclusion.span.start <= byte && byte < inclusion.span.end)
}

/// Why its file is not read, and the remedy.
fn why_not_included(inclusion: &Inclusion) -> Vec<Line> {
    let remedy = inclusion.problem.remedy();
    std::iter::once(inclusion.problem.to_string())
        .chain(remedy)
        .map(Line::Text)
        .collect()
}

/// Whether values are numbers that only the running program has, as `threadIdx.x`.
fn is_index(seen: &[Seen<'_>]) -> bool {
    let is_number =
        |seen: &Seen<'_>| matches!(seen.value, Value::Int(int) if int.value().is_none());
    seen.iter().all(is_number)
}

/// The values at a byte that a hover tells: of several instances the chosen one comes first, else the
/// first that is known.
pub fn values_at<'a>(analysis: &'a Analysis, byte: usize, chosen: &Chosen) -> Vec<&'a Value> {
    let facts = analysis.facts_at(byte);
    let seen = if facts.is_empty() {
        mentioned(analysis, byte).map_or_else(Vec::new, |(_, _, seen)| seen)
    } else {
        facts.into_iter().map(seen_fact).collect()
    };
    let seen = in_order(seen, chosen);
    seen.into_iter().map(|seen| seen.value).collect()
}

/// The value that is drawn and explained at a byte: in a plain load or store its layout, unless the name there has one.
pub fn subject_at(analysis: &Analysis, byte: usize, chosen: &Chosen) -> Option<Value> {
    let first = values_at(analysis, byte, chosen).first().copied();
    if first.is_none_or(|value| matches!(value, Value::Int(_)))
        && let Some(layout) = access::value_at(analysis, byte, chosen)
    {
        return Some(layout);
    }
    first.cloned()
}

/// At most [`FIRST_SCREEN`] lines; the last says that there are more.
fn first_screen(mut lines: Vec<Line>) -> Vec<Line> {
    if lines.len() > FIRST_SCREEN {
        let more = lines.len() - FIRST_SCREEN + 1;
        lines.truncate(FIRST_SCREEN - 1);
        lines.push(Line::Text(format!("{more} more lines: `hover --all`")));
    }
    lines
}

fn declared_title(fact: &Fact) -> String {
    let role = match fact.role {
        Role::Var => "",
        Role::Alias => "alias ",
        Role::Param => "parameter ",
        Role::TParam => "template parameter ",
    };
    format!("{role}{}", fact.name)
}

/// The word of CuTe at a byte, and the lines about it.
fn about_word(analysis: &Analysis, source: &Lines, byte: usize) -> Option<(Span, Vec<Line>)> {
    if let Some(word) = analysis.word_at(byte) {
        return Some((word.span, documented(word, analysis.dialect)));
    }
    if analysis.dialect != Dialect::Dsl {
        return None;
    }
    let (span, line) = dsl_word::said(&source.text(0..usize::MAX), byte)?;
    Some((span, vec![Line::Text(line)]))
}

/// One line about a function of CuTe, a few about an instruction.
fn documented(word: &Word, dialect: Dialect) -> Vec<Line> {
    match &word.kind {
        WordKind::Function(name) => {
            let line = reference::documentation(name, dialect);
            line.map(Line::Text).into_iter().collect()
        }
        WordKind::Operation(name) => {
            let lines = meaning::of_operation(name);
            if lines.is_empty() {
                return Vec::new();
            }
            std::iter::once(Line::Title(name.to_string()))
                .chain(lines.into_iter().map(Line::Text))
                .collect()
        }
    }
}

/// The section of the paper, or the header, that defines a function.
fn source_of(word: &Word) -> Option<String> {
    match &word.kind {
        WordKind::Function(name) => reference::source_link(name),
        WordKind::Operation(_) => None,
    }
}

/// A use of a name with its declaration, or an expression.
fn mentioned(analysis: &Analysis, byte: usize) -> Option<(Span, Option<&Fact>, Vec<Seen<'_>>)> {
    let mentions = analysis.mentions_at(byte);
    let span = mentions.first()?.span;
    let facts = analysis.facts_of_use(span);
    let declared = facts.first().copied();
    let seen = mentions.iter().map(|mention| Seen {
        value: &mention.value,
        function: mention.function.as_deref(),
        instance: mention.instance.as_deref(),
        number: 0,
    });
    let mut seen: Vec<Seen<'_>> = seen.collect();
    // Of a supposed instance declarations alone are known.
    if !seen.iter().any(Seen::is_known) {
        let supposed = facts.iter().filter(|fact| fact.is_supposed());
        seen.extend(supposed.map(|fact| seen_fact(fact)));
    }
    Some((span, declared, seen))
}

/// The use of a name at a byte that is unknown in all instances: its span, title and values.
fn used_unknown(analysis: &Analysis, byte: usize) -> Option<(Span, String, Vec<Seen<'_>>)> {
    let span = analysis.use_at(byte)?;
    let facts = analysis.facts_of_use(span);
    let title = declared_title(facts.first()?);
    let seen: Vec<Seen<'_>> = facts.into_iter().map(seen_fact).collect();
    let is_unknown = !seen.iter().any(Seen::is_known);
    is_unknown.then_some((span, title, seen))
}

/// Title, value and the consequences; nothing where the value is not of interest.
fn value_lines(
    analysis: &Analysis,
    title: &str,
    seen: &[Seen<'_>],
    names: Option<&[String]>,
) -> Vec<Line> {
    let Some(first) = seen.first() else {
        return Vec::new();
    };
    if let Value::Unknown(reason) = first.value {
        // A truth value that only the running program has says nothing of layouts by itself.
        let is_decided_by = |name: &str| !title.ends_with(name);
        if !explained(reason) && !reason.undecided().is_some_and(is_decided_by) {
            return Vec::new();
        }
        let mut lines = vec![
            Line::Title(format!("{title}: unknown")),
            Line::Text(reason.in_full()),
        ];
        let open = first
            .function
            .and_then(|function| open_template(analysis, function));
        lines.extend(match (reason, open) {
            (Reason::Unbound(_), Some(template)) => {
                let (instance, is_whole) = template.instance();
                let with = if is_whole { "" } else { " with its arguments" };
                Some(Line::Text(format!(
                    "add `// cute: instantiate {instance}`{with} above the template"
                )))
            }
            _ => reason.remedy().map(Line::Text),
        });
        return lines;
    }
    if !is_of_interest(first.value, title) {
        return Vec::new();
    }
    // A type is never anything else.
    let known = if first.value.is_static() && first.value.kind() != Kind::Type {
        ", known at compile time"
    } else {
        ""
    };
    let differ = seen
        .iter()
        .filter(|other| !other.is_supposed(analysis))
        .any(|other| !reads_alike(analysis, other.value, first.value));
    let mark = if first.is_supposed(analysis) {
        ", supposed".to_owned()
    } else if differ {
        let made = seen.iter().filter(|seen| !seen.is_supposed(analysis));
        format!(", instance {}/{}", first.number, made.count())
    } else {
        String::new()
    };
    let mut lines = vec![
        Line::Title(format!(
            "{title}: {}{known}{mark}",
            first.value.kind().name()
        )),
        Line::Code(analysis.dialect.text(first.value)),
    ];
    lines.extend(
        names
            .and_then(|names| named_modes(first.value, names))
            .map(Line::Text),
    );
    lines.extend(meaning::of(first.value).into_iter().map(Line::Text));
    lines
}

/// The template at a byte whose parameters keep a value from being known.
pub fn template_to_instantiate(analysis: &Analysis, byte: usize) -> Option<OpenTemplate> {
    let facts = analysis.facts_at(byte);
    let seen = match facts.first() {
        Some(fact) => seen_fact(fact),
        None => mentioned(analysis, byte)?.2.into_iter().next()?,
    };
    let is_supposed = || {
        let mut facts = facts.iter();
        facts.any(|fact| fact.is_supposed() && fact.reason().is_none())
    };
    match seen.value {
        Value::Unknown(Reason::Unbound(_)) => open_template(analysis, seen.function?),
        Value::Unknown(_) if is_supposed() => open_template(analysis, seen.function?),
        _ => None,
    }
}

/// The sizes of modes under the names that the source gives them: `(MMA,MMA_M,MMA_K) = (8,4,2)`.
fn named_modes(value: &Value, names: &[String]) -> Option<String> {
    let shape = match value.as_any_layout() {
        Some(layout) => layout.shape(),
        None => value.to_shape()?,
    };
    if shape.rank() != names.len() || names.len() < 2 {
        return None;
    }
    let sizes: Option<Vec<String>> = shape
        .modes()
        .map(|mode| Some(format!("{:#}", mode.size().ok()?)))
        .collect();
    Some(format!("({}) = ({})", names.join(","), sizes?.join(",")))
}

/// Whether a reader who rests the pointer here asks about layouts.
fn is_of_interest(value: &Value, title: &str) -> bool {
    if matches!(value, Value::Collective(_)) {
        return true;
    }
    match value.kind() {
        Kind::Layout
        | Kind::ComposedLayout
        | Kind::Tensor
        | Kind::Swizzle
        | Kind::Tuple
        | Kind::TiledCopy
        | Kind::ThrCopy
        | Kind::TiledMma
        | Kind::ThrMma
        | Kind::CopyAtom
        | Kind::MmaAtom => true,
        // A run-time integer that is but its own name says nothing.
        Kind::Int => value.is_static() || !title.ends_with(&value.to_string()),
        _ => false,
    }
}

/// Whether a reader can do something about it: it is about CuTe, not about other C++.
fn explained(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::NotEvaluated(_)
            | Reason::Refused(..)
            | Reason::Unbound(_)
            | Reason::Changed(_)
            | Reason::Unsuitable(..)
            | Reason::Limit(_)
            | Reason::Steps(_)
            | Reason::Ended(..)
    )
}

#[cfg(test)]
mod tests;
