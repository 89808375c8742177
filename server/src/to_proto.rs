//! Our values as the client's.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use cute_analysis::{Edit, Finding, Remedy, Severity};
use ropey::Rope;
use serde_json::json;
use tower_lsp::lsp_types::{
    self, DiagnosticRelatedInformation, DiagnosticSeverity, InlayHintLabel, MarkupKind,
    OptionalVersionedTextDocumentIdentifier, Url,
};
use tree_sitter_cute::tree::Span;

use crate::config;
use crate::documents::Document;
use crate::encoding::Encoding;
use crate::limits::FINDINGS_PER_FILE;
use crate::presentation::hints::Hint;
use crate::presentation::hover::Hover;
use crate::presentation::instructions::Offer;
use crate::presentation::literals;
use crate::presentation::reference::Entry;
use crate::presentation::rewrites::{self, Rewrite};
use crate::presentation::signature::Signatures;
use crate::presentation::symbols::Symbol;
use crate::presentation::tile_sizes::Literal;
use crate::session::Client;

/// The position of a byte offset. One behind the text means its end, one inside of a character its
/// beginning, and one between `\r` and `\n` the end of the line.
pub fn position(text: &Rope, offset: usize, encoding: Encoding) -> lsp_types::Position {
    let offset = offset.min(text.len_bytes());
    let located = text.try_byte_to_char(offset).and_then(|mut character| {
        if character > 0
            && text.get_char(character - 1) == Some('\r')
            && text.get_char(character) == Some('\n')
        {
            character -= 1;
        }
        let line = text.try_char_to_line(character)?;
        let start = text.try_line_to_char(line)?;
        let column = match encoding {
            Encoding::Utf8 => text.try_char_to_byte(character)? - text.try_char_to_byte(start)?,
            Encoding::Utf16 => {
                text.try_char_to_utf16_cu(character)? - text.try_char_to_utf16_cu(start)?
            }
            Encoding::Utf32 => character - start,
        };
        Ok((line, column))
    });
    // The offset was limited to the text, so the conversions succeed.
    let (line, column) = located.unwrap_or((0, 0));
    lsp_types::Position::new(line as u32, column as u32)
}

/// The range of a span of the text.
pub fn range(text: &Rope, span: Span, encoding: Encoding) -> lsp_types::Range {
    lsp_types::Range::new(
        position(text, span.start, encoding),
        position(text, span.end, encoding),
    )
}

/// A hover in the form that the client shows.
pub fn hover(hover: Hover, document: &Document, client: Client) -> lsp_types::Hover {
    let (kind, value) = if client.markdown {
        (MarkupKind::Markdown, hover.markdown)
    } else {
        (MarkupKind::PlainText, hover.plain)
    };
    lsp_types::Hover {
        contents: lsp_types::HoverContents::Markup(lsp_types::MarkupContent { kind, value }),
        range: Some(range(&document.text, hover.span, client.encoding)),
    }
}

/// A text as a URI that holds it: `data:image/svg+xml,%3Csvg...`.
pub fn data_uri(media_type: &str, content: &str) -> String {
    let mut uri = format!("data:{media_type},");
    for byte in content.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

/// A hint. A client that asks for tooltips when it needs them finds it again by `data`.
pub fn inlay_hint(
    hint: Hint,
    document: &Document,
    client: Client,
    max_length: usize,
) -> lsp_types::InlayHint {
    let tooltip = lsp_types::InlayHintTooltip::String(hint.tooltip);
    let data = json!({
        "uri": document.uri, "version": document.version, "offset": hint.byte_offset,
    });
    lsp_types::InlayHint {
        position: position(&document.text, hint.byte_offset, client.encoding),
        label: InlayHintLabel::String(limited(hint.label, hint.full, max_length)),
        kind: Some(lsp_types::InlayHintKind::TYPE),
        text_edits: None,
        tooltip: (!client.resolves_tooltips).then_some(tooltip),
        padding_left: Some(true),
        padding_right: None,
        data: Some(data),
    }
}

/// The short text within the limit; without a limit the full one.
fn limited(short: String, full: String, max_length: usize) -> String {
    if max_length == 0 {
        full
    } else if short.chars().count() <= max_length {
        short
    } else {
        short
            .chars()
            .take(max_length.saturating_sub(1))
            .chain(['…'])
            .collect()
    }
}

/// The findings that are shown, at most [`FINDINGS_PER_FILE`] of them.
pub fn diagnostics(
    findings: &[Finding],
    document: &Document,
    client: Client,
    config: &config::Diagnostics,
) -> Vec<lsp_types::Diagnostic> {
    let shown = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Information);
    let mut diagnostics: Vec<_> = shown
        .map(|finding| diagnostic(finding, document, client, config))
        .collect();
    let more = diagnostics.len().saturating_sub(FINDINGS_PER_FILE);
    if more > 0 {
        diagnostics.truncate(FINDINGS_PER_FILE);
        diagnostics.push(lsp_types::Diagnostic {
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some(SOURCE.to_owned()),
            message: format!("{more} more findings are not shown"),
            ..lsp_types::Diagnostic::default()
        });
    }
    diagnostics
}

