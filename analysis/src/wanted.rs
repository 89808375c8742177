//! The findings for which remedies are requested.

use std::fmt;
use std::sync::Arc;

use crate::finding::Finding;

type Question = dyn Fn(&Finding) -> bool + Send + Sync;

/// The findings that remedies are wanted for. The default is all of them.
///
/// ```
/// use cute_analysis::{Finding, Severity, Wanted};
/// use tree_sitter_cute::tree::Span;
///
/// let finding = Finding::new("over-covers", Severity::Warning, Span::new(2, 4), String::new());
/// assert!(Wanted::default().includes(&finding));
/// let errors = Wanted::those(|finding| finding.severity == Severity::Error);
/// assert!(!errors.includes(&finding));
/// ```
#[derive(Clone, Default)]
pub struct Wanted(Option<Arc<Question>>);

impl Wanted {
    /// Those of which `wanted` says so.
    pub fn those(wanted: impl Fn(&Finding) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(wanted)))
    }

    /// Whether a finding is among them.
    pub fn includes(&self, finding: &Finding) -> bool {
        self.0.as_ref().is_none_or(|wanted| wanted(finding))
    }
}

impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "Wanted(some)",
            None => "Wanted(all)",
        })
    }
}

/// Two are equal that ask the same question.
impl PartialEq for Wanted {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}
