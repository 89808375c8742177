//! The value of a condition behind `#if`, from its text, as the preprocessor computes it ([cpp.cond]): macros are
//! replaced first, then the rest is computed in the widest integers.

use crate::limits;

/// The preprocessor's knowledge of a name.
#[derive(Debug, Clone)]
pub(crate) enum Macro<'t> {
    /// The name is not defined as a macro.
    Undefined,
    /// A number of this range.
    Number(i64, i64),
    /// A macro with this replacement.
    Object(&'t str),
    /// A macro with parameters and this replacement.
    Function(Vec<&'t str>, &'t str),
    /// Not known.
    Unknown,
}

/// The place to look up names.
pub(crate) trait Macros<'t> {
    /// The replacement of a name.
    fn replacement(&self, name: &str) -> Macro<'t>;
    /// Whether a macro is defined.
    fn is_defined(&self, name: &str) -> Option<bool>;
    /// Whether an `#include` of a path would find a file.
    fn has_include(&self, path: &str, system: bool) -> Option<bool>;
}

/// Whether a condition holds; `None` where that is not known.
pub(crate) fn holds(text: &str, macros: &dyn Macros<'_>) -> Option<bool> {
    let mut expansion = Expansion {
        macros,
        active: Vec::new(),
        tokens: Vec::new(),
    };
    expansion.expand(&tokens(condition_of(text))?)?;
    let mut parser = Parser {
        tokens: &expansion.tokens,
        at: 0,
        depth: 0,
    };
    let value = parser.ternary();
    // A condition that is read only in part is not understood.
    if parser.at < parser.tokens.len() || parser.depth > limits::CONDITION_DEPTH {
        return None;
    }
    value?.truth()
}