/// Who says so.
const SOURCE: &str = env!("CARGO_PKG_NAME");

/// A name for diagnostics that equal ones have, and others do not by any chance that matters.
pub fn fingerprint(diagnostics: &[lsp_types::Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(diagnostics)
        .unwrap_or_default()
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn diagnostic(
    finding: &Finding,
    document: &Document,
    client: Client,
    config: &config::Diagnostics,
) -> lsp_types::Diagnostic {
    let place = |span| range(&document.text, span, client.encoding);
    let related = finding
        .related
        .iter()
        .map(|related| DiagnosticRelatedInformation {
            location: lsp_types::Location::new(document.uri.clone(), place(related.span)),
            message: related.message.clone(),
        });
    lsp_types::Diagnostic {
        range: place(finding.span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(lsp_types::NumberOrString::String(finding.rule.to_owned())),
        code_description: rule_page(finding.rule, client, config),
        source: Some(SOURCE.to_owned()),
        message: finding.message.clone(),
        related_information: (client.shows_related && !finding.related.is_empty())
            .then(|| related.collect()),
        ..lsp_types::Diagnostic::default()
    }
}

/// The page of a rule, where the settings say where the pages are.
fn rule_page(
    rule: &str,
    client: Client,
    config: &config::Diagnostics,
) -> Option<lsp_types::CodeDescription> {
    if !client.links_codes || config.rule_pages.is_empty() {
        return None;
    }
    let href = Url::parse(&format!("{}{rule}.md", config.rule_pages)).ok()?;
    Some(lsp_types::CodeDescription { href })
}

/// Edits of a document, for the version that they were made for where the client can say so.
fn workspace_edit(edits: &[Edit], document: &Document, client: Client) -> lsp_types::WorkspaceEdit {
    let edits = edits.iter().map(|edit| lsp_types::TextEdit {
        range: range(&document.text, edit.span, client.encoding),
        new_text: edit.new_text.clone(),
    });
    if client.versioned_edits {
        let edit = lsp_types::TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: document.uri.clone(),
                version: Some(document.version),
            },
            edits: edits.map(lsp_types::OneOf::Left).collect(),
        };
        lsp_types::WorkspaceEdit {
            document_changes: Some(lsp_types::DocumentChanges::Edits(vec![edit])),
            ..lsp_types::WorkspaceEdit::default()
        }
    } else {
        lsp_types::WorkspaceEdit::new([(document.uri.clone(), edits.collect())].into())
    }
}

/// What tokens can be, in the order of [`TokenKind::ALL`](literals::TokenKind::ALL).
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

/// The protocol's name for what a rewrite does.
pub fn rewrite_kind(kind: rewrites::Kind) -> lsp_types::CodeActionKind {
    match kind {
        rewrites::Kind::Inline => lsp_types::CodeActionKind::REFACTOR_INLINE,
        rewrites::Kind::Coalesce
        | rewrites::Kind::Pin
        | rewrites::Kind::Assert
        | rewrites::Kind::Assume
        | rewrites::Kind::Describe
        | rewrites::Kind::Infer => lsp_types::CodeActionKind::REFACTOR_REWRITE,
    }
}

/// Corrects all comments of a document at once, as editors do when they save.
pub const FIX_ALL: lsp_types::CodeActionKind = lsp_types::CodeActionKind::new("source.fixAll.cute");

/// A layout as text for another program.
pub const COPY: lsp_types::CodeActionKind = lsp_types::CodeActionKind::new("refactor.copy.cute");

/// All corrections of comments as one action.
pub fn fix_all(edits: &[Edit], document: &Document, client: Client) -> lsp_types::CodeAction {
    lsp_types::CodeAction {
        title: format!("Correct all {} comments on layouts", edits.len()),
        kind: Some(FIX_ALL),
        edit: Some(workspace_edit(edits, document, client)),
        ..lsp_types::CodeAction::default()
    }
}

/// An action that runs a command at a place of a document.
pub fn command_action(
    title: &str,
    kind: lsp_types::CodeActionKind,
    command: &str,
    argument: serde_json::Value,
) -> lsp_types::CodeAction {
    lsp_types::CodeAction {
        title: title.to_owned(),
        kind: Some(kind),
        command: Some(lsp_types::Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![argument]),
        }),
        ..lsp_types::CodeAction::default()
    }
}

