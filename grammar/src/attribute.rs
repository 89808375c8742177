//! Layout attributes of Triton's IR as MLIR prints them, alone or in the type of a tensor.
//!
//! ```text
//! text       = { definition } ( definition | attribute ) [ "on" extents ]     on 128x64
//!            | { definition } type
//! definition = "#" name "=" attribute
//! type       = "tensor" "<" extents "x" element "," attribute ">"
//!            | "!ttg.memdesc" "<" extents "x" element "," attribute { "," ( data | extents ) } ">"
//! element    = word | "!" word [ "<" items ">" ]                              !tt.ptr<f16>
//! attribute  = "#" dialect "." name [ "<" items ">" ] | "#" name
//! items      = [ item { [ "," ] item } ]
//! item       = [ key "=" ] data
//! data       = integer [ ":" "+" integer ] | word | attribute
//!            | "[" items "]" | "{" items "}"
//! extents    = integer { "x" integer }
//! ```
//!
//! The meaning of an attribute is not known here. [`Attribute`] prints itself in the same form.

use std::fmt::{self, Display, Formatter};

/// An attribute with the tensor that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedAttribute {
    /// The attribute.
    pub attribute: Attribute,
    /// The extents of the tensor, where they are written.
    pub shape: Option<Vec<i64>>,
    /// The type of its elements, where it is written: `f16`, `!tt.ptr<f16>`.
    pub element: Option<String>,
}

/// `#ttg.blocked<{...}>`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Dialect and name, `ttg.blocked`.
    pub name: String,
    /// The items in its angle brackets.
    pub items: Vec<Item>,
}

/// A part of an attribute, a list or a record, with its key where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// `order` of `order = [1, 0]`.
    pub key: Option<String>,
    /// The data of the item.
    pub data: Data,
}

impl Item {
    /// `key = data`
    pub fn named(key: &str, data: Data) -> Self {
        Self {
            key: Some(key.to_owned()),
            data,
        }
    }

    /// Data without a key.
    pub fn plain(data: Data) -> Self {
        Self { key: None, data }
    }
}

/// The parts of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// `16`
    Int(i64),
    /// `true`, and other words.
    Word(String),
    /// `32:+4`: after every 32 come 4.
    Padding(i64, i64),
    /// `[1, 0]`
    List(Vec<Item>),
    /// `{order = [1, 0]}`
    Record(Vec<Item>),
    /// `#ttg.blocked<...>` as a parent.
    Attribute(Box<Attribute>),
}

impl Data {
    /// A list without keys.
    pub fn list(items: impl IntoIterator<Item = Data>) -> Self {
        Self::List(items.into_iter().map(Item::plain).collect())
    }
}

impl Display for TypedAttribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.attribute.fmt(f)?;
        let Some(shape) = &self.shape else {
            return Ok(());
        };
        for (at, extent) in shape.iter().enumerate() {
            write!(f, "{}{extent}", if at == 0 { " on " } else { "x" })?;
        }
        Ok(())
    }
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "#{}<", self.name)?;
        items(f, &self.items)?;
        f.write_str(">")
    }
}

impl Display for Data {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Word(word) => f.write_str(word),
            Self::Padding(interval, padding) => write!(f, "{interval}:+{padding}"),
            Self::List(list) => {
                f.write_str("[")?;
                items(f, list)?;
                f.write_str("]")
            }
            Self::Record(record) => {
                f.write_str("{")?;
                items(f, record)?;
                f.write_str("}")
            }
            Self::Attribute(attribute) => attribute.fmt(f),
        }
    }
}

/// Items with commas, except between a list and a record that follows it without a key.
fn items(f: &mut Formatter<'_>, list: &[Item]) -> fmt::Result {
    let mut before: Option<&Item> = None;
    for item in list {
        match (before.map(|item| &item.data), &item.key, &item.data) {
            (None, ..) => {}
            (Some(Data::List(_)), None, Data::Record(_)) => f.write_str(" ")?,
            _ => f.write_str(", ")?,
        }
        if let Some(key) = &item.key {
            write!(f, "{key} = ")?;
        }
        item.data.fmt(f)?;
        before = Some(item);
    }
    Ok(())
}
