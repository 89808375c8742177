//! The places of findings about accesses: in the file of the kernel, whichever file has the access.

use tree_sitter_cute::tree::Span;

use super::super::Interpreter;
use crate::finding::{Finding, Related};
use crate::hash::HashMap;

impl Interpreter<'_> {
    /// A finding about an access of a kernel where a person is told it; nothing where that file is not requested. `sites` has
    /// the calls in the kernel, by the places of the accesses that they lead to.
    pub(super) fn told_at(
        &self,
        finding: Finding,
        kernel: Span,
        sites: &HashMap<Span, Span>,
    ) -> Option<Finding> {
        let finding = self.in_kernel(finding, kernel, sites);
        let is_requested = self.recorder.focus.contains(finding.span);
        is_requested.then(|| self.in_one_file(finding))
    }

    /// A finding about an access of a kernel that is in another file than the kernel, at the call that leads there: who
    /// reads the kernel sees it, whichever files are requested.
    fn in_kernel(
        &self,
        mut finding: Finding,
        kernel: Span,
        sites: &HashMap<Span, Span>,
    ) -> Finding {
        let is_elsewhere = !self.recorder.focus.share_a_file(kernel, finding.span);
        let file = self.program.file_of(finding.span);
        if let Some(site) = sites.get(&finding.span)
            && is_elsewhere
            && file.is_some_and(|file| !file.is_library())
        {
            let there = Related {
                span: std::mem::replace(&mut finding.span, *site),
                message: "the access here".to_owned(),
            };
            finding.related.retain(|related| related.span != *site);
            finding.related.insert(0, there);
        }
        finding
    }

    /// A finding all of whose places are in its file: another one is named in what is said of the place before it.
    fn in_one_file(&self, mut finding: Finding) -> Finding {
        let own = self.program.file_of(finding.span).map(std::ptr::from_ref);
        let mut kept: Vec<Related> = Vec::new();
        for related in std::mem::take(&mut finding.related) {
            let file = self.program.file_of(related.span);
            let Some(other) = file.filter(|file| own.is_some_and(|own| !std::ptr::eq(own, *file)))
            else {
                if !kept.contains(&related) {
                    kept.push(related);
                }
                continue;
            };
            let line = other.line(related.span);
            let what = related
                .message
                .strip_suffix(" here")
                .unwrap_or(&related.message);
            let place = format!(", {what} at {}:{line}", other.name());
            let said = match kept.last_mut() {
                Some(last) => &mut last.message,
                None => &mut finding.message,
            };
            if !said.ends_with(&place) {
                said.push_str(&place);
            }
        }
        finding.related = kept;
        finding
    }
}