/// A rewrite that holds.
pub fn rewrite(rewrite: &Rewrite, document: &Document, client: Client) -> lsp_types::CodeAction {
    let edits = std::slice::from_ref(&rewrite.edit);
    lsp_types::CodeAction {
        title: rewrite.title.clone(),
        kind: Some(rewrite_kind(rewrite.kind)),
        edit: Some(workspace_edit(edits, document, client)),
        ..lsp_types::CodeAction::default()
    }
}

/// A remedy of a finding. `shown` are the client's diagnostics that it removes.
pub fn code_action(
    remedy: &Remedy,
    shown: Vec<lsp_types::Diagnostic>,
    document: &Document,
    client: Client,
) -> lsp_types::CodeAction {
    let edit = workspace_edit(&remedy.edits, document, client);
    lsp_types::CodeAction {
        title: remedy.title.clone(),
        kind: Some(lsp_types::CodeActionKind::QUICKFIX),
        diagnostics: Some(shown),
        edit: Some(edit),
        is_preferred: remedy.preferred.then_some(true),
        ..lsp_types::CodeAction::default()
    }
}

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

/// Signatures with the parameter at the cursor marked; the value of the argument stands below.
pub fn signature_help(found: &Signatures, client: Client) -> lsp_types::SignatureHelp {
    let signatures = found.entries.iter().map(|entry| {
        let mut documentation = format!("{} ({})", entry.sentence, entry.source);
        if !found.value.is_empty() {
            documentation = format!("{}\n{documentation}", found.value);
        }
        lsp_types::SignatureInformation {
            label: entry.signature(),
            documentation: Some(lsp_types::Documentation::String(documentation)),
            parameters: Some(parameters(entry, client)),
            active_parameter: None,
        }
    });
    lsp_types::SignatureHelp {
        signatures: signatures.collect(),
        active_signature: u32::try_from(found.active).ok(),
        active_parameter: u32::try_from(found.argument).ok(),
    }
}

/// The parameters of a function: by their place in the signature, which is unambiguous, or by name.
fn parameters(entry: &Entry, client: Client) -> Vec<lsp_types::ParameterInformation> {
    let mut start = entry.name.len() + 1;
    let mut parameters = Vec::new();
    for name in entry.parameters {
        // Signatures are ASCII: every encoding counts their characters alike.
        let end = start + name.len();
        let label = if client.marks_parameters {
            lsp_types::ParameterLabel::LabelOffsets([start as u32, end as u32])
        } else {
            lsp_types::ParameterLabel::Simple((*name).to_owned())
        };
        parameters.push(lsp_types::ParameterInformation {
            label,
            documentation: None,
        });
        start = end + ", ".len();
    }
    parameters
}

/// Names of instructions in the place of what is typed, each with its architecture and what it does.
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

