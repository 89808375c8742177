//! Layouts in comments and strings: their values, and whether a comment still agrees with the source.
//!
//! A comment describes a variable by its name, `// tCrA: (..):(..)`, or by standing behind or right above its
//! declaration. The statement is compared with the evaluated value in every instance; only a number that differs in all
//! of them makes it stale, never a letter, nor a static integer against a run-time one. A run-time size that starts
//! with a number before it is read from outside (`int m = 512; sscanf(.., &m)`) counts as that number, and the finding
//! says so.

mod declared;
mod difference;
mod nominal;
mod stale;
mod stated;

use tree_sitter_cute::tree::{Comment, Expr, ExprKind, Span};
use tree_sitter_cute::{Annotation, AnnotationKind, Host, annotations};

use crate::directive::{Directive, DirectiveKind};
use crate::fact::{Analysis, Fact, Mention, ModeNames};
use crate::finding::{Edit, Finding};
use crate::interpret::{Memo, interpret_expression};
use crate::limits;
use crate::options::{Integers, Options};
use crate::sources::SourceFile;
use crate::value::Value;
use crate::walk;
use declared::Declarations;
use nominal::Nominals;

/// The verdict on a comment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// All that it states and that is known agrees.
    Agrees,
    /// Something it states is known to differ.
    Stale {
        finding: Box<Finding>,
        /// The correction.
        correction: Option<Edit>,
    },
}

/// A literal of a comment that was compared with the value that it describes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judged {
    /// The place of the literal.
    pub(crate) literal: Span,
    /// The name of the variable that it describes, in its declaration.
    pub(crate) described: Span,
    pub(crate) verdict: Verdict,
}

impl Judged {
    /// The finding about it, if there is one.
    pub(crate) fn finding(&self) -> Option<&Finding> {
        match &self.verdict {
            Verdict::Stale { finding, .. } => Some(finding),
            Verdict::Agrees => None,
        }
    }
}

/// The values of the layouts that are written in comments and strings. `memo` may know where the
/// strings are.
pub(crate) fn literals(file: &SourceFile, memo: Option<&Memo>) -> Vec<Mention> {
    let text = file.text();
    let comments = file.comments().iter().map(|comment| comment.content);
    let mut places: Vec<Span> = comments.collect();
    match memo.and_then(|memo| memo.strings_of(file)) {
        Some(strings) => places.extend(strings),
        None => places.extend(strings(file)),
    }
    places
        .into_iter()
        .flat_map(|place| annotations(text, place))
        .filter(|annotation| annotation.kind == AnnotationKind::Layout)
        .take(limits::LITERALS_PER_FILE)
        .filter_map(|annotation| {
            let value = value_of(&annotation.expr)?;
            Some(Mention {
                span: annotation.expr.span,
                value: value.into(),
                function: None,
                instance: None,
            })
        })
        .collect()
}

/// The places of the string literals of a file.
fn strings(file: &SourceFile) -> Vec<Span> {
    let mut places = Vec::new();
    for item in &file.unit().items {
        // Most declarations have no string, and need not be walked.
        if !item.span.text(file.text()).contains(['"', '\'']) {
            continue;
        }
        walk::expressions(std::slice::from_ref(item), &mut |expr| {
            if matches!(expr.kind, ExprKind::Str(_)) {
                places.push(expr.span);
            }
        });
    }
    places
}

/// The value of a literal; of its layout alone, where the iterator before it has none.
fn value_of(expr: &Expr) -> Option<Value> {
    let options = Options {
        integers: Integers::Cute,
        ..Options::default()
    };
    let known = |expr: &Expr| {
        let value = interpret_expression(expr, &options).0.reported().clone();
        (!matches!(value, Value::Unknown(_))).then_some(value)
    };
    known(expr).or_else(|| match &expr.kind {
        ExprKind::Composition(parts) => parts.last().and_then(known),
        _ => None,
    })
}

