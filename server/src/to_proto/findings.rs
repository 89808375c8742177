//! Findings as diagnostics.

use std::hash::{DefaultHasher, Hash, Hasher};

use cute_analysis::{Finding, Severity};
use tower_lsp::lsp_types::{self, DiagnosticRelatedInformation, DiagnosticSeverity, Url};

use super::place::range;
use crate::client::Client;
use crate::config;
use crate::documents::Document;
use crate::limits::FINDINGS_PER_FILE;
use crate::presentation::findings::is_diagnosed;

/// The findings that are shown, at most [`FINDINGS_PER_FILE`] of them.
pub fn diagnostics(
    findings: &[Finding],
    document: &Document,
    client: Client,
    config: &config::Diagnostics,
) -> Vec<lsp_types::Diagnostic> {
    let shown = findings.iter().filter(|finding| is_diagnosed(finding));
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

/// The source of diagnostics.
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

/// The page of a rule: below the address that the settings name, else in the client, which has the pages.
pub fn rule_uri(rule: &str, client: Client, config: &config::Diagnostics) -> Option<String> {
    if config.rule_pages.is_empty() {
        client.links_rules.then(|| format!("cute:rule?{rule}"))
    } else {
        Some(format!("{}{rule}.md", config.rule_pages))
    }
}

/// The page of a rule as the code of a diagnostic names it.
fn rule_page(
    rule: &str,
    client: Client,
    config: &config::Diagnostics,
) -> Option<lsp_types::CodeDescription> {
    if !client.links_codes {
        return None;
    }
    let href = Url::parse(&rule_uri(rule, client, config)?).ok()?;
    Some(lsp_types::CodeDescription { href })
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::tree::Span;

    use super::*;

    fn finding(severity: Severity) -> Finding {
        let message = "it meets itself".to_owned();
        Finding::new("not-injective", severity, Span::new(2, 4), message)
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
        let link = |links_codes, links_rules, rule_pages: &str| {
            let client = Client {
                links_codes,
                links_rules,
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
            link(true, true, "https://example.org/rules/").as_deref(),
            Some(page)
        );
        assert_eq!(link(false, true, "https://example.org/rules/"), None);
        assert_eq!(link(true, false, ""), None);
        assert_eq!(link(true, false, "no URI"), None);
        let own = link(true, true, "");
        assert_eq!(own.as_deref(), Some("cute:rule?not-injective"));
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
}
