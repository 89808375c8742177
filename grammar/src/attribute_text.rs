//! Reading an attribute.

use std::collections::HashMap;

use crate::attribute::{Attribute, Data, Item, TypedAttribute};
use crate::limits;
use crate::parse_error::ParseError;
use crate::tree::{Expr, ExprKind, Span};

/// Reads an attribute, or the type of a tensor that has one, behind the definitions of the names that it uses.
///
/// # Errors
/// The first place that does not fit, the expected text, and the text there; definitions that make more than
/// [`limits::NODES`] or [`limits::DEPTH`].
///
/// ```
/// # use tree_sitter_cute::attribute_text;
/// let blocked = "tensor<16x8xf16, #ttg.slice<{dim = 0, parent = #ttg.blocked<{order = [1, 0]}>}>>";
/// let read = attribute_text::parse(blocked)?;
/// assert_eq!(read.to_string(), "#ttg.slice<{dim = 0, parent = #ttg.blocked<{order = [1, 0]}>}> on 16x8");
///
/// let error = attribute_text::parse("#ttg.blocked<{order = [1, 0}>").unwrap_err();
/// assert_eq!(error.to_string(), "expected `,` or `]`, found `}` at byte 27");
/// # Ok::<(), tree_sitter_cute::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    if text.len() > limits::SOURCE_BYTES {
        return Err(ParseError {
            span: Span::new(text.len(), text.len()),
            expected: format!("at most {} bytes", limits::SOURCE_BYTES),
            found: format!("{} bytes", text.len()),
        });
    }
    let mut parser = Parser {
        text,
        at: 0,
        named: HashMap::new(),
        copied: 0,
    };
    parser.skip_space();
    let start = parser.at;
    let typed = parser.typed()?;
    let end = parser.at;
    parser.skip_space();
    if parser.peek().is_some() {
        return Err(parser.unexpected("the end"));
    }
    let kind = ExprKind::Attribute(Box::new(typed));
    Ok(Expr::new(kind, Span::new(start, end)))
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    named: HashMap<&'t str, Named>,
    /// Nodes that names stood for so far: a few names of names would be a tree without end.
    copied: usize,
}

/// An attribute that the text gives a name.
struct Named {
    attribute: Attribute,
    nodes: usize,
    height: usize,
}

