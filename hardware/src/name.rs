//! C++ template ids, as CUTLASS names its atoms: `SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>`.
//!
//! A name is read into a tree before anything looks at it; white space is free.

use crate::refusal::{Refusal, Rule};
use core::fmt;

/// The longest name that is read, in bytes. The longest atom name of CUTLASS 4.2 has about 300.
pub const MAX_NAME_BYTES: usize = 4096;
/// The deepest nesting of template arguments that is read.
pub const MAX_NAME_DEPTH: usize = 32;

/// A name with its template arguments: `cute::Int<8>`, `SM75_U32x4_LDSM_N`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateId {
    path: Vec<String>,
    args: Vec<Argument>,
}

/// A template argument: a type or constant by name, or an integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A type, an enumerator or another name.
    Name(TemplateId),
    /// An integer literal.
    Integer(i64),
}

impl TemplateId {
    /// A name of these segments with these arguments. The path is taken as given.
    pub fn new(path: impl IntoIterator<Item = impl Into<String>>, args: Vec<Argument>) -> Self {
        TemplateId {
            path: path.into_iter().map(Into::into).collect(),
            args,
        }
    }

    /// Reads one template id.
    ///
    /// ```
    /// use cute_hardware::TemplateId;
    /// let id = TemplateId::parse("cute::Int< 8 >")?;
    /// assert_eq!((id.base(), id.args()[0].value()), ("Int", Some(8)));
    /// # Ok::<(), cute_hardware::Refusal>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let mut list = TemplateId::parse_list(text)?;
        match (list.pop(), list.is_empty()) {
            (Some(Argument::Name(id)), true) => Ok(id),
            _ => Err(malformed(text, "one name")),
        }
    }

    /// Reads a comma separated list, as in the arguments of `MMA_Traits<...>`.
    pub fn parse_list(text: &str) -> Result<Vec<Argument>, Refusal> {
        if text.len() > MAX_NAME_BYTES {
            return Err(Refusal::uncompilable(Rule::AtomParameters, "too long")
                .with("text_bytes", text.len()));
        }
        let mut parser = Parser {
            rest: text,
            whole: text,
        };
        let list = parser.list(0)?;
        parser.skip_space();
        if parser.rest.is_empty() {
            Ok(list)
        } else {
            Err(parser.error("a comma or the end"))
        }
    }

    /// The last segment of the path: the name without its name spaces.
    pub fn base(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// The segments of the path.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The segments before the last one.
    pub fn scope(&self) -> &[String] {
        self.path.split_last().map_or(&[], |(_, scope)| scope)
    }

    /// The template arguments.
    pub fn args(&self) -> &[Argument] {
        &self.args
    }
}

impl Argument {
    /// The integer of the argument: a literal, `_8`, `Int<8>`, `C<8>`, `integral_constant<int, 8>`.
    pub fn value(&self) -> Option<i64> {
        match self {
            Argument::Integer(value) => Some(*value),
            Argument::Name(id) => match (id.base(), id.args()) {
                ("Int" | "C" | "constant", [value]) | ("integral_constant", [_, value]) => {
                    value.value()
                }
                (name, []) => name
                    .strip_prefix('_')
                    .and_then(|digits| digits.parse().ok()),
                _ => None,
            },
        }
    }

    /// The truth value of the argument.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Argument::Integer(value) => Some(*value != 0),
            Argument::Name(id) => match (id.base(), id.args()) {
                ("true" | "true_type", []) => Some(true),
                ("false" | "false_type", []) => Some(false),
                _ => None,
            },
        }
    }

    /// The name, when the argument is one.
    pub fn type_id(&self) -> Option<&TemplateId> {
        match self {
            Argument::Name(id) => Some(id),
            Argument::Integer(_) => None,
        }
    }

    /// The enumerator that the argument names: `UMMA::Major::K`, also inside of `integral_constant<UMMA::Major, ...>`.
    /// The type is the segment before the last, the enumerator the last.
    pub fn enumerator(&self) -> Option<(&str, &str)> {
        let id = self.type_id()?;
        if let ("integral_constant", [_, value]) = (id.base(), id.args()) {
            return value.enumerator();
        }
        match (id.path(), id.args()) {
            ([.., ty, name], []) => Some((ty, name)),
            _ => None,
        }
    }
}

