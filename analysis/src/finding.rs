//! Findings: errors at a place of a source, with the numbers that show them, and the edits that correct them.

use cute_algebra::Witness;
use tree_sitter_cute::tree::Span;

/// From where a place was to where it is now; `None` where it is no more.
pub(crate) type Move<'m> = &'m dyn Fn(Span) -> Option<Span>;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Legal but surprising; not shown by default.
    Information,
    /// Known sizes exceed the range that they should cover.
    Warning,
    /// The compiler refuses it, or its answer breaks the definition.
    Error,
}

impl Severity {
    /// `error`, `warning` or `information`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Information => "information",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A number of a finding: an integer where it is one, else its text (`(1,2)`, `4*M`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Number {
    /// A known integer.
    Integer(i64),
    /// Anything else as text.
    Text(String),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Another place that a finding speaks of: the operand that causes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub span: Span,
    /// The description of the place.
    pub message: String,
}

/// One replacement of a piece of the source text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The bytes to be replaced.
    pub span: Span,
    /// The replacement.
    pub new_text: String,
}

/// Edits that remove a finding. It was proved before it was offered: the edited text was analysed
/// again, the finding was gone and no new one had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// The title of the change, as a menu shows it.
    pub title: String,
    /// Its edits; they do not overlap.
    pub edits: Vec<Edit>,
    /// Whether it is the one to take when in doubt; at most one of a finding is.
    pub preferred: bool,
}

/// Something wrong at a place of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Stable name of the rule, kebab-case (`stride-divisibility`).
    pub rule: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The call or literal that is wrong.
    pub span: Span,
    /// One sentence with the numbers.
    pub message: String,
    /// The numbers by name, `snake_case`.
    pub numbers: Vec<(String, Number)>,
    /// A coordinate at which the compiler's answer departs from the definition.
    pub witness: Option<Witness>,
    /// The operands that cause it.
    pub related: Vec<Related>,
    /// Values near by that the rule allows for the operand that causes it, the nearest first, as
    /// texts of the notation.
    pub legal: Vec<String>,
    /// Proved edits that remove it, the closest first.
    pub remedies: Vec<Remedy>,
    /// The instance of a template that shows it, when only some do.
    pub instance: Option<String>,
}

impl Finding {
    /// A finding that shows in every instance, without numbers.
    ///
    /// ```
    /// use cute_analysis::{Finding, Severity};
    /// use tree_sitter_cute::tree::Span;
    ///
    /// let message = "it meets itself".to_owned();
    /// let found = Finding::new("not-injective", Severity::Error, Span::new(2, 4), message);
    /// assert!(found.numbers.is_empty() && found.instance.is_none());
    /// ```
    pub fn new(rule: &'static str, severity: Severity, span: Span, message: String) -> Self {
        Self {
            rule,
            severity,
            span,
            message,
            numbers: Vec::new(),
            witness: None,
            related: Vec::new(),
            legal: Vec::new(),
            remedies: Vec::new(),
            instance: None,
        }
    }
}
