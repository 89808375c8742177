//! Inlay hints: the value of a declared name at the end of its statement.
//!
//! Quiet by design: one hint per statement at most, none for integers that the source writes or that are of no function
//! of CuTe and of no other class, tuples of run-time integers (`dim3`), parameters, types and unknown values. A hint is
//! behind the `;` and before a comment, so that it moves no code while code is being typed.

use std::fmt::{self, Write as _};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use cute_analysis::{Analysis, Dialect, Fact, Kind, Role, Value, WordKind};

use super::instances::Chosen;
use super::{abbreviation, meaning};
use crate::limits::INSTANCES_IN_A_TOOLTIP;

/// The class of a hint; each can be switched off by itself.
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
    /// A tiled MMA or a tiled copy.
    Tiled,
    /// An MMA atom or a copy atom.
    Atom,
    /// A copy by TMA, or its atom: the box.
    Tma,
    /// An integer that a function of CuTe computes or another class has: stages, bytes of a transaction, trips of a loop.
    Constant,
}

/// A name with the text of its hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The class.
    pub class: Class,
    /// The name.
    pub name: Arc<str>,
    /// The text about it.
    pub said: Said,
}

/// The text of a hint about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The value in the shown instance.
    Evaluated(Arc<Value>, Dialect),
    /// The value that a run of the program printed.
    Recorded {
        /// For a line of code.
        short: String,
        /// The whole print.
        full: String,
    },
}

impl Said {
    /// The whole of it, in CuTe's print.
    fn in_full(&self) -> String {
        match self {
            Self::Evaluated(value, dialect) => in_full(value, *dialect),
            Self::Recorded { full, .. } => full.clone(),
        }
    }

    /// The same in at most `width` characters.
    fn short(&self, width: usize) -> String {
        match self {
            Self::Evaluated(value, dialect) => short(value, *dialect, width),
            Self::Recorded { short, .. } => abbreviation::cut(short, width),
        }
    }
}

/// A hint that an editor shows behind a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// Its place: the end of a statement.
    pub byte_offset: usize,
    /// The place of the first name that it is about.
    pub declared: Range<usize>,
    /// The names that the statement declares; several for `auto [a, b] = ...`.
    pub shown: Vec<Shown>,
    /// Whether instances differ.
    pub differs: bool,
    /// Whether it is shown for an instance that no source makes.
    pub is_supposed: bool,
    /// Whether the statement was edited since its value was known.
    pub is_outdated: bool,
    /// The tooltip: name, kind, print; all instances where they differ.
    pub tooltip: String,
}

/// The end of a hint of a supposed instance.
const SUPPOSED_MARK: &str = " supposed";

/// Characters below which a value of several says too little.
const LEAST: usize = 8;

/// Characters in which a value of several begins to say something.
const ENOUGH: usize = 12;

impl Hint {
    /// The text in at most `width` characters; 0 means the whole of it, in CuTe's print.
    pub fn label(&self, width: usize) -> String {
        let outdated = if self.is_outdated { "…" } else { "" };
        let supposed = if self.is_supposed { SUPPOSED_MARK } else { "" };
        let mark = format!("{outdated}{supposed}");
        let (limit, written): (usize, fn(&Said, usize) -> String) = match width {
            0 => (usize::MAX, |said, _| said.in_full()),
            width => (width.saturating_sub(mark.chars().count()), Said::short),
        };
        let mut label = String::new();
        let told = self.told(limit);
        for (index, shown) in self.shown.iter().enumerate().take(told) {
            let name = match self.shown.len() {
                1 => String::new(),
                _ => format!("{} ", shown.name),
            };
            let separator = if index == 0 { "" } else { ", " };
            let used = label.chars().count() + separator.len() + name.chars().count();
            let left = limit.saturating_sub(used);
            let names = self.shown.iter().take(told).skip(index + 1);
            let others: usize = names.map(|next| next.name.chars().count() + 3).sum();
            let end = usize::from(told < self.shown.len());
            let share = left.saturating_sub(others + end) / (told - index);
            let _ = write!(
                label,
                "{separator}{name}{}",
                written(&shown.said, share.max(LEAST.min(left)))
            );
        }
        if told < self.shown.len() && !label.ends_with('…') {
            label.push('…');
        }
        abbreviation::cut(&label, limit) + &mark
    }

    /// The number of names that a label of at most `limit` characters tells: the first ones, so that each has room for the
    /// beginning of its value.
    fn told(&self, limit: usize) -> usize {
        let mut used = 0_usize;
        let fitting = self.shown.iter().take_while(|shown| {
            let name = shown.name.chars().count() + 3;
            let value = shown.said.short(ENOUGH).chars().count();
            used = used.saturating_add(name + value);
            used <= limit
        });
        fitting.count().max(1)
    }

