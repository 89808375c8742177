//! `textDocument/completion`: the names of instructions and of the CuTe DSL, and the sizes that a static integer may
//! have. Everything else that can be
//! completed belongs to the server of the language.

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{CompletionParams, CompletionResponse};
use tree_sitter_cute::Host;
use tree_sitter_cute::tree::Span;

use crate::documents::Document;
use crate::presentation::tile_sizes::{self, Literal, TRIED};
use crate::presentation::{dsl_names, instructions};
use crate::session::Session;
use crate::{analyses, from_proto, to_proto};

/// The instructions whose names begin with the typed text; else the powers of two with which nothing more is wrong than
/// without a number there, each with the value of the declaration around it. Each is proved by analysing the document
/// with it.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn completion(
    session: &Arc<Session>,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>> {
    let at = params.text_document_position;
    let Some((document, analysed)) = analyses::of_request(session, &at.text_document.uri).await?
    else {
        return Ok(None);
    };
    let client = session.client();
    let byte = from_proto::byte_offset(&document.text, at.position, client.encoding);
    let unit = analysed.unit();
    if let Some(offer) = instructions::offered(&unit.comments, &analysed.text, byte) {
        return Ok(Some(to_proto::instructions(&offer, &document, client)));
    }
    let is_python = document.host == Some(Host::Python);
    if is_python && let Some(names) = dsl_names::offered(&analysed.text, byte) {
        return Ok(Some(to_proto::names_of_dsl(&names, &document, client)));
    }
    let written = tile_sizes::literal_at(&unit, &analysed.text, byte);
    let literal = match written {
        Some(literal) => literal,
        // Behind a dot or a bracket of Python no size is missing.
        None if is_python => return Ok(None),
        None => match missing(session, &document, byte).await? {
            Some(literal) => literal,
            None => return Ok(None),
        },
    };
    let mut sizes = Vec::new();
    for power in TRIED {
        let size = 1_i64 << power;
        let Some(edited) = document.with_replaced(literal.digits, &size.to_string()) else {
            continue;
        };
        let found = analyses::of_text(session, &document, edited).await?;
        if found.analysis.findings.is_empty() {
            let grown = size.to_string().len();
            let place = Span::new(literal.digits.start, literal.digits.start + grown);
            sizes.push((size, tile_sizes::consequence(&found.analysis, place)));
        }
    }
    Ok(Some(to_proto::sizes(&sizes, literal, &document, client)))
}

/// The literal that belongs at a byte where none is written yet, as in `Int<>`: there is one if a
/// digit there is read as its own literal.
async fn missing(
    session: &Arc<Session>,
    document: &Document,
    byte: usize,
) -> Result<Option<Literal>> {
    let Some(edited) = document.with_replaced(Span::new(byte, byte), "1") else {
        return Ok(None);
    };
    let tried = analyses::of_text(session, document, edited).await?;
    let found = tile_sizes::literal_at(&tried.unit(), &tried.text, byte);
    let is_new = |literal: &Literal| literal.digits == Span::new(byte, byte + 1);
    Ok(found.filter(is_new).map(|literal| Literal {
        digits: Span::new(byte, byte),
        ..literal
    }))
}
