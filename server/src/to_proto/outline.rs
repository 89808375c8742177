//! The outline of a document.

use tower_lsp::lsp_types;

use super::place::range;
use crate::client::Client;
use crate::documents::Document;
use crate::presentation::symbols::Symbol;

/// The outline: nested where the client shows that, else a flat list of the layouts.
pub fn symbols(
    symbols: Vec<Symbol>,
    document: &Document,
    client: Client,
) -> lsp_types::DocumentSymbolResponse {
    if client.nests_symbols {
        let nested = symbols
            .into_iter()
            .map(|symbol| nested_symbol(symbol, document, client));
        return lsp_types::DocumentSymbolResponse::Nested(nested.collect());
    }
    let flat = symbols.into_iter().flat_map(|symbol| {
        let container = (!symbol.children.is_empty()).then(|| symbol.name.clone());
        let layouts = if symbol.children.is_empty() {
            vec![symbol]
        } else {
            symbol.children
        };
        layouts
            .into_iter()
            .map(move |layout| (container.clone(), layout))
    });
    #[allow(deprecated, reason = "the type has no other constructor")]
    let flat = flat.map(|(container_name, layout)| lsp_types::SymbolInformation {
        name: layout.name,
        kind: lsp_types::SymbolKind::VARIABLE,
        tags: None,
        deprecated: None,
        location: lsp_types::Location::new(
            document.uri.clone(),
            range(&document.text, layout.span, client.encoding),
        ),
        container_name,
    });
    lsp_types::DocumentSymbolResponse::Flat(flat.collect())
}

#[allow(deprecated, reason = "the type has no other constructor")]
fn nested_symbol(symbol: Symbol, document: &Document, client: Client) -> lsp_types::DocumentSymbol {
    let place = |span| range(&document.text, span, client.encoding);
    let kind = if symbol.children.is_empty() {
        lsp_types::SymbolKind::VARIABLE
    } else {
        lsp_types::SymbolKind::FUNCTION
    };
    let (span, name_span) = (symbol.span, symbol.name_span);
    let children: Vec<_> = symbol
        .children
        .into_iter()
        .map(|child| nested_symbol(child, document, client))
        .collect();
    lsp_types::DocumentSymbol {
        name: symbol.name,
        detail: (!symbol.value.is_empty()).then_some(symbol.value),
        kind,
        tags: None,
        deprecated: None,
        range: place(span),
        selection_range: place(name_span),
        children: (!children.is_empty()).then_some(children),
    }
}
