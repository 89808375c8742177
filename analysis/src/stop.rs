//! The question that a long analysis asks from time to time: is its result still wanted?

use std::fmt;
use std::sync::Arc;

/// Says when an analysis is to stop. The default is never.
///
/// A stopped analysis returns soon, with less than there is to know: whoever stops it throws its
/// result away.
///
/// ```
/// use cute_analysis::Stop;
///
/// assert!(!Stop::default().is_wanted());
/// assert!(Stop::when(|| true).is_wanted());
/// ```
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Stops when `wanted` says so. It is called every few hundred steps.
    pub fn when(wanted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(wanted)))
    }

    /// Whether the analysis is to stop now.
    pub fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|wanted| wanted())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "Stop(when asked)",
            None => "Stop(never)",
        })
    }
}

/// Two are equal that ask the same question.
impl PartialEq for Stop {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}