/// The text behind `#if` or `#elif`, where the directive is part of it.
fn condition_of(text: &str) -> &str {
    match text.trim_start().strip_prefix('#') {
        Some(directive) => directive
            .trim_start()
            .trim_start_matches(|letter: char| letter.is_ascii_alphabetic()),
        None => text,
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Value(Value),
    Word(String),
    Punct(&'static str),
    /// The text between quotes.
    Quoted(String),
    /// Something whose value is not known.
    Unknown,
}

/// The operators, longer ones first.
const PUNCTUATION: &[&str] = &[
    "<=>", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "##", "+", "-", "*", "/", "%", "<", ">",
    "!", "~", "&", "|", "^", "?", ":", "(", ")", ",", ".", "#",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
        let Some(first) = rest.chars().next() else {
            return Some(found);
        };
        if found.len() >= limits::CONDITION_TOKENS {
            return None;
        }
        if rest.starts_with("//") {
            return Some(found);
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            continue;
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
        if first.is_ascii_digit() {
            let (number, after) = split(rest, is_word);
            found.push(number_of(number).map_or(Token::Unknown, Token::Value));
            rest = after;
        } else if first.is_ascii_alphabetic() || first == '_' {
            let (word, after) = split(rest, |c| c != '\'' && is_word(c));
            found.push(Token::Word(word.to_owned()));
            rest = after;
        } else if first == '\'' {
            let (letter, after) = rest.get(1..)?.split_once('\'')?;
            let is_plain = letter.len() == 1 && letter != "\\";
            let value = letter.bytes().next().filter(|_| is_plain);
            found.push(value.map_or(Token::Unknown, |value| {
                Token::Value(Value::of(value.into()))
            }));
            rest = after;
        } else if first == '"' {
            let (quoted, after) = rest.get(1..)?.split_once('"')?;
            found.push(Token::Quoted(quoted.to_owned()));
            rest = after;
        } else {
            let punct = PUNCTUATION.iter().find(|punct| rest.starts_with(**punct))?;
            found.push(Token::Punct(punct));
            rest = rest.get(punct.len()..)?;
        }
    }
}

/// The numbers that a condition is written with.
pub(crate) fn numbers_in(text: &str) -> Vec<i64> {
    let found = tokens(condition_of(text)).unwrap_or_default();
    let number = |token: Token| match token {
        Token::Value(value) => i64::try_from(value.least).ok(),
        _ => None,
    };
    found.into_iter().filter_map(number).collect()
}

fn split(text: &str, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn number_of(text: &str) -> Option<Value> {
    let digits: String = text.chars().filter(|c| *c != '\'').collect();
    let digits = digits.to_ascii_lowercase();
    let number = digits.trim_end_matches(['u', 'l', 'z']);
    let suffix = digits.get(number.len()..)?;
    let (digits, radix) = match number.as_bytes() {
        [b'0', b'x', ..] => (number.get(2..)?, 16),
        [b'0', b'b', ..] => (number.get(2..)?, 2),
        [b'0', _, ..] => (number, 8),
        _ => (number, 10),
    };
    let value = u64::from_str_radix(digits, radix).ok()?;
    let is_unsigned = suffix.contains('u') || (radix != 10 && i64::try_from(value).is_err());
    Some(Value {
        is_unsigned,
        ..Value::of(value.into())
    })
}

/// Replaces the macros among tokens.
struct Expansion<'m, 't> {
    macros: &'m dyn Macros<'t>,
    /// The macros inside of whose replacement we are: none is replaced again.
    active: Vec<String>,
    tokens: Vec<Token>,
}

impl Expansion<'_, '_> {
    fn expand(&mut self, tokens: &[Token]) -> Option<()> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if self.tokens.len() >= limits::CONDITION_TOKENS {
                return None;
            }
            let Token::Word(word) = token else {
                self.tokens.push(token.clone());
                continue;
            };
            at += self.word(word, tokens.get(at..).unwrap_or_default())?;
        }
        Some(())
    }

    /// Replaces a word with `rest` behind it, and gives how much of that it takes.
    fn word(&mut self, word: &str, rest: &[Token]) -> Option<usize> {
        let truth = |known: Option<bool>| match known {
            Some(known) => Token::Value(Value::of(known.into())),
            None => Token::Unknown,
        };
        match (word, rest) {
            ("true" | "false", _) => {
                self.tokens.push(truth(Some(word == "true")));
                Some(0)
            }
            ("defined", [Token::Word(name), ..]) => {
                self.tokens.push(truth(self.macros.is_defined(name)));
                Some(1)
            }
            ("defined", [Token::Punct("("), Token::Word(name), Token::Punct(")"), ..]) => {
                self.tokens.push(truth(self.macros.is_defined(name)));
                Some(3)
            }
            ("defined", _) => None,
            _ if word.starts_with("__has_") && rest.first() == Some(&Token::Punct("(")) => {
                let (arguments, taken) = arguments(rest)?;
                let found = match (word, arguments.as_slice()) {
                    ("__has_include", [path]) => self.has_include(path),
                    _ => None,
                };
                self.tokens.push(truth(found));
                Some(taken)
            }
            _ if self.active.iter().any(|active| active == word) => {
                self.tokens.push(Token::Unknown);
                Some(0)
            }
            _ => self.macro_of(word, rest),
        }
    }

    fn macro_of(&mut self, word: &str, rest: &[Token]) -> Option<usize> {
        match self.macros.replacement(word) {
            Macro::Undefined => self.tokens.push(Token::Value(Value::of(0))),
            Macro::Number(least, most) => self.tokens.push(Token::Value(Value {
                least: least.into(),
                most: most.into(),
                is_unsigned: false,
            })),
            Macro::Unknown => {
                // A name with a parenthesis behind it is a call.
                let called = (rest.first() == Some(&Token::Punct("("))).then(|| arguments(rest));
                self.tokens.push(Token::Unknown);
                return Some(called.flatten().map_or(0, |(_, taken)| taken));
            }
            Macro::Object(body) => self.inside(word, &tokens(body)?)?,
            Macro::Function(params, body) => {
                if rest.first() != Some(&Token::Punct("(")) {
                    self.tokens.push(Token::Value(Value::of(0)));
                    return Some(0);
                }
                let (given, taken) = arguments(rest)?;
                let given = if params.is_empty() { Vec::new() } else { given };
                if given.len() != params.len() {
                    return None;
                }
                let body = tokens(body)?;
                let pastes = |token: &Token| matches!(token, Token::Punct("#" | "##"));
                if body.iter().any(pastes) {
                    self.tokens.push(Token::Unknown);
                    return Some(taken);
                }
                let mut replaced = Vec::new();
                for token in body {
                    let place = match &token {
                        Token::Word(word) => params.iter().position(|param| param == word),
                        _ => None,
                    };
                    match place.and_then(|place| given.get(place)) {
                        Some(argument) => replaced.extend(argument.iter().cloned()),
                        None => replaced.push(token),
                    }
                    if replaced.len() > limits::CONDITION_TOKENS {
                        return None;
                    }
                }
                self.inside(word, &replaced)?;
                return Some(taken);
            }
        }
        Some(0)
    }

    fn inside(&mut self, word: &str, tokens: &[Token]) -> Option<()> {
        if self.active.len() >= limits::CONDITION_DEPTH {
            return None;
        }
        self.active.push(word.to_owned());
        let expanded = self.expand(tokens);
        self.active.pop();
        expanded
    }

    fn has_include(&self, path: &[Token]) -> Option<bool> {
        match path {
            [Token::Quoted(path)] => self.macros.has_include(path, false),
            [Token::Punct("<"), inner @ .., Token::Punct(">")] => {
                let mut path = String::new();
                for token in inner {
                    match token {
                        Token::Word(word) => path += word,
                        Token::Punct(punct) => path += punct,
                        _ => return None,
                    }
                }
                self.macros.has_include(&path, true)
            }
            _ => None,
        }
    }
}

/// The arguments in parentheses at the start of tokens, and how many tokens they take.
fn arguments(tokens: &[Token]) -> Option<(Vec<Vec<Token>>, usize)> {
    let mut all = vec![Vec::new()];
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Punct("(") if depth == 0 => depth = 1,
            Token::Punct(")") if depth == 1 => return Some((all, index + 1)),
            Token::Punct(",") if depth == 1 => all.push(Vec::new()),
            other => {
                match other {
                    Token::Punct("(") => depth += 1,
                    Token::Punct(")") => depth -= 1,
                    _ => {}
                }
                all.last_mut()?.push(other.clone());
            }
        }
    }
    None
}

