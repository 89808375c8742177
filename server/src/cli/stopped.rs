//! Limits that were reached, on standard error.

use cute_analysis::Analysis;

use super::output::{complain, shown};
use super::source::Source;
use crate::presentation::stopped::limits;

/// Reports on standard error the parts of a source that were not evaluated, by the limit that was reached.
pub(super) fn say(source: &Source, analysis: &Analysis) {
    for limit in limits(analysis) {
        complain(&format!("{}: {limit}", shown(&source.path)));
    }
}