    /// The hint of the names whose class is wanted; nothing where there is none.
    pub fn of_classes(mut self, is_wanted: impl Fn(Class) -> bool) -> Option<Self> {
        self.shown.retain(|shown| is_wanted(shown.class));
        (!self.shown.is_empty()).then_some(self)
    }
}

/// A value in at most `width` characters.
fn short(value: &Value, dialect: Dialect, width: usize) -> String {
    let Some(text) = meaning::in_short(value) else {
        return abbreviation::label_within(value, dialect, width);
    };
    abbreviation::parts_within(&text, width)
}

/// A value in the words of its language. A tensor prints as its layout, after
/// the swizzle of its addresses where there is one: where the memory is, is in the tooltip.
fn in_full(value: &Value, dialect: Dialect) -> String {
    match (value, value.as_any_layout()) {
        // Its swizzle is part of where its elements are.
        (Value::Shared(shared), _) => shared.to_string(),
        (Value::Triton(_), Some(layout)) => layout.to_string(),
        (Value::Tensor(tensor), _) => {
            abbreviation::swizzled(tensor, dialect) + &dialect.text(&tensor.layout_value())
        }
        (value, Some(_)) => dialect.text(value),
        (value, None) => meaning::in_short(value).unwrap_or_else(|| dialect.text(value)),
    }
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
    let lines = start_of_line(text, range.start)..=end_of_line(text, range.end);
    let mut facts: Vec<&Fact> = declared_around(&analysis.facts, text, &lines)
        .iter()
        .filter(|fact| has_hint(fact))
        .collect();
    facts.sort_by(|a, b| (a.name_span.start, &a.name).cmp(&(b.name_span.start, &b.name)));
    let mut hints: Vec<Hint> = Vec::new();
    for statement in facts.chunk_by(|a, b| a.span.start == b.span.start) {
        let declared_to = statement.iter().map(|fact| fact.span.end).max();
        let end = end_of_statement(text, declared_to.unwrap_or_default());
        if lines.contains(&end) {
            hints.extend(hint_of(analysis, text, statement, chosen, end));
        }
    }
    hints.sort_by_key(|hint| hint.byte_offset);
    // Names that one macro declares at several places of its text are at one place.
    hints.dedup_by_key(|hint| hint.byte_offset);
    hints
}

/// Whether facts like this one have hints.
fn has_hint(fact: &Fact) -> bool {
    matches!(fact.role, Role::Var | Role::Alias)
}

/// The facts from the first to the last statement whose hint may be on one of these lines. A header has hundreds of
/// facts for each name, so that what one says is looked at only where its place may be.
fn declared_around<'a>(facts: &'a [Fact], text: &str, lines: &RangeInclusive<usize>) -> &'a [Fact] {
    let until = facts.partition_point(|fact| fact.name_span.start <= *lines.end());
    let facts = facts.get(..until).unwrap_or_default();
    // Instances of one statement are behind each other.
    let mut last: Option<(usize, bool)> = None;
    let mut reaches = |fact: &Fact| match last {
        Some((end, reaches)) if end == fact.span.end => reaches,
        _ => {
            let reaches = end_of_statement(text, fact.span.end) >= *lines.start();
            last = Some((fact.span.end, reaches));
            reaches
        }
    };
    let first = facts
        .iter()
        .position(|fact| reaches(fact) && has_hint(fact));
    let Some(found) = first.and_then(|first| facts.get(first)) else {
        return &[];
    };
    let others = facts.partition_point(|fact| fact.name_span.start < found.span.start);
    facts.get(others..).unwrap_or_default()
}

/// The results for an earlier version of a source, when all instances were known.
pub struct Before<'a> {
    /// All of it.
    pub analysis: &'a Analysis,
    /// That version.
    pub text: &'a str,
    /// The new place of a byte of it; `None` where it was removed.
    pub now: &'a dyn Fn(usize) -> Option<usize>,
    /// The earlier place of a byte.
    pub then: &'a dyn Fn(usize) -> usize,
}

impl fmt::Debug for Before<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Before").finish_non_exhaustive()
    }
}