/// A number of which a range is known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Value {
    least: i128,
    most: i128,
    is_unsigned: bool,
}

impl Value {
    fn of(number: i128) -> Self {
        Self {
            least: number,
            most: number,
            is_unsigned: false,
        }
    }

    fn known(self) -> Option<i128> {
        (self.least == self.most).then_some(self.least)
    }

    fn truth(self) -> Option<bool> {
        match self.known() {
            Some(number) => Some(number != 0),
            None => (self.least > 0 || self.most < 0).then_some(true),
        }
    }

    /// As an unsigned number, where it is known.
    fn to_unsigned(self) -> Option<Self> {
        let number = self.known()?.rem_euclid(1 << 64);
        Some(Self {
            is_unsigned: true,
            ..Self::of(number)
        })
    }
}

/// Reads an expression of tokens that are replaced. A part is `None` where its value is not known; the tokens are read
/// all the same.
struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
}

/// Binary operators by how tightly they bind, loosest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn take(&mut self, puncts: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Punct(punct)) if puncts.contains(punct) => {
                self.at += 1;
                Some(punct)
            }
            _ => None,
        }
    }

    fn ternary(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > limits::CONDITION_DEPTH {
            return None;
        }
        let condition = self.binary(0);
        let value = if self.take(&["?"]).is_some() {
            let then = self.ternary();
            if self.take(&[":"]).is_none() {
                self.at = 0;
                self.depth = limits::CONDITION_DEPTH + 1;
                return None;
            }
            let otherwise = self.ternary();
            if condition.and_then(Value::truth)? {
                then
            } else {
                otherwise
            }
        } else {
            condition
        };
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn binary(&mut self, level: usize) -> Option<Value> {
        let Some(ops) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1);
        while let Some(op) = self.take(ops) {
            let right = self.binary(level + 1);
            left = match op {
                "&&" | "||" => logical(op, left, right),
                _ => left.zip(right).and_then(|(a, b)| computed(op, a, b)),
            };
        }
        left
    }

    fn unary(&mut self) -> Option<Value> {
        let mut ops = Vec::new();
        while let Some(op) = self.take(&["!", "-", "+", "~"]) {
            ops.push(op);
        }
        let mut value = self.primary();
        for op in ops.into_iter().rev() {
            value = value.and_then(|value| match op {
                "!" => Some(Value::of((!value.truth()?).into())),
                "+" => Some(value),
                _ => {
                    let number = value.known()?;
                    let number = if op == "-" { -number } else { !number };
                    wrapped(number, value.is_unsigned)
                }
            });
        }
        value
    }

    fn primary(&mut self) -> Option<Value> {
        if self.take(&["("]).is_some() {
            let value = self.ternary();
            // An open parenthesis is not understood: the rest of the tokens says so.
            self.take(&[")"])?;
            return value;
        }
        match self.tokens.get(self.at)? {
            Token::Value(value) => {
                self.at += 1;
                Some(*value)
            }
            Token::Unknown => {
                self.at += 1;
                None
            }
            _ => None,
        }
    }
}

fn logical(op: &str, left: Option<Value>, right: Option<Value>) -> Option<Value> {
    let decides = op == "||";
    let truths = [left, right].map(|side| side.and_then(Value::truth));
    let truth = if truths.contains(&Some(decides)) {
        decides
    } else if truths.contains(&None) {
        return None;
    } else {
        !decides
    };
    Some(Value::of(truth.into()))
}

