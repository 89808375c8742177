//! The initialiser of the operand that a finding blames: a name may be far from the error.

use crate::finding::{Finding, Related};
use crate::uses::Uses;

/// Adds to findings that blame an operand of their call the initialiser of its one name.
pub(crate) fn add_initialisers(findings: &mut [Finding], uses: &Uses, text: &str) {
    for finding in findings {
        let [blamed] = finding.related.as_slice() else {
            continue;
        };
        let place = blamed.span;
        if !(finding.span.contains(place.start) && place.end <= finding.span.end) {
            continue;
        }
        let within = uses
            .declarations()
            .filter(|(used, declared)| place.contains(used.start) && used != declared);
        let mut made =
            within.filter_map(|(used, declared)| Some((used, uses.initialiser(declared)?)));
        let Some((used, initialiser)) = made.next().filter(|_| made.next().is_none()) else {
            continue;
        };
        finding.related.push(Related {
            span: initialiser,
            message: format!("`{}` is made here", used.text(text)),
        });
    }
}
