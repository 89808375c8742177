//! What is known at each place of a source: values, findings, remedies.
//!
//! **Knows** scopes, aliases, templates, the vocabulary that binds a name such as `logical_divide`
//! to the algebra; facts per span; findings with numbers; remedies proved before they are offered.
//! **Must never know** LSP types, JSON, or how a value is rendered.
#![forbid(unsafe_code)]

mod assume;
mod directive;
mod fact;
mod finding;
pub mod limits;
mod options;
mod reason;
mod tensor;
mod types;
mod value;
mod walk;
mod witness;

pub use assume::{Assumption, AssumptionError};
pub use directive::{Directive, DirectiveKind, directives};
pub use fact::{Analysis, Fact, Mention, Nominal, Role};
pub use finding::{Edit, Finding, Number, Related, Remedy, Severity};
pub use options::{Integers, Options};
pub use reason::Reason;
pub use tensor::{Pointer, Space, Tensor};
pub use types::{RecordType, Scalar, ScalarClass, Type};
pub use value::{Kind, Object, Order, Truth, Value};
pub use witness::Witness;
