//! The client's capabilities, as it introduces itself.

use tower_lsp::lsp_types::{ClientCapabilities, MarkupKind, ResourceOperationKind};

use crate::encoding::Encoding;

/// The capabilities of the client that are needed here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "the protocol's own independent flags"
)]
pub struct Client {
    /// The unit of columns.
    pub encoding: Encoding,
    /// It renders Markdown in hovers.
    pub markdown: bool,
    /// It takes `workspace/inlayHint/refresh`.
    pub refreshes_hints: bool,
    /// It fetches diagnostics itself, so that they are not sent to it.
    pub pulls_diagnostics: bool,
    /// It takes `workspace/diagnostic/refresh`.
    pub refreshes_diagnostics: bool,
    /// It shows a link behind the code of a diagnostic.
    pub links_codes: bool,
    /// It takes `workspace/codeLens/refresh`.
    pub refreshes_lenses: bool,
    /// It shows an outline with layouts inside of functions.
    pub nests_symbols: bool,
    /// It marks a parameter in a signature by its place in the text.
    pub marks_parameters: bool,
    /// It shows pictures in hovers.
    pub shows_pictures: bool,
    /// It shows the progress of work that the server begins by itself.
    pub creates_progress: bool,
    /// It wants `cute/status`.
    pub wants_status: bool,
    /// It can make a file as part of an edit.
    pub creates_files: bool,
    /// It opens a document on request.
    pub shows_documents: bool,
    /// It answers `workspace/configuration`.
    pub has_configuration: bool,
    /// It can be told later which files we want `didChangeWatchedFiles` for.
    pub registers_watchers: bool,
    /// It can be told later that we want `didChangeConfiguration`.
    pub registers_configuration: bool,
    /// It takes edits for a certain version of a document.
    pub versioned_edits: bool,
    /// It asks for a hint's tooltip when it needs it.
    pub resolves_tooltips: bool,
    /// It shows `relatedInformation` of diagnostics.
    pub shows_related: bool,
    /// Its hovers show the diagnostics of the place beside our text.
    pub hovers_diagnostics: bool,
    /// Its hovers follow the link `cute:panel` to a place, which shows the layout there in a panel.
    pub links_panel: bool,
    /// Its hovers follow the link `cute:glossary` to the meanings of the words.
    pub links_glossary: bool,
    /// It follows the link `cute:rule` to the page of a rule, in hovers and from the codes of diagnostics.
    pub links_rules: bool,
}

impl Client {
    /// Reads the capabilities of `initialize`.
    pub fn new(capabilities: &ClientCapabilities) -> Self {
        let workspace = capabilities.workspace.as_ref();
        let document = capabilities.text_document.as_ref();
        let encodings = capabilities
            .general
            .as_ref()
            .and_then(|general| general.position_encodings.as_deref());
        let hover_formats = document
            .and_then(|document| document.hover.as_ref())
            .and_then(|hover| hover.content_format.as_deref());
        Self {
            encoding: Encoding::choose(encodings.unwrap_or_default()),
            markdown: hover_formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            refreshes_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref())
                .and_then(|hints| hints.refresh_support)
                .unwrap_or(false),
            pulls_diagnostics: document.is_some_and(|document| document.diagnostic.is_some()),
            refreshes_diagnostics: workspace
                .and_then(|workspace| workspace.diagnostic.as_ref())
                .and_then(|diagnostic| diagnostic.refresh_support)
                .unwrap_or(false),
            links_codes: document
                .and_then(|document| document.publish_diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.code_description_support)
                .unwrap_or(false),
            refreshes_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref())
                .and_then(|lenses| lenses.refresh_support)
                .unwrap_or(false),
            nests_symbols: document
                .and_then(|document| document.document_symbol.as_ref())
                .and_then(|symbols| symbols.hierarchical_document_symbol_support)
                .unwrap_or(false),
            marks_parameters: document
                .and_then(|document| document.signature_help.as_ref())
                .and_then(|help| help.signature_information.as_ref())
                .and_then(|signature| signature.parameter_information.as_ref())
                .and_then(|parameter| parameter.label_offset_support)
                .unwrap_or(false),
            shows_pictures: capabilities
                .general
                .as_ref()
                .and_then(|general| general.markdown.as_ref())
                .and_then(|markdown| markdown.allowed_tags.as_ref())
                .is_some_and(|tags| tags.iter().any(|tag| tag == "img")),
            creates_progress: capabilities
                .window
                .as_ref()
                .and_then(|window| window.work_done_progress)
                .unwrap_or(false),
            wants_status: has_experimental(capabilities, "cuteStatus"),
            hovers_diagnostics: has_experimental(capabilities, "cuteDiagnosticsInHovers"),
            links_panel: has_experimental(capabilities, "cutePanelLinks"),
            links_glossary: has_experimental(capabilities, "cuteGlossary"),
            links_rules: has_experimental(capabilities, "cuteRules"),
            creates_files: workspace
                .and_then(|workspace| workspace.workspace_edit.as_ref())
                .and_then(|edit| edit.resource_operations.as_ref())
                .is_some_and(|kinds| kinds.contains(&ResourceOperationKind::Create)),
            shows_documents: capabilities
                .window
                .as_ref()
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|showing| showing.support),
            has_configuration: workspace
                .and_then(|workspace| workspace.configuration)
                .unwrap_or(false),
            registers_watchers: workspace
                .and_then(|workspace| workspace.did_change_watched_files)
                .and_then(|watching| watching.dynamic_registration)
                .unwrap_or(false),
            registers_configuration: workspace
                .and_then(|workspace| workspace.did_change_configuration)
                .and_then(|change| change.dynamic_registration)
                .unwrap_or(false),
            versioned_edits: workspace
                .and_then(|workspace| workspace.workspace_edit.as_ref())
                .and_then(|edit| edit.document_changes)
                .unwrap_or(false),
            resolves_tooltips: document
                .and_then(|document| document.inlay_hint.as_ref())
                .and_then(|hints| hints.resolve_support.as_ref())
                .is_some_and(|resolve| resolve.properties.iter().any(|name| name == "tooltip")),
            shows_related: document
                .and_then(|document| document.publish_diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.related_information)
                .unwrap_or(false),
        }
    }
}

/// A capability of ours.
fn has_experimental(capabilities: &ClientCapabilities, name: &str) -> bool {
    let ours = capabilities.experimental.as_ref();
    ours.and_then(|ours| ours.get(name)) == Some(&serde_json::Value::Bool(true))
}
