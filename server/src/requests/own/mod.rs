//! Our own requests, one file each. They speak of a place in a document, or of an expression by itself; both editors
//! use them alike.

pub mod add_instance;
pub mod check_workspace;
pub mod copy_as;
pub mod decode;
pub mod explain;
pub mod instances;
pub mod layout_at;
pub mod picture;
pub mod run;
pub mod select_instance;
pub mod server_status;
pub mod status;
pub mod use_sizes;

use std::sync::Arc;

use cute_algebra::explain::{Derivation, Value as Derivative};
use cute_analysis::{
    Dialect, Fact, Integers, Operation, Options, Value, derivation_in, explain as derivation_of,
    operation_in, operation_of, partitions_of,
};
use serde::Deserialize;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{Position, TextDocumentIdentifier};
use tree_sitter_cute::tree::Span;

use crate::documents::{Analysed, Document};
use crate::encoding::Encoding;
use crate::presentation::instances::Chosen;
use crate::presentation::page::{Copied, SourcePlace};
use crate::presentation::pasted::pasted;
use crate::presentation::{abbreviation, access, hover};
use crate::session::Session;
use crate::{analyses, expression, from_proto, to_proto};

/// The subject of a request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// A document, with `position`.
    text_document: Option<TextDocumentIdentifier>,
    /// A place in the document.
    position: Option<Position>,
    /// An expression, in the place of a document.
    expression: Option<String>,
}

/// A subject with its results.
enum WithResults {
    /// A place in a document.
    Place {
        document: Arc<Document>,
        analysed: Arc<Analysed>,
        byte: usize,
    },
    /// An expression.
    Expression {
        operation: Option<Operation>,
        value: Value,
    },
}

impl WithResults {
    /// The dialect of its value.
    fn dialect(&self) -> Dialect {
        match self {
            Self::Expression { .. } => Dialect::Cute,
            Self::Place { analysed, .. } => analysed.analysis.dialect,
        }
    }

    /// The value there; of several instances the one that a hover tells first.
    fn value(&self, session: &Session) -> Option<Value> {
        match self {
            Self::Expression { value, .. } => Some(value.clone()),
            Self::Place { analysed, byte, .. } => {
                hover::subject_at(&analysed.analysis, *byte, &self.chosen(session))
            }
        }
    }

    /// The instances that are shown first there.
    fn chosen(&self, session: &Session) -> Arc<Chosen> {
        match self {
            Self::Expression { .. } => Arc::default(),
            Self::Place { document, .. } => session.chosen(&document.uri),
        }
    }
}

impl WithResults {
    /// The name for a reader: the name in the source, or the expression.
    fn name(&self, subject: &Subject, value: &Value) -> String {
        let declared = match self {
            Self::Expression { .. } => return subject.expression.clone().unwrap_or_default(),
            Self::Place { analysed, byte, .. } => {
                let analysis = &analysed.analysis;
                let here = analysis
                    .facts_at(*byte)
                    .first()
                    .map(|fact| fact.name.to_string());
                here.or_else(|| {
                    let span = analysis.mentions_at(*byte).first()?.span;
                    let facts = analysis.facts_of_use(span);
                    facts.first().map(|fact| fact.name.to_string())
                })
                .or_else(|| Some(access::at(analysis, *byte).first()?.memory.clone()))
            }
        };
        declared.unwrap_or_else(|| abbreviation::label(value, self.dialect()))
    }

    /// The text that evaluates to the same: the expression, or what makes the value where that can be read again.
    fn pasted_as(
        &self,
        subject: &Subject,
        value: &Value,
        operation: Option<&str>,
    ) -> Option<String> {
        match self {
            Self::Expression { .. } => subject.expression.clone(),
            Self::Place { .. } => pasted(value, operation),
        }
    }

    /// The document, its analysis, and the byte, where the subject is a place.
    fn place(&self) -> Option<(&Document, &Analysed, usize)> {
        match self {
            Self::Place {
                document,
                analysed,
                byte,
            } => Some((document, analysed, *byte)),
            Self::Expression { .. } => None,
        }
    }

