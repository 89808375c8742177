//! Help while typing: signatures, names of instructions, sizes.

use tower_lsp::lsp_types;

use super::place::range;
use crate::client::Client;
use crate::documents::Document;
use crate::presentation::dsl_names::Names;
use crate::presentation::dsl_signature::DslSignature;
use crate::presentation::instructions::Offer;
use crate::presentation::signature::Signatures;
use crate::presentation::tile_sizes::Literal;

/// Signatures with the parameter at the cursor marked; the value of the argument is below.
pub fn signature_help(found: &Signatures, client: Client) -> lsp_types::SignatureHelp {
    let signatures = found.entries.iter().map(|entry| {
        let mut documentation = entry.sentence_and_source();
        if !found.value.is_empty() {
            documentation = format!("{}\n{documentation}", found.value);
        }
        lsp_types::SignatureInformation {
            label: entry.signature(),
            documentation: Some(lsp_types::Documentation::String(documentation)),
            parameters: Some(parameters(entry.name(), entry.parameters(), client)),
            active_parameter: None,
        }
    });
    lsp_types::SignatureHelp {
        signatures: signatures.collect(),
        active_signature: u32::try_from(found.active).ok(),
        active_parameter: u32::try_from(found.argument).ok(),
    }
}

/// The parameters of a function of the CuTe DSL, and the value of the argument at the cursor.
pub fn signature_of_dsl(
    found: &DslSignature,
    value: &str,
    client: Client,
) -> lsp_types::SignatureHelp {
    let told = [
        Some(value).filter(|it| !it.is_empty()),
        found.sentence.as_deref(),
    ];
    let told: Vec<&str> = told.into_iter().flatten().collect();
    let documentation = (!told.is_empty()).then(|| told.join("\n"));
    // A place behind the last parameter marks none of them.
    let active = found.active.unwrap_or(found.parameters.len());
    lsp_types::SignatureHelp {
        signatures: vec![lsp_types::SignatureInformation {
            label: format!("{}({})", found.name, found.parameters.join(", ")),
            documentation: documentation.map(lsp_types::Documentation::String),
            parameters: Some(parameters(&found.name, &found.parameters, client)),
            active_parameter: None,
        }],
        active_signature: Some(0),
        active_parameter: u32::try_from(active).ok(),
    }
}

/// The parameters of a function: by their place in the signature, which is unambiguous, or by name.
fn parameters<S: AsRef<str>>(
    function: &str,
    names: &[S],
    client: Client,
) -> Vec<lsp_types::ParameterInformation> {
    let mut start = function.len() + 1;
    let mut parameters = Vec::new();
    for name in names {
        let name = name.as_ref();
        // Signatures are ASCII: every encoding counts their characters alike.
        let end = start + name.len();
        let label = if client.marks_parameters {
            lsp_types::ParameterLabel::LabelOffsets([start as u32, end as u32])
        } else {
            lsp_types::ParameterLabel::Simple(name.to_owned())
        };
        parameters.push(lsp_types::ParameterInformation {
            label,
            documentation: None,
        });
        start = end + ", ".len();
    }
    parameters
}

/// Names of instructions in the place of the typed text, each with its architecture and its work.
pub fn instructions(
    offer: &Offer,
    document: &Document,
    client: Client,
) -> lsp_types::CompletionResponse {
    let range = range(&document.text, offer.typed, client.encoding);
    let items = offer.names.iter().map(|listed| lsp_types::CompletionItem {
        label: listed.name.clone(),
        kind: Some(lsp_types::CompletionItemKind::STRUCT),
        detail: Some(format!("{}: {}", listed.architecture, listed.summary)),
        text_edit: Some(lsp_types::CompletionTextEdit::Edit(lsp_types::TextEdit {
            range,
            new_text: listed.name.clone(),
        })),
        ..lsp_types::CompletionItem::default()
    });
    lsp_types::CompletionResponse::List(lsp_types::CompletionList {
        is_incomplete: offer.is_cut,
        items: items.collect(),
    })
}

/// Names of the CuTe DSL in the place of the typed text.
pub fn names_of_dsl(
    found: &Names,
    document: &Document,
    client: Client,
) -> lsp_types::CompletionResponse {
    let range = range(&document.text, found.typed, client.encoding);
    let items = found.names.iter().map(|name| {
        let is_class = name.starts_with(char::is_uppercase);
        lsp_types::CompletionItem {
            label: name.clone(),
            kind: Some(if is_class {
                lsp_types::CompletionItemKind::CLASS
            } else {
                lsp_types::CompletionItemKind::FUNCTION
            }),
            text_edit: Some(lsp_types::CompletionTextEdit::Edit(lsp_types::TextEdit {
                range,
                new_text: name.clone(),
            })),
            ..lsp_types::CompletionItem::default()
        }
    });
    lsp_types::CompletionResponse::Array(items.collect())
}

/// Sizes for a literal, each with its consequence, in the order of their value.
pub fn sizes(
    sizes: &[(i64, Option<String>)],
    literal: Literal,
    document: &Document,
    client: Client,
) -> lsp_types::CompletionResponse {
    let range = range(&document.text, literal.digits, client.encoding);
    let items = sizes
        .iter()
        .enumerate()
        .map(|(index, (size, consequence))| lsp_types::CompletionItem {
            label: size.to_string(),
            kind: Some(lsp_types::CompletionItemKind::VALUE),
            detail: consequence.clone(),
            sort_text: Some(format!("{index:02}")),
            text_edit: Some(lsp_types::CompletionTextEdit::Edit(lsp_types::TextEdit {
                range,
                new_text: size.to_string(),
            })),
            ..lsp_types::CompletionItem::default()
        });
    lsp_types::CompletionResponse::Array(items.collect())
}
