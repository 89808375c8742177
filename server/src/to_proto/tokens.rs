//! Literals in comments as semantic tokens.

use ropey::Rope;
use tower_lsp::lsp_types;

use super::place::range;
use crate::encoding::Encoding;
use crate::presentation::literals;

/// The token types, in the order of [`TokenKind::ALL`](literals::TokenKind::ALL).
pub fn token_legend() -> lsp_types::SemanticTokensLegend {
    let name = |kind: &literals::TokenKind| match kind {
        literals::TokenKind::Number => lsp_types::SemanticTokenType::NUMBER,
        literals::TokenKind::Variable => lsp_types::SemanticTokenType::VARIABLE,
        literals::TokenKind::Function => lsp_types::SemanticTokenType::FUNCTION,
    };
    lsp_types::SemanticTokensLegend {
        token_types: literals::TokenKind::ALL.iter().map(name).collect(),
        token_modifiers: Vec::new(),
    }
}

/// Tokens, each relative to the one before it. One that crosses a line break is left out.
pub fn semantic_tokens(
    tokens: &[literals::Token],
    text: &Rope,
    encoding: Encoding,
) -> lsp_types::SemanticTokens {
    let mut before = lsp_types::Position::new(0, 0);
    let mut data = Vec::with_capacity(tokens.len());
    for token in tokens {
        let place = range(text, token.span, encoding);
        if place.start.line != place.end.line || place.start < before {
            continue;
        }
        let delta_line = place.start.line - before.line;
        let from = if delta_line == 0 { before.character } else { 0 };
        data.push(lsp_types::SemanticToken {
            delta_line,
            delta_start: place.start.character - from,
            length: place.end.character - place.start.character,
            token_type: token.kind.index(),
            token_modifiers_bitset: 0,
        });
        before = place.start;
    }
    lsp_types::SemanticTokens {
        result_id: None,
        data,
    }
}
