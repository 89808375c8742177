//! Limits that were reached, on standard error.

use cute_analysis::Analysis;

use super::output::{complain, shown};
use super::source::Source;
use crate::presentation::stopped::limits;

/// Says on standard error what of a source was not evaluated, by the limit that was reached.
pub(super) fn say(source: &Source, analysis: &Analysis) {
    for limit in limits(analysis) {
        complain(&format!("{}: {limit}", shown(&source.path)));
    }
}