impl fmt::Display for TemplateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path.join("::"))?;
        if !self.args.is_empty() {
            f.write_str("<")?;
            for (i, arg) in self.args.iter().enumerate() {
                write!(f, "{}{arg}", if i == 0 { "" } else { ", " })?;
            }
            f.write_str(">")?;
        }
        Ok(())
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Name(id) => id.fmt(f),
            Argument::Integer(value) => value.fmt(f),
        }
    }
}

fn malformed(text: &str, expected: &'static str) -> Refusal {
    Refusal::uncompilable(Rule::AtomParameters, "not a template id")
        .with("name", text)
        .with("expected", expected)
}

struct Parser<'a> {
    rest: &'a str,
    whole: &'a str,
}

impl Parser<'_> {
    fn error(&self, expected: &'static str) -> Refusal {
        malformed(self.whole, expected).with("at_byte", self.whole.len() - self.rest.len())
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest.strip_prefix(token);
        if let Some(rest) = found {
            self.rest = rest;
        }
        found.is_some()
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Argument>, Refusal> {
        let mut list = vec![self.argument(depth)?];
        while self.eat(",") {
            list.push(self.argument(depth)?);
        }
        Ok(list)
    }

    fn argument(&mut self, depth: usize) -> Result<Argument, Refusal> {
        if depth > MAX_NAME_DEPTH {
            return Err(self.error("fewer nested arguments"));
        }
        let negative = self.eat("-");
        self.skip_space();
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let value = self.integer()?;
            return Ok(Argument::Integer(if negative { -value } else { value }));
        }
        if negative {
            Err(self.error("an integer"))
        } else {
            self.id(depth).map(Argument::Name)
        }
    }

    fn integer(&mut self) -> Result<i64, Refusal> {
        let digits = self.take_while(|c| c.is_ascii_alphanumeric());
        let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        value.map_err(|_| self.error("an integer of 64 bits"))
    }

    fn id(&mut self, depth: usize) -> Result<TemplateId, Refusal> {
        let mut path = Vec::new();
        self.eat("::");
        loop {
            self.skip_space();
            let segment = self.take_while(|c| c.is_alphanumeric() || c == '_');
            if segment.is_empty() {
                return Err(self.error("a name"));
            }
            path.push(segment);
            if !self.eat("::") {
                break;
            }
        }
        let mut args = Vec::new();
        if self.eat("<") && !self.eat(">") {
            args = self.list(depth + 1)?;
            if !self.eat(">") {
                return Err(self.error("`,` or `>`"));
            }
        }
        Ok(TemplateId { path, args })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_name_reads_back() {
        for text in ["A", "a::B<C<1>, -2, d::E::F>", "SM90_TMA_LOAD::PREFETCH"] {
            assert_eq!(
                TemplateId::parse(text).map(|id| id.to_string()).as_deref(),
                Ok(text)
            );
        }
    }

    #[test]
    fn lists_and_empty_argument_lists() {
        let list = TemplateId::parse_list("SM90_TMA_LOAD, Int<65536>, tuple<>").unwrap();
        assert_eq!(list.len(), 3);
        assert_eq!(list[1].value(), Some(65536));
    }

    #[test]
    fn constants_have_values_in_all_spellings() {
        for text in [
            "8",
            "_8",
            "Int<8>",
            "cute::C<8>",
            "integral_constant<int, 8>",
            "8u",
            "0x8",
        ] {
            assert_eq!(
                TemplateId::parse_list(text).unwrap()[0].value(),
                Some(8),
                "{text}"
            );
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_place() {
        for text in [
            "",
            "<",
            "A<",
            "A<1",
            "A>",
            "A<B>>",
            "A,",
            "-x",
            "99999999999999999999",
        ] {
            let refusal = TemplateId::parse_list(text).unwrap_err();
            assert_eq!(refusal.rule, Rule::AtomParameters, "{text}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |n: usize| format!("{}B{}", "A<".repeat(n), ">".repeat(n));
        assert!(TemplateId::parse(&nested(MAX_NAME_DEPTH)).is_ok());
        assert!(TemplateId::parse(&nested(MAX_NAME_DEPTH + 1)).is_err());
    }

    #[test]
    fn length_is_limited() {
        assert!(TemplateId::parse(&"a".repeat(MAX_NAME_BYTES)).is_ok());
        assert!(TemplateId::parse(&"a".repeat(MAX_NAME_BYTES + 1)).is_err());
    }
}
