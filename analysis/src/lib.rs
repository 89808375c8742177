//! What is known at each place of a source: values, findings, remedies.
//!
//! **Knows** scopes, aliases, templates, the vocabulary that binds a name such as `logical_divide`
//! to the algebra; facts per span; findings with numbers; remedies proved before they are offered.
//! **Must never know** LSP types, JSON, or how a value is rendered.
#![forbid(unsafe_code)]