impl<'t> Parser<'t> {
    fn typed(&mut self) -> Result<TypedAttribute, ParseError> {
        // `#blocked = #ttg.blocked<...>`, as the IR names it; the last may be the one that is meant.
        while let Some(name) = self.name_that_is_defined() {
            let attribute = self.attribute(0)?;
            self.skip_space();
            if self.peek().is_none() || self.word() == "on" {
                return self.on(attribute);
            }
            let (nodes, height) = extent(&attribute);
            let named = Named {
                attribute,
                nodes,
                height,
            };
            self.named.insert(name, named);
        }
        if self.peek() == Some(b'#') {
            let attribute = self.attribute(0)?;
            return self.on(attribute);
        }
        let is_memory = self.peek() == Some(b'!');
        if is_memory {
            self.at += 1;
        }
        match (is_memory, self.word()) {
            (false, "tensor") | (true, "ttg.memdesc") => {}
            _ => return Err(self.unexpected("`#`, `tensor<` or `!ttg.memdesc<`")),
        }
        self.take_word();
        self.expect(b'<')?;
        let shape = self.extents(true)?;
        let element = self.element()?.to_owned();
        self.expect(b',')?;
        let attribute = self.attribute(0)?;
        while self.accept(b',') {
            self.skip_space();
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                // The extents of the buffer that the memory is a part of.
                self.extents(false)?;
            } else {
                self.data(0)?;
            }
        }
        self.expect(b'>')?;
        Ok(TypedAttribute {
            attribute,
            shape: Some(shape),
            element: Some(element),
        })
    }

    /// The name of a definition, `#blocked =`. Elsewhere the position stays.
    fn name_that_is_defined(&mut self) -> Option<&'t str> {
        self.skip_space();
        let start = self.at;
        if self.accept(b'#') {
            let name = self.take_word();
            if !name.is_empty() && self.accept(b'=') {
                return Some(name);
            }
        }
        self.at = start;
        None
    }

    /// The extents behind an attribute, where they are written.
    fn on(&mut self, attribute: Attribute) -> Result<TypedAttribute, ParseError> {
        self.skip_space();
        let shape = if self.word() == "on" {
            self.take_word();
            Some(self.extents(false)?)
        } else {
            None
        };
        Ok(TypedAttribute {
            attribute,
            shape,
            element: None,
        })
    }

    /// The type of an element: `f16`, `!tt.ptr<f16>`.
    fn element(&mut self) -> Result<&'t str, ParseError> {
        self.skip_space();
        let start = self.at;
        let has_parameters = self.accept(b'!');
        if self.take_word().is_empty() {
            return Err(self.unexpected("the type of an element"));
        }
        if has_parameters && self.accept(b'<') {
            self.items(b'>', 0)?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// `128x64`; in a type the element follows behind a further `x`.
    fn extents(&mut self, element_follows: bool) -> Result<Vec<i64>, ParseError> {
        self.skip_space();
        let mut extents = vec![self.integer()?];
        while self.peek() == Some(b'x') {
            let behind = self.text.as_bytes().get(self.at + 1);
            if behind.is_some_and(u8::is_ascii_digit) {
                self.at += 1;
                extents.push(self.integer()?);
            } else if element_follows {
                self.at += 1;
                return Ok(extents);
            } else {
                return Err(self.unexpected("an extent"));
            }
        }
        if element_follows {
            return Err(self.unexpected("`x` and the type of an element"));
        }
        Ok(extents)
    }

    fn attribute(&mut self, depth: usize) -> Result<Attribute, ParseError> {
        self.expect(b'#')?;
        self.skip_space();
        let start = self.at;
        let name = self.take_word();
        if name.is_empty() {
            return Err(self.unexpected("the name of an attribute"));
        }
        if self.accept(b'<') {
            let items = self.items(b'>', depth)?;
            let name = name.to_owned();
            return Ok(Attribute { name, items });
        }
        let Some(named) = self.named.get(name) else {
            return Ok(Attribute {
                name: name.to_owned(),
                items: Vec::new(),
            });
        };
        let copied = self.copied.saturating_add(named.nodes);
        let beyond = if depth + named.height > limits::DEPTH {
            format!("at most {} levels", limits::DEPTH)
        } else if copied > limits::NODES {
            format!("names for at most {} parts", limits::NODES)
        } else {
            let attribute = named.attribute.clone();
            self.copied = copied;
            return Ok(attribute);
        };
        self.at = start;
        Err(self.unexpected(&beyond))
    }

    /// The items before a closing bracket, and the bracket.
    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Item>, ParseError> {
        let mut items = Vec::new();
        if self.accept(close) {
            return Ok(items);
        }
        loop {
            items.push(self.item(depth)?);
            if self.accept(close) {
                return Ok(items);
            }
            let after_list = matches!(
                items.last(),
                Some(Item {
                    data: Data::List(_),
                    ..
                })
            );
            let record_follows = after_list && self.peek() == Some(b'{');
            if !record_follows && !self.accept(b',') {
                return Err(self.unexpected(&format!("`,` or `{}`", char::from(close))));
            }
        }
    }

    fn item(&mut self, depth: usize) -> Result<Item, ParseError> {
        self.skip_space();
        let start = self.at;
        if self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            let key = self.take_word().to_owned();
            if self.accept(b'=') {
                return Ok(Item::named(&key, self.data(depth)?));
            }
            self.at = start;
        }
        Ok(Item::plain(self.data(depth)?))
    }

    fn data(&mut self, depth: usize) -> Result<Data, ParseError> {
        self.skip_space();
        if depth >= limits::DEPTH {
            return Err(self.unexpected(&format!("at most {} levels", limits::DEPTH)));
        }
        match self.peek() {
            Some(b'[') => {
                self.at += 1;
                Ok(Data::List(self.items(b']', depth + 1)?))
            }
            Some(b'{') => {
                self.at += 1;
                Ok(Data::Record(self.items(b'}', depth + 1)?))
            }
            Some(b'#') => Ok(Data::Attribute(Box::new(self.attribute(depth + 1)?))),
            Some(b'0'..=b'9' | b'-') => {
                let value = self.integer()?;
                if !self.accept(b':') {
                    return Ok(Data::Int(value));
                }
                self.expect(b'+')?;
                Ok(Data::Padding(value, self.integer()?))
            }
            Some(byte) if byte.is_ascii_alphabetic() => Ok(Data::Word(self.take_word().to_owned())),
            _ => Err(self.unexpected("an integer, a word, `[`, `{` or `#`")),
        }
    }

    fn integer(&mut self) -> Result<i64, ParseError> {
        self.skip_space();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest
            .bytes()
            .skip(sign)
            .take_while(u8::is_ascii_digit)
            .count();
        let written = rest.get(..sign + digits).unwrap_or_default();
        match written.parse() {
            Ok(value) => {
                self.at += written.len();
                Ok(value)
            }
            Err(_) => Err(self.unexpected("an integer of at most 64 bits")),
        }
    }

    /// The word here: letters, digits, `_` and `.`; may be empty.
    fn word(&self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            .count();
        rest.get(..length).unwrap_or_default()
    }

    fn take_word(&mut self) -> &'t str {
        self.skip_space();
        let word = self.word();
        self.at += word.len();
        word
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn accept(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_here = self.peek() == Some(byte);
        self.at += usize::from(is_here);
        is_here
    }

    fn expect(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.accept(byte) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}`", char::from(byte))))
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = match self.word() {
            "" => rest.chars().next().map(String::from).unwrap_or_default(),
            word => word.to_owned(),
        };
        ParseError {
            span: Span::new(self.at, self.at + found.len()),
            expected: expected.to_owned(),
            found,
        }
    }
}

/// The nodes of an attribute, and the levels below it.
fn extent(attribute: &Attribute) -> (usize, usize) {
    extent_of(&attribute.items)
}

fn extent_of(items: &[Item]) -> (usize, usize) {
    let below = items.iter().map(|item| match &item.data {
        Data::Int(_) | Data::Word(_) | Data::Padding(..) => (1, 1),
        Data::List(items) | Data::Record(items) => extent_of(items),
        Data::Attribute(attribute) => extent(attribute),
    });
    let (nodes, height) = below.fold((1_usize, 0), |(nodes, height), (more, level)| {
        (nodes.saturating_add(more), height.max(level))
    });
    (nodes, height + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mlir_prints_comes_back() -> Result<(), ParseError> {
        for text in [
            "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>",
            "#ttg.padded_shared<[4:+4, 8:+2] {order = [1, 0], shape = [4, 8]}>",
            "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>",
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, twoCTAs = true> on 256x64",
            "#ttng.tensor_memory_scales_encoding<>",
        ] {
            assert_eq!(parse(text)?.to_string(), text);
        }
        Ok(())
    }

    #[test]
    fn types_say_shape_and_element() -> Result<(), ParseError> {
        for text in [
            "tensor<16x8xf16, #ttg.blocked<{order = [1, 0]}>>",
            "!ttg.memdesc<16x8xf16, #ttg.blocked<{order = [1, 0]}>, #smem, mutable>",
        ] {
            let read = parse(text)?;
            assert!(matches!(
                read.kind,
                ExprKind::Attribute(typed)
                    if typed.shape == Some(vec![16, 8]) && typed.element.as_deref() == Some("f16")
            ));
        }
        Ok(())
    }

    #[test]
    fn types_of_pointers_and_of_parts_of_buffers_are_read() -> Result<(), ParseError> {
        for (text, element) in [
            ("tensor<16x8x!tt.ptr<f16>, #a<[1]>>", "!tt.ptr<f16>"),
            ("tensor<16x8x!tt.ptr<f16, 3>, #a<[1]>>", "!tt.ptr<f16, 3>"),
            (
                "!ttg.memdesc<16x8xf16, #a<[1]>, #ttg.shared_memory, mutable, 3x16x8>",
                "f16",
            ),
        ] {
            let read = parse(text)?;
            assert_eq!(read.to_string(), "#a<[1]> on 16x8");
            assert!(matches!(
                read.kind,
                ExprKind::Attribute(typed) if typed.element.as_deref() == Some(element)
            ));
        }
        Ok(())
    }

    #[test]
    fn names_stand_for_their_definitions() -> Result<(), ParseError> {
        for (text, read) in [
            ("#a = #b<[1]>", "#b<[1]>"),
            ("#a = #b<[1]> on 4x2", "#b<[1]> on 4x2"),
            ("#a = #b<[1]>\ntensor<4x2xf16, #a>", "#b<[1]> on 4x2"),
            ("#a = #b<[1]>\n#a on 8", "#b<[1]> on 8"),
            (
                "#a = #b<[1]>\n#c = #d<{parent = #a}>\n!ttg.memdesc<4xf16, #c, #smem>",
                "#d<{parent = #b<[1]>}> on 4",
            ),
            // The later definition counts; a name that is not defined has no items.
            ("#a = #b<[1]>\n#a = #c<[#a, #e]>\n#a", "#c<[#b<[1]>, #e<>]>"),
        ] {
            assert_eq!(parse(text)?.to_string(), read, "{text}");
        }
        Ok(())
    }

    #[test]
    fn names_of_names_are_bounded() {
        let twice = |count: usize| {
            let lines = (1..=count).map(|at| format!("#a{at} = #x<[#a{0}, #a{0}]>\n", at - 1));
            format!("#a0 = #x<[1]>\n{}#a{count}", lines.collect::<String>())
        };
        assert!(parse(&twice(10)).is_ok());
        let error = parse(&twice(60)).map(|_| ()).unwrap_err();
        assert_eq!(error.expected, "names for at most 1000000 parts");
        let deep = |count: usize| {
            let lines = (1..=count).map(|at| format!("#a{at} = #x<#a{}>\n", at - 1));
            format!("#a0 = #x<1>\n{}#a{count}", lines.collect::<String>())
        };
        assert!(parse(&deep(100)).is_ok());
        let error = parse(&deep(10_000)).map(|_| ()).unwrap_err();
        assert_eq!(error.expected, "at most 256 levels");
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, message) in [
            (
                "#ttg.blocked<{order = }>",
                "expected an integer, a word, `[`, `{` or `#`, found `}` at byte 22",
            ),
            (
                "#ttg.blocked<{}> on 4x",
                "expected an extent, found `x` at byte 21",
            ),
            (
                "tensor<16x8, #a>",
                "expected `x` and the type of an element, found `,` at byte 11",
            ),
            ("#a<[1 2]>", "expected `,` or `]`, found `2` at byte 6"),
            (
                "#a<99999999999999999999>",
                "expected an integer of at most 64 bits, found `99999999999999999999` at byte 3",
            ),
            ("#", "expected the name of an attribute at the end"),
            ("#a<> b", "expected the end, found `b` at byte 5"),
        ] {
            let error = parse(text).map(|read| read.to_string()).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
        let deep = format!("#a<{}{}>", "[".repeat(10_000), "]".repeat(10_000));
        assert!(parse(&deep).is_err_and(|error| error.expected == "at most 256 levels"));
    }
}
