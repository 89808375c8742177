//! Edits inside a comment, with their effects without another analysis.
//!
//! A source is evaluated without its comments. So where an edit stays inside of one, and that one
//! states as much as before about the same variable and directs nothing, the values and all other
//! findings are those of before: only the literal that was edited has to be compared again.

use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::tree::{Comment, Span};
use tree_sitter_cute::{Annotation, annotations};

use super::Search;
use super::proof::applied;
use crate::comments::{self, Verdict};
use crate::directive::DirectiveKind;
use crate::finding::{Edit, Finding};

impl Search<'_> {
    /// Whether it is known, without another analysis, that an edit removes a finding on a comment and
    /// brings no other. `false` says nothing.
    pub(super) fn is_proved_in_comment(&self, edit: &Edit, finding: &Finding) -> bool {
        self.agrees_in_comment(edit, finding).unwrap_or(false)
    }

    fn agrees_in_comment(&self, edit: &Edit, finding: &Finding) -> Option<bool> {
        let text = self.file.text();
        let mut comments = self.file.unit().comments.iter();
        let comment = comments.find(|comment| comment.content.encloses(edit.span))?;
        if !is_plain(edit.span.text(text)) || !is_plain(&edit.new_text) {
            return None;
        }
        let edited = applied(std::slice::from_ref(edit), text)?;
        if edited.len() > SOURCE_BYTES {
            return None;
        }
        let after = Comment {
            span: grown(comment.span, edit),
            content: grown(comment.content, edit),
        };
        let directs = |comment: &Comment, text: &str| comment.content.text(text).contains("cute:");
        let mut directives = self.file.directives().iter();
        if directs(comment, text)
            || directs(&after, &edited)
            // A finding about a comment may be silenced at other places than its own.
            || directives.any(|directive| matches!(directive.kind, DirectiveKind::Allow(_)))
        {
            return None;
        }
        // Findings that are alike are shown once, so the others would still be there.
        let mut alike = self.judged.iter().filter(|judged| {
            judged.finding().is_some_and(|other| {
                other.rule == finding.rule
                    && other.span == finding.span
                    && other.message == finding.message
            })
        });
        let (judged, None) = (alike.next()?, alike.next()) else {
            return None;
        };
        if judged.literal.encloses(edit.span) && comment.span == finding.span {
            let stated = annotations(text, comment.content);
            let restated = annotations(&edited, after.content);
            let changed = only_change(&stated, &restated, text, &edited)?;
            let (before, changed) = (stated.get(changed)?, restated.get(changed)?);
            if before.expr.span != judged.literal {
                return None;
            }
            let verdict =
                comments::verdict_on(&after, changed, judged.described, self.before, &edited);
            return Some(verdict == Some(Verdict::Agrees));
        }
        None
    }
}

/// Whether a text neither ends a comment nor means anything in one, wherever it is put.
fn is_plain(text: &str) -> bool {
    let plain = |c: char| !c.is_control() && !matches!(c, '\\' | '/' | '*' | '!' | '#');
    !text.is_empty() && text.chars().all(plain)
}

/// A span around an edit, afterwards.
fn grown(span: Span, edit: &Edit) -> Span {
    Span::new(span.start, span.end - edit.span.len() + edit.new_text.len())
}

