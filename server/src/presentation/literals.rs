//! Layouts in comments as tokens, which an editor colours.

use tree_sitter_cute::tree::{Comment, Expr, ExprKind, Span};
use tree_sitter_cute::{AnnotationKind, annotations};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// An integer, static or not.
    Number,
    /// The name of a size.
    Variable,
    /// A swizzle.
    Function,
}

impl TokenKind {
    /// All of them, in the order of the legend that a client is given.
    pub const ALL: [Self; 3] = [Self::Number, Self::Variable, Self::Function];

    /// Its place in the legend.
    pub fn index(self) -> u32 {
        match self {
            Self::Number => 0,
            Self::Variable => 1,
            Self::Function => 2,
        }
    }
}

/// A piece of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its position.
    pub span: Span,
    /// The kind.
    pub kind: TokenKind,
}

/// The tokens of the layouts in comments, in the order of the source. Tuples of names alone, as in
/// `// (MMA,MMA_M)`, are left to the language.
pub fn tokens(comments: &[Comment], text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for comment in comments {
        for annotation in annotations(text, comment.content) {
            if annotation.kind == AnnotationKind::Layout {
                of_expression(&annotation.expr, &mut tokens);
            }
        }
    }
    tokens.sort_by_key(|token| token.span.start);
    tokens
}

fn of_expression(expr: &Expr, tokens: &mut Vec<Token>) {
    cute_analysis::each_subexpression(expr, &mut |part| {
        let kind = match &part.kind {
            ExprKind::Int(_) | ExprKind::Static(_) => TokenKind::Number,
            ExprKind::Name(_) => TokenKind::Variable,
            ExprKind::Swizzle(..) => TokenKind::Function,
            _ => return,
        };
        tokens.push(Token {
            span: part.span,
            kind,
        });
    });
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    #[test]
    fn a_layout_in_a_comment_has_tokens_and_prose_has_none() {
        let text = "int a;  // sA: Sw<3,4,3> o (_8,M):(_1,8)\nint b;  // (MMA,MMA_M) of 8:1\n";
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let unit = syntax.lower(text);
        let found: Vec<(&str, TokenKind)> = tokens(&unit.comments, text)
            .into_iter()
            .map(|token| (token.span.text(text), token.kind))
            .collect();
        assert_eq!(
            found,
            [
                ("Sw<3,4,3>", TokenKind::Function),
                ("_8", TokenKind::Number),
                ("M", TokenKind::Variable),
                ("_1", TokenKind::Number),
                ("8", TokenKind::Number),
            ]
        );
    }
}