fn computed(op: &str, a: Value, b: Value) -> Option<Value> {
    let is_unsigned = (a.is_unsigned || b.is_unsigned) && !matches!(op, "<<" | ">>");
    let (a, b) = if is_unsigned {
        (a.to_unsigned()?, b.to_unsigned()?)
    } else {
        (a, b)
    };
    let truth = |holds: bool, fails: bool| match (holds, fails) {
        (true, _) => Some(Value::of(1)),
        (_, true) => Some(Value::of(0)),
        _ => None,
    };
    match op {
        "<" => return truth(a.most < b.least, a.least >= b.most),
        "<=" => return truth(a.most <= b.least, a.least > b.most),
        ">" => return truth(a.least > b.most, a.most <= b.least),
        ">=" => return truth(a.least >= b.most, a.most < b.least),
        "==" | "!=" => {
            let apart = a.most < b.least || b.most < a.least;
            let same = a.known().is_some() && a == b;
            let (holds, fails) = if op == "==" {
                (same, apart)
            } else {
                (apart, same)
            };
            return truth(holds, fails);
        }
        _ => {}
    }
    let (x, y) = (a.known()?, b.known()?);
    let shift = || u32::try_from(y).ok().filter(|places| *places < 64);
    let result = match op {
        "+" => x.checked_add(y)?,
        "-" => x.checked_sub(y)?,
        "*" => x.checked_mul(y)?,
        "/" => x.checked_div(y)?,
        "%" => x.checked_rem(y)?,
        "&" => x & y,
        "|" => x | y,
        "^" => x ^ y,
        "<<" => x << shift()?,
        ">>" => x >> shift()?,
        _ => return None,
    };
    wrapped(
        result,
        if matches!(op, "<<" | ">>") {
            a.is_unsigned
        } else {
            is_unsigned
        },
    )
}

/// A result in 64 bits; one that is signed and overflows is unknown.
fn wrapped(number: i128, is_unsigned: bool) -> Option<Value> {
    if is_unsigned {
        return Some(Value {
            is_unsigned,
            ..Value::of(number.rem_euclid(1 << 64))
        });
    }
    i64::try_from(number)
        .ok()
        .map(|number| Value::of(number.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Macros<'static> for Known {
        fn replacement(&self, name: &str) -> Macro<'static> {
            match name {
                "FOUR" => Macro::Object("4"),
                "ALIAS" => Macro::Object("FOUR"),
                "SUM" => Macro::Object("1 + 2"),
                "LOOP" => Macro::Object("LOOP + 1"),
                "NEXT" => Macro::Function(vec!["x"], "((x) + 1)"),
                "PRODUCT" => Macro::Function(vec!["x", "y"], "x * y"),
                "ARCH" => Macro::Number(900, i64::MAX),
                "OPEN" => Macro::Unknown,
                "EMPTY" => Macro::Object(""),
                _ => Macro::Undefined,
            }
        }

        fn is_defined(&self, name: &str) -> Option<bool> {
            (name != "OPEN").then_some(name == "FOUR")
        }

        fn has_include(&self, path: &str, system: bool) -> Option<bool> {
            (path == "cute/tensor.hpp" && system).then_some(true)
        }
    }

    #[test]
    fn conditions_are_computed_as_the_preprocessor_does() {
        let cases = [
            ("FOUR == 4 && ALIAS == 4", Some(true)),
            ("SUM * 2 == 5", Some(true)),
            ("NEXT(2) == 3", Some(true)),
            ("PRODUCT(1 + 2, 3) == 7", Some(true)),
            ("PRODUCT(NEXT(1), FOUR) == 8", Some(true)),
            ("NOTHING", Some(false)),
            ("!defined(NOTHING) && defined FOUR", Some(true)),
            ("defined OPEN", None),
            ("OPEN || FOUR", Some(true)),
            ("OPEN && NOTHING", Some(false)),
            ("OPEN(3) > 2", None),
            ("ARCH >= 900", Some(true)),
            ("ARCH >= 1000", None),
            ("ARCH < 900", Some(false)),
            ("-1 > 0u", Some(true)),
            ("(2 + 3) * 4 == 20 ? 1 : 0", Some(true)),
            ("0 ? OPEN : 1", Some(true)),
            ("1 << 3 == 8", Some(true)),
            ("~0 == -1", Some(true)),
            ("-7 / 2 == -3 && -7 % 2 == -1", Some(true)),
            ("1 / 0", None),
            (
                "0x10 == 16 && 010 == 8 && 0b11 == 3 && 1'000 == 1000",
                Some(true),
            ),
            ("'A' == 65", Some(true)),
            ("__has_include(<cute/tensor.hpp>)", Some(true)),
            ("__has_include(\"other.h\")", None),
            ("__has_builtin(__builtin_assume)", None),
            ("LOOP", None),
            ("FOUR // a comment", Some(true)),
            ("(FOUR", None),
            ("FOUR FOUR", None),
            ("EMPTY", None),
            ("", None),
            ("#elif FOUR > 3", Some(true)),
            ("true", Some(true)),
        ];
        for (text, expected) in cases {
            assert_eq!(holds(text, &Known), expected, "{text}");
        }
    }

    #[test]
    fn what_is_nested_deeply_is_not_known() {
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(holds(&deep, &Known), None);
        assert_eq!(holds(&"!".repeat(100_000), &Known), None);
    }
}