/// The only statement that is written otherwise, where all others are the same.
fn only_change(
    before: &[Annotation],
    after: &[Annotation],
    text: &str,
    edited: &str,
) -> Option<usize> {
    if before.len() != after.len() {
        return None;
    }
    let mut changed = None;
    for (index, (one, other)) in before.iter().zip(after).enumerate() {
        let name = |annotation: &Annotation| annotation.name.as_ref().map(|name| name.name.clone());
        let kept = one.kind == other.kind && one.alone == other.alone && name(one) == name(other);
        if !kept {
            return None;
        }
        let is_same = one.expr.span.text(text) == other.expr.span.text(edited);
        if !is_same && changed.replace(index).is_some() {
            return None;
        }
    }
    changed
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;
    use crate::analyse::analyse_without_remedies;
    use crate::interpret::Memo;
    use crate::options::Options;
    use crate::sources::{Alone, SourceFile};

    /// For each stale comment: whether its correction is known to hold without another analysis, and
    /// whether an analysis of the edited text says so.
    fn both(host: Host, text: &str) -> Vec<(bool, bool)> {
        let syntax = Syntax::parse(host, text, None, Budget::unlimited()).unwrap();
        let file = SourceFile::analysed("test", text, syntax.lower(text));
        let options = Options {
            host,
            ..Options::default()
        };
        let mut memo = Memo::default();
        let (before, traces) = analyse_without_remedies(&file, &Alone, &options, Some(&mut memo));
        let search = Search::of(&before, &file, &Alone, &traces, &options, memo);
        let stale = before.findings.iter().filter_map(|finding| {
            let edit = crate::remedy::correction(finding, &traces.judged)?;
            let start = edit.span.start;
            let agrees = |_: &_, traces: &crate::remedy::Traces, _| {
                traces.judged.iter().any(|judged| {
                    judged.literal.contains(start) && judged.verdict == Verdict::Agrees
                })
            };
            Some((
                search.is_proved_in_comment(&edit, finding),
                search.is_proved(std::slice::from_ref(&edit), finding, &agrees),
            ))
        });
        stale.collect()
    }

    fn cuda(body: &str) -> Vec<(bool, bool)> {
        let text = format!("using namespace cute;\nvoid f(int M, float* p) {{\n{body}}}\n");
        both(Host::CudaCpp, &text)
    }

    #[test]
    fn a_corrected_comment_needs_no_analysis() {
        let a = "  auto a = make_layout(Shape<_4,_8>{});";
        let comments = [
            "  // (_4,_8):(_8,_1)\n",
            "  // (4,9)\n",
            "  /* (4,8):(1,5) */\n",
            "  // (_4,_8):(_1,_5)\n  // größer\n",
            "\n  // a: (4,8):(1,5)\n",
            "  // (4,8,2)\n",
        ];
        for comment in comments {
            assert_eq!(cuda(&format!("{a}{comment}")), [(true, true)], "{comment}");
        }
        let all: Vec<String> = comments
            .iter()
            .map(|comment| format!("  {{\n{a}{comment}  }}\n"))
            .collect();
        assert_eq!(cuda(&all.concat()), [(true, true); 6]);
    }

    #[test]
    fn other_languages_have_comments_too() {
        let python = "import cutlass.cute as cute\n@cute.jit\ndef f():\n    \
                      a = cute.make_layout((4, 8))  # (4,8):(1,5)\n";
        assert_eq!(both(Host::Python, python), [(true, true)]);
        let rust = "use cute_algebra::layout;\nfn f() {\n    let a = layout!((4, 8):(1, 4)); // (4,8):(1,5)\n}\n";
        assert_eq!(both(Host::Rust, rust), [(true, true)]);
    }

    #[test]
    fn what_is_more_than_a_literal_is_analysed() {
        let a = "  auto a = make_layout(Shape<_4,_8>{});";
        for body in [
            // The new text may end the comment.
            "  auto a = make_layout(make_shape(ceil_div(M, 128), 8, _4{}));  // (7,8)\n".to_owned(),
            // A directive may silence it.
            format!("  // cute: allow(over-covers)\n  int i = 0;\n{a}  // (4,8):(1,5)\n"),
            // It says the same twice, and is told once.
            format!("{a}  // (4,9) (4,9)\n"),
        ] {
            for (known, _) in cuda(&body) {
                assert!(!known, "{body}");
            }
        }
    }

    #[test]
    fn plain_text_neither_ends_a_comment_nor_begins_one() {
        assert!(is_plain("((_4,_8),2@1):(-1,K-größe)"));
        for text in ["", "a\nb", "(M+7)/8", "2*K", "\\", "//", "#", "!", "\r"] {
            assert!(!is_plain(text), "{text:?}");
        }
    }
}
