//! Names of instructions that a person is about to write.

use cute_hardware::catalogue::{self, Listed};
use tree_sitter_cute::tree::{Comment, Span};

/// The most names that are offered at once; a longer prefix gives the others.
const MOST: usize = 128;

/// Names that fit the typed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The text typed so far.
    pub typed: Span,
    /// The names, in their order.
    pub names: Vec<&'static Listed>,
    /// Whether there are more.
    pub is_cut: bool,
}

/// The instructions whose names begin with the word before a byte; nothing in a comment, or where
/// nothing is typed that only an instruction begins with.
pub fn offered(comments: &[Comment], text: &str, byte: usize) -> Option<Offer> {
    if comments.iter().any(|comment| comment.span.contains(byte)) {
        return None;
    }
    let before = text.get(..byte)?;
    let word = before
        .rfind(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .map_or(0, |at| {
            let other = before.get(at..).and_then(|rest| rest.chars().next());
            at + other.map_or(1, char::len_utf8)
        });
    let typed = Span::new(word, byte);
    let prefix = typed.text(text);
    if !["SM", "Uni", "Auto"]
        .iter()
        .any(|begin| prefix.starts_with(begin))
    {
        return None;
    }
    let mut names: Vec<&'static Listed> = catalogue::beginning(prefix).take(MOST + 1).collect();
    let is_cut = names.len() > MOST;
    names.truncate(MOST);
    (!names.is_empty()).then_some(Offer {
        typed,
        names,
        is_cut,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let offer = offered(&[], text, text.len());
        let names = offer.map(|offer| offer.names).unwrap_or_default();
        names
            .into_iter()
            .map(|listed| listed.name.as_str())
            .collect()
    }

    #[test]
    fn a_word_that_begins_like_an_instruction_is_completed() {
        assert_eq!(
            names("Copy_Atom<SM75_U32x"),
            [
                "SM75_U32x1_LDSM_N",
                "SM75_U32x2_LDSM_N",
                "SM75_U32x4_LDSM_N"
            ]
        );
        assert_eq!(names("int x = S"), [""; 0]);
        assert_eq!(names("SMEM"), [""; 0]);
    }

    #[test]
    fn nothing_is_completed_in_a_comment() {
        let text = "// SM80_";
        let span = Span::new(0, text.len() + 1);
        let comment = Comment {
            span,
            content: span,
        };
        assert_eq!(offered(&[comment], text, text.len()), None);
    }
}