/// The same while of each name only the instance that is shown is known, and not yet of all names. The earlier
/// version's values of other instances still hold, and so does a hint whose value is not known yet; where its statement
/// was edited it ends in `…`.
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
            hint.differs = old.differs;
            continue;
        }
        let name = at..at + old.declared.len();
        let end = end_now(text, &old, &name, before);
        let is_there = before.text.get(old.declared.clone()) == text.get(name.clone());
        let was = start_of_line(before.text, old.declared.start)..old.byte_offset;
        let was_edited = before.text.get(was) != text.get(start_of_line(text, at)..end);
        // A name that is not shown in one instance may be shown in another one.
        let is_known = analysis
            .facts
            .iter()
            .any(|fact| fact.name_span.start == at && (was_edited || !old.differs));
        if is_there && !is_known && !hints.iter().any(|hint| hint.byte_offset == end) {
            hints.push(Hint {
                byte_offset: end,
                declared: name,
                is_outdated: was_edited,
                ..old
            });
        }
    }
    hints.sort_by_key(|hint| hint.byte_offset);
    hints
}

/// The hints of an earlier version on the lines of a range, at their new places, while there are no results for this
/// one. Those inside of `edited`, the declarations of the earlier version in which something was replaced, are marked:
/// they may be others.
pub fn moved_hints_in(
    text: &str,
    range: Range<usize>,
    chosen: &Chosen,
    before: &Before<'_>,
    edited: &[Range<usize>],
) -> Vec<Hint> {
    let mut hints = first_hints_in(&Analysis::default(), text, range, chosen, before);
    for hint in &mut hints {
        let then = (before.then)(hint.declared.start);
        hint.is_outdated |= edited.iter().any(|declaration| declaration.contains(&then));
    }
    hints
}

/// The new place of a hint of an earlier version: behind the same byte, or else at the end of the line of the name.
fn end_now(text: &str, old: &Hint, name: &Range<usize>, before: &Before<'_>) -> usize {
    let last = old.byte_offset.checked_sub(1);
    match last.and_then(|last| (before.now)(last)) {
        Some(last) if last >= name.end => last + 1,
        _ => end_of_line(text, name.end.min(text.len())),
    }
}

/// The class of a declared value; nothing for one that is not of interest.
fn class_of(analysis: &Analysis, text: &str, fact: &Fact) -> Option<Class> {
    match fact.kind() {
        Kind::Layout | Kind::ComposedLayout => Some(Class::Layout),
        Kind::Tensor => Some(Class::Tensor),
        Kind::Swizzle => Some(Class::Swizzle),
        Kind::TiledCopy | Kind::CopyAtom if meaning::is_tma(&fact.value) => Some(Class::Tma),
        Kind::TiledMma | Kind::TiledCopy => Some(Class::Tiled),
        Kind::MmaAtom | Kind::CopyAtom => Some(Class::Atom),
        // Run-time integers only, as in a `dim3` or `make_shape(M, N, K)`: the code says it.
        Kind::Tuple => has_static_part(&fact.value).then_some(Class::Tuple),
        Kind::Int => is_computed(analysis, text, fact).then_some(Class::Constant),
        _ => None,
    }
}

/// Whether a function of CuTe computes a number, or it is a member of another class, and the source does not write it.
fn is_computed(analysis: &Analysis, text: &str, fact: &Fact) -> bool {
    let number = match &*fact.value {
        Value::Int(int) => int.value(),
        _ => None,
    };
    let (Some(number), Role::Var) = (number, fact.role) else {
        return false;
    };
    let initialiser = text.get(fact.name_span.end..fact.span.end);
    let initialiser = initialiser.unwrap_or_default();
    if writes(initialiser, number) {
        return false;
    }
    let line = start_of_line(text, fact.name_span.start);
    let before = text.get(line..fact.name_span.start).unwrap_or_default();
    let is_constant = before
        .split_whitespace()
        .any(|word| word.starts_with("const"));
    if is_constant && is_member_of_class(initialiser) {
        return true;
    }
    let words = analysis.words();
    let first = words.partition_point(|word| word.span.start < fact.name_span.end);
    let mut inside = words
        .iter()
        .skip(first)
        .take_while(|word| word.span.start < fact.span.end);
    inside.any(|word| matches!(word.kind, WordKind::Function(_)))
}

/// Whether a piece of a source has a number as a literal.
fn writes(source: &str, number: i64) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let number = number.unsigned_abs().to_string();
    source
        .split(|character| !is_word(character))
        .any(|word| word == number)
}

/// Whether an initialiser is a name of another class and nothing else: `= Traits::kBlockM`.
fn is_member_of_class(initialiser: &str) -> bool {
    let name = initialiser.trim().trim_start_matches('=').trim();
    let of_name = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | ':' | '<' | '>' | ',' | ' ')
    };
    name.rsplit_once("::").is_some_and(|(class, member)| {
        name.chars().all(of_name)
            && class.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && member
                .chars()
                .all(|character| character.is_alphanumeric() || character == '_')
    })
}