/// Sizes for a literal, each with what follows from it, in the order of their value.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::from_proto::byte_offset;

    #[test]
    fn no_position_lies_inside_a_line_break_or_a_character() {
        let text = Rope::from_str("é\r\n😀");
        assert_eq!(
            position(&text, 3, Encoding::Utf16),
            lsp_types::Position::new(0, 1)
        );
        assert_eq!(
            position(&text, 6, Encoding::Utf16),
            lsp_types::Position::new(1, 0)
        );
        assert_eq!(
            position(&text, 99, Encoding::Utf16),
            lsp_types::Position::new(1, 2)
        );
    }

    fn finding(severity: Severity) -> Finding {
        Finding {
            rule: "not-injective",
            severity,
            span: Span::new(2, 4),
            message: "it meets itself".to_owned(),
            numbers: Vec::new(),
            witness: None,
            related: Vec::new(),
            legal: Vec::new(),
            remedies: Vec::new(),
            instance: None,
        }
    }

    fn document() -> Document {
        let uri = lsp_types::Url::parse("file:///a.cu").expect("a URI");
        Document::new(uri, "cuda-cpp", 1, "é = f();")
    }

    #[test]
    fn findings_below_a_warning_are_not_shown() {
        let findings = [Severity::Information, Severity::Warning, Severity::Error].map(finding);
        let shown = diagnostics(
            &findings,
            &document(),
            Client::default(),
            &config::Diagnostics::default(),
        );
        let severities: Vec<_> = shown.iter().filter_map(|shown| shown.severity).collect();
        assert_eq!(
            severities,
            [DiagnosticSeverity::WARNING, DiagnosticSeverity::ERROR]
        );
        assert!(
            shown
                .iter()
                .all(|shown| shown.range.start == lsp_types::Position::new(0, 1))
        );
    }

    #[test]
    fn findings_beyond_the_limit_are_counted_in_one_line() {
        let shown = |count| {
            diagnostics(
                &vec![finding(Severity::Error); count],
                &document(),
                Client::default(),
                &config::Diagnostics::default(),
            )
        };
        assert_eq!(shown(FINDINGS_PER_FILE).len(), FINDINGS_PER_FILE);
        let beyond = shown(FINDINGS_PER_FILE + 2);
        assert_eq!(beyond.len(), FINDINGS_PER_FILE + 1);
        let last = beyond.last().expect("the line");
        assert_eq!(last.message, "2 more findings are not shown");
    }

    #[test]
    fn a_code_links_to_its_page_where_there_are_pages_and_the_client_shows_links() {
        let link = |links_codes, rule_pages: &str| {
            let client = Client {
                links_codes,
                ..Client::default()
            };
            let config = config::Diagnostics {
                rule_pages: rule_pages.to_owned(),
                ..config::Diagnostics::default()
            };
            let shown = diagnostics(&[finding(Severity::Error)], &document(), client, &config);
            let description = shown.into_iter().next()?.code_description?;
            Some(description.href.to_string())
        };
        let page = "https://example.org/rules/not-injective.md";
        assert_eq!(
            link(true, "https://example.org/rules/").as_deref(),
            Some(page)
        );
        assert_eq!(link(false, "https://example.org/rules/"), None);
        assert_eq!(link(true, ""), None);
        assert_eq!(link(true, "no URI"), None);
    }

    #[test]
    fn equal_diagnostics_have_one_fingerprint() {
        let shown = |severity| {
            let config = config::Diagnostics::default();
            let found = [finding(severity)];
            fingerprint(&diagnostics(
                &found,
                &document(),
                Client::default(),
                &config,
            ))
        };
        assert_eq!(shown(Severity::Error), shown(Severity::Error));
        assert_ne!(shown(Severity::Error), shown(Severity::Warning));
    }

    #[test]
    fn a_label_is_cut_by_characters() {
        let label = |most| limited("(é,8):(1,é)".to_owned(), "full".to_owned(), most);
        assert_eq!(label(11), "(é,8):(1,é)");
        assert_eq!(label(10), "(é,8):(1,…");
        assert_eq!(label(1), "…");
        assert_eq!(label(0), "full");
    }

    proptest! {
        #[test]
        fn a_position_leads_back_to_its_offset(
            text in "[a-cé😀𝛼\u{2028}\u{c}\r\n]{0,40}",
            at in 0_usize..200,
        ) {
            let rope = Rope::from_str(&text);
            let offset = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
            let offset = offset.unwrap_or(0);
            let inside_break = offset > 0
                && text.get(offset - 1..offset) == Some("\r")
                && text.get(offset..=offset) == Some("\n");
            prop_assume!(!inside_break);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let position = position(&rope, offset, encoding);
                prop_assert_eq!(byte_offset(&rope, position, encoding), offset);
            }
        }
    }
}