/// The variables that the comments of a file describe.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// The literals that were compared with a value.
    pub(crate) judged: Vec<Judged>,
    /// Names of the modes of variables.
    pub(crate) mode_names: Vec<ModeNames>,
}

/// Compares each comment that describes a variable with the values of that variable.
pub(crate) fn judge(
    file: &SourceFile,
    host: Host,
    analysis: &Analysis,
    directives: &[Directive],
) -> Described {
    let text = file.text();
    let stating: Vec<(&Comment, Annotation)> = file
        .comments()
        .iter()
        .flat_map(|comment| {
            let found = annotations(text, comment.content);
            found
                .into_iter()
                .map(move |annotation| (comment, annotation))
        })
        .filter(|(_, annotation)| annotation.alone && !names_a_property(annotation))
        .take(limits::LITERALS_PER_FILE)
        .collect();
    if stating.is_empty() {
        return Described::default();
    }
    let places = stating.iter().map(|(comment, _)| comment.span).collect();
    let declarations = Declarations::of(file.unit(), text, host, places);
    let nominals = Nominals::of(analysis);
    let allowed = |rule: &str, comment: Span| {
        let described = declared::end_of_code_before(comment, text);
        directives.iter().any(|directive| match &directive.kind {
            DirectiveKind::Allow(rules) => {
                rules.iter().any(|allowed| allowed == rule)
                    && described.is_some_and(|byte| directive.covers(byte))
            }
            _ => false,
        })
    };
    let mut mode_names = Vec::new();
    let judged = stating
        .iter()
        .filter_map(|(comment, annotation)| {
            let name = declarations.described(comment.span, annotation.name.as_ref())?;
            mode_names.extend(names_of_modes(name, annotation, text));
            let facts = facts_of(name, analysis);
            let verdict = stale::verdict(comment, annotation, &facts, &nominals, text)?;
            let silenced = match &verdict {
                Verdict::Stale { finding, .. } => allowed(finding.rule, comment.span),
                Verdict::Agrees => false,
            };
            (!silenced).then_some(Judged {
                literal: annotation.expr.span,
                described: name,
                verdict,
            })
        })
        .collect();
    Described { judged, mode_names }
}

/// The verdict on the statement of a comment about a variable, in a text in which only that comment differs from the
/// one that was analysed.
pub(crate) fn verdict_on(
    comment: &Comment,
    annotation: &Annotation,
    described: Span,
    analysis: &Analysis,
    text: &str,
) -> Option<Verdict> {
    if !annotation.alone || names_a_property(annotation) {
        return None;
    }
    let facts = facts_of(described, analysis);
    stale::verdict(comment, annotation, &facts, &Nominals::of(analysis), text)
}

/// The facts of a variable, one for each instance.
fn facts_of(name: Span, analysis: &Analysis) -> Vec<&Fact> {
    let facts = analysis.facts.iter();
    facts.filter(|fact| fact.name_span == name).collect()
}

/// Whether a comment speaks of a property, `// stride: (..)`, rather than of a variable: it does not say whose
/// property.
fn names_a_property(annotation: &Annotation) -> bool {
    const PROPERTIES: [&str; 4] = ["layout", "shape", "size", "stride"];
    let name = annotation.name.as_ref();
    name.is_some_and(|name| PROPERTIES.contains(&name.name.as_str()))
}

/// The names that a comment such as `// (MMA,MMA_M,MMA_K)` gives to modes.
fn names_of_modes(declared: Span, annotation: &Annotation, text: &str) -> Option<ModeNames> {
    let (AnnotationKind::Shape, ExprKind::Tuple(modes)) = (annotation.kind, &annotation.expr.kind)
    else {
        return None;
    };
    let is_plain = |mode: &Expr| mode.as_plain_name().is_some();
    modes.iter().all(is_plain).then(|| ModeNames {
        declared,
        names: modes
            .iter()
            .map(|mode| mode.span.text(text).to_owned())
            .collect(),
    })
}
