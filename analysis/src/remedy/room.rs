//! As much shared memory, and as many threads, as a kernel uses: the length of an array, the numbers of a launch, the
//! index of a slice.

use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Span};

use super::candidates::Candidate;
use super::{Search, expression_at};
use crate::finding::{Edit, Finding, Number};
use crate::walk;

/// The index of the threads in `<<<grid, block, bytes>>>`.
const BLOCK: usize = 1;
/// The index of the bytes of dynamic shared memory.
const BYTES: usize = 2;

impl Search<'_> {
    /// Edits elsewhere than in the operands of the call that is wrong.
    pub(super) fn with_room(&self, finding: &Finding, call: &Expr) -> Vec<Candidate> {
        let mut places = finding.related.iter().map(|related| related.span);
        let edits: Vec<Edit> = match finding.rule {
            "smem-extent" => places
                .filter_map(|at| {
                    self.longer(finding, at)
                        .or_else(|| self.launched_with(finding, at, BYTES, "end"))
                })
                .collect(),
            "thread-count-mismatch" => places
                .find_map(|at| self.launched_with(finding, at, BLOCK, "threads"))
                .into_iter()
                .collect(),
            "slice-by-cta" => by_thread(call).into_iter().collect(),
            _ => Vec::new(),
        };
        let each = edits.into_iter().map(|edit| Candidate {
            edits: vec![edit],
            title: None,
            legal: None,
        });
        each.collect()
    }

    /// `T name[n]`, long enough.
    fn longer(&self, finding: &Finding, declared: Span) -> Option<Edit> {
        let mut length = None;
        walk::items(&self.file.unit().items, &mut |item| {
            if let ItemKind::Binding(binding) = &item.kind
                && binding
                    .name
                    .as_ref()
                    .is_some_and(|name| name.span == declared)
                && let Some(ExprKind::Array(_, Some(written))) =
                    binding.ty.as_ref().map(|ty| &ty.kind)
            {
                length = Some(&**written);
            }
        });
        let length = length?;
        let ExprKind::Int(elements) = length.kind else {
            return None;
        };
        let (end, bytes) = (number(finding, "end")?, number(finding, "bytes")?);
        let wanted = elements.checked_mul(end)?;
        let longer = wanted.checked_div(bytes)? + i64::from(wanted % bytes != 0);
        Some(becoming(length, longer.to_string()))
    }

    /// A launch with another number of threads or bytes, where it is written as a number.
    fn launched_with(
        &self,
        finding: &Finding,
        at: Span,
        argument: usize,
        wanted: &str,
    ) -> Option<Edit> {
        let launch = expression_at(self.file.unit(), at)?;
        let ExprKind::Launch { config, .. } = &launch.kind else {
            return None;
        };
        let written = config.get(argument)?;
        let mut is_number = true;
        walk::subexpressions(written, &mut |part| {
            is_number &= matches!(part.kind, ExprKind::Int(_) | ExprKind::Binary(..));
        });
        let wanted = number(finding, wanted)?;
        is_number.then(|| becoming(written, wanted.to_string()))
    }
}

/// `get_slice(threadIdx.x)`.
fn by_thread(call: &Expr) -> Option<Edit> {
    let ExprKind::Call(_, args) = &call.kind else {
        return None;
    };
    match args.as_slice() {
        [index] => Some(becoming(index, "threadIdx.x".to_owned())),
        _ => None,
    }
}

fn becoming(expr: &Expr, new_text: String) -> Edit {
    Edit {
        span: expr.span,
        new_text,
    }
}

fn number(finding: &Finding, name: &str) -> Option<i64> {
    finding
        .numbers
        .iter()
        .find_map(|(known, number)| match number {
            Number::Integer(number) if known == name => Some(*number),
            _ => None,
        })
}