fn has_static_part(value: &Value) -> bool {
    match value {
        Value::Tuple(items) => items.iter().any(has_static_part),
        Value::Underscore => false,
        other => other.is_static(),
    }
}

/// The hint of the declarations of one statement.
fn hint_of(
    analysis: &Analysis,
    text: &str,
    statement: &[&Fact],
    chosen: &Chosen,
    byte_offset: usize,
) -> Option<Hint> {
    let mut hint = Hint {
        byte_offset,
        ..Hint::default()
    };
    for instances in statement.chunk_by(|a, b| a.name_span == b.name_span && a.name == b.name) {
        let Some((index, class)) = shown_of(analysis, text, instances, chosen) else {
            continue;
        };
        let Some(fact) = instances.get(index) else {
            continue;
        };
        let same_kind = instances
            .iter()
            .filter(|other| other.is_supposed() == fact.is_supposed());
        let instances: Vec<&Fact> = same_kind.copied().collect();
        let differs = instances.iter().any(|other| other.value != fact.value);
        if hint.shown.is_empty() {
            hint.declared = fact.name_span.start..fact.name_span.end;
        } else {
            hint.tooltip.push('\n');
        }
        hint.differs |= differs;
        hint.is_supposed |= fact.is_supposed() && analysis.dialect == Dialect::Cute;
        hint.tooltip
            .push_str(&tooltip(fact, analysis.dialect, &instances, differs));
        if let Some(instance) = fact
            .instance
            .as_deref()
            .filter(|_| fact.is_supposed() && !differs)
        {
            let _ = write!(hint.tooltip, "\n{instance}");
        }
        hint.shown.push(Shown {
            class,
            name: fact.name.clone(),
            said: Said::Evaluated(fact.value.clone(), analysis.dialect),
        });
    }
    (!hint.shown.is_empty()).then_some(hint)
}

/// The instance whose value is shown: the chosen one, else the first that is of interest.
fn shown_of(
    analysis: &Analysis,
    text: &str,
    instances: &[&Fact],
    chosen: &Chosen,
) -> Option<(usize, Class)> {
    let which = instances
        .iter()
        .map(|fact| (fact.function.as_deref(), fact.instance.as_deref()));
    let wanted = chosen.first(which);
    let class_at = |index: usize| Some((index, class_of(analysis, text, instances.get(index)?)?));
    class_at(wanted).or_else(|| (0..instances.len()).find_map(class_at))
}

/// Name, kind and value; of instances that differ each one's.
fn tooltip(shown: &Fact, dialect: Dialect, instances: &[&Fact], differs: bool) -> String {
    let mut tooltip = format!("{}: {}", shown.name, shown.kind().name());
    if !differs {
        tooltip.push('\n');
        tooltip.push_str(&dialect.text(&shown.value));
        return tooltip;
    }
    let of = instances.len();
    for (index, fact) in instances.iter().enumerate().take(INSTANCES_IN_A_TOOLTIP) {
        let instance = fact.instance.as_deref().unwrap_or("");
        let number = index + 1;
        let value = match fact.reason() {
            Some(reason) => reason.to_string(),
            None => dialect.text(&fact.value),
        };
        let _ = write!(tooltip, "\n{number}/{of} {value}  {instance}");
    }
    if of > INSTANCES_IN_A_TOOLTIP {
        let _ = write!(tooltip, "\n… and {} more", of - INSTANCES_IN_A_TOOLTIP);
    }
    tooltip
}

/// The end of the statement whose last declarator ends at a byte: behind its `;`.
fn end_of_statement(text: &str, declared_to: usize) -> usize {
    let rest = text.get(declared_to..).unwrap_or_default();
    match rest.trim_start().strip_prefix(';') {
        Some(behind) => text.len() - behind.len(),
        None => declared_to,
    }
}

/// The start of the line that holds a byte.
fn start_of_line(text: &str, byte: usize) -> usize {
    let before = text.get(..byte).unwrap_or_default();
    before.rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// The end of the line that holds a byte, without blanks at its end.
pub(super) fn end_of_line(text: &str, byte: usize) -> usize {
    let rest = text.get(byte..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    byte + line.trim_end().len()
}

#[cfg(test)]
mod tests {
    use cute_analysis::DeclaredValue;
    use cute_hardware::{MmaAtom, TiledMma};
    use tree_sitter_cute::tree::Span;

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
}