    /// The declaration in the source of the layout with this print that the place shows or uses.
    fn declaration(&self, layout: &str, encoding: Encoding) -> Option<SourcePlace> {
        let (document, analysed, byte) = self.place()?;
        let analysis = &analysed.analysis;
        let here = analysis.facts_at(byte);
        let mention = analysis.mentions_at(byte).first().map(|seen| seen.span);
        let shown = match here.first() {
            Some(fact) => vec![*fact],
            None => analysis.facts_of_use(mention?),
        };
        let span = here.first().map(|fact| fact.span).or(mention)?;
        let used: Vec<Span> = analysis.declarations_used_in(span).collect();
        let operands = analysis
            .facts
            .iter()
            .filter(|fact| used.contains(&fact.name_span));
        let is_it = |fact: &&Fact| {
            let found = fact.value.as_any_layout();
            found.is_some_and(|found| format!("{found:#}") == layout)
        };
        let own = shown.first().copied();
        let fact = operands.chain(own).find(is_it).or(own)?;
        let position = to_proto::position(&document.text, fact.name_span.start, encoding);
        Some(SourcePlace {
            uri: document.uri.to_string(),
            line: position.line,
            character: position.character,
        })
    }

    /// The copies of the source that touch the tensor at the place, and which of them the place is in.
    fn copies(&self, value: &Value, encoding: Encoding) -> (Vec<Copied>, Option<usize>) {
        let Some((document, analysed, byte)) = self.place() else {
            return (Vec::new(), None);
        };
        let analysis = &analysed.analysis;
        let mention = || analysis.mentions_at(byte).first().map(|seen| seen.span);
        let declared = match analysis.facts_at(byte).first() {
            Some(fact) => Some(fact.name_span),
            None => mention().and_then(|span| Some(analysis.facts_of_use(span).first()?.name_span)),
        };
        let Some(declared) = declared else {
            return (Vec::new(), None);
        };
        let found = partitions_of(&analysed.unit(), analysis, declared, value);
        let here = found.iter().position(|copied| copied.span.contains(byte));
        let copies = found.into_iter().map(|partitioned| {
            let span = partitioned.copy.unwrap_or(partitioned.span);
            let position = to_proto::position(&document.text, span.start, encoding);
            Copied {
                line: position.line as usize + 1,
                place: SourcePlace {
                    uri: document.uri.to_string(),
                    line: position.line,
                    character: position.character,
                },
                partitioned,
            }
        });
        (copies.collect(), here)
    }

    /// The operation that has this value as its result, where the subject is one, with its
    /// derivation.
    fn operation(&self, subject: &Subject, value: &Value, options: &Options) -> Derived {
        match self {
            Self::Expression { operation, .. } => Derived {
                operation: operation.clone(),
                derivation: subject.expression.as_deref().and_then(|text| {
                    let parsed = expression::parsed(text).ok()?;
                    derivation_of(&parsed, options).ok()
                }),
            },
            Self::Place { analysed, byte, .. } => {
                let analysis = &analysed.analysis;
                let fact = analysis.facts_at(*byte).first().map(|fact| fact.span);
                let mention = || analysis.mentions_at(*byte).first().map(|seen| seen.span);
                let Some(span) = fact.or_else(mention) else {
                    return Derived::default();
                };
                let unit = analysed.unit();
                let derivation = derivation_in(&unit, analysis, span);
                // An operation somewhere inside of a declaration is not the meaning of the name.
                let is_it = derivation.as_ref().is_some_and(|derivation| {
                    let layout = value.as_any_layout().map(Box::new).map(Derivative::Layout);
                    Some(&derivation.value) == layout.as_ref()
                });
                if !is_it {
                    return Derived::default();
                }
                Derived {
                    operation: operation_in(&unit, analysis, span),
                    derivation,
                }
            }
        }
    }
}

/// The derivation of a value.
#[derive(Debug, Default)]
struct Derived {
    operation: Option<Operation>,
    derivation: Option<Derivation>,
}

/// The analysis of a subject; nothing where its document is not served.
async fn known(session: &Arc<Session>, subject: &Subject) -> Result<Option<WithResults>> {
    if let Some(text) = &subject.expression {
        let options = Options {
            assume: session.assumptions(),
            ..Options::default()
        };
        let refused =
            |error: tree_sitter_cute::ParseError| Error::invalid_params(error.to_string());
        let parsed = expression::parsed(text).map_err(refused)?;
        let text = text.clone();
        let found = session.compute(move |_| {
            let evaluation = expression::evaluated(&text, Integers::Static, &options)?;
            Ok(WithResults::Expression {
                operation: operation_of(&parsed, &options),
                value: evaluation.value,
            })
        });
        return found.await?.map(Some).map_err(refused);
    }
    let (Some(document), Some(position)) = (&subject.text_document, subject.position) else {
        return Err(Error::invalid_params(
            "`textDocument` and `position`, or `expression`, are needed",
        ));
    };
    let found = analyses::of_request(session, &document.uri).await?;
    Ok(found.map(|(document, analysed)| {
        let encoding = session.client().encoding;
        let byte = from_proto::byte_offset(&document.text, position, encoding);
        WithResults::Place {
            document,
            analysed,
            byte,
        }
    }))
}
