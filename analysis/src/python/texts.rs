//! Values as text: `str(x)`, f-strings and `str.format`.

use super::attributes::text_of;
use super::machine::{Machine, Run};
use super::native::{Args, Given};
use super::value::Py;
use crate::reason::Reason;

/// Blanks before or after one value.
const WIDTH: usize = 256;

impl Machine<'_> {
    /// The result of `str(value)`; `None` where that is not modelled.
    pub(crate) fn str_of(&mut self, value: &Py) -> Run<Option<String>> {
        if let Py::Object(_) = value {
            for name in ["__str__", "__repr__"] {
                if let Some(method) = self.method(value, name)? {
                    let text = self.call(&method, Args::default())?;
                    return Ok(match text {
                        Py::Str(text) => Some(text.to_string()),
                        _ => None,
                    });
                }
            }
        }
        Ok(text_of(value))
    }

    /// A value as a part of a text; `behind` is its conversion or format there, `!r`, `:>4`.
    #[inline(never)]
    pub(crate) fn formatted(&mut self, value: &Py, behind: &str) -> Run<Result<String, Reason>> {
        if let Some(reason) = value.reason() {
            return Ok(Err(reason.clone()));
        }
        let text = match behind.strip_prefix(':') {
            None if behind.is_empty() || behind == "!s" => self.str_of(value)?,
            Some(spec) => match value {
                Py::Int(number) => integer(*number, spec),
                Py::Str(text) => padded(text, spec),
                _ => None,
            },
            None => None,
        };
        Ok(text.ok_or(Reason::Construct("the text of this value")))
    }

    /// `template.format(*args, **named)`
    pub(crate) fn fill_in(&mut self, template: &str, given: &Given) -> Run<Result<String, Reason>> {
        let mut text = String::new();
        let mut rest = template;
        let mut next = 0;
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix(brace) {
                text.push_str(brace);
                rest = behind;
                continue;
            }
            let (true, Some(end)) = (brace == "{", rest.find('}')) else {
                return Ok(Err(Reason::Construct("a single brace in a text")));
            };
            let field = &rest[..end];
            rest = &rest[end + 1..];
            if field.contains('{') {
                return Ok(Err(Reason::Construct("a field inside a field")));
            }
            let how = field.find(['!', ':']).unwrap_or(field.len());
            let value = self.field(&field[..how], given, &mut next)?;
            match self.formatted(&value, &field[how..])? {
                Ok(part) => text.push_str(&part),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        text.push_str(rest);
        self.step(text.len() / 1024)?;
        Ok(Ok(text))
    }

    /// The argument that a field names: by its number, its name, or as the next one; with its attributes.
    fn field(&mut self, field: &str, given: &Given, next: &mut usize) -> Run<Py> {
        let mut parts = field.split('.');
        let first = parts.next().unwrap_or_default();
        let by_place = |at: usize| given.rest.get(at).cloned();
        let found = if first.is_empty() {
            *next += 1;
            by_place(*next - 1)
        } else if let Ok(at) = first.parse() {
            by_place(at)
        } else {
            let named = given.named.iter().find(|(name, _)| &**name == first);
            named.map(|(_, value)| value.clone())
        };
        let Some(mut value) = found else {
            return Ok(Py::Unknown(Reason::Construct("this field of a text")));
        };
        for part in parts {
            value = self.attribute(&value, part)?;
        }
        Ok(value)
    }
}

/// `{:d}`, `{:3}`, `{:03d}`
fn integer(number: i64, spec: &str) -> Option<String> {
    let width = spec.strip_suffix('d').unwrap_or(spec);
    if width.is_empty() {
        return Some(number.to_string());
    }
    let wide: usize = width.parse().ok().filter(|wide| *wide <= WIDTH)?;
    Some(if width.starts_with('0') {
        format!("{number:0wide$}")
    } else {
        format!("{number:wide$}")
    })
}

/// `{:s}`, `{:8}`, `{:<8}`, `{:>8}`
fn padded(text: &str, spec: &str) -> Option<String> {
    let spec = spec.strip_suffix('s').unwrap_or(spec);
    let (right, width) = match spec.strip_prefix('>') {
        Some(width) => (true, width),
        None => (false, spec.strip_prefix('<').unwrap_or(spec)),
    };
    if width.is_empty() {
        return Some(text.to_owned());
    }
    let is_number = width.bytes().all(|it| it.is_ascii_digit()) && !width.starts_with('0');
    let wide: usize = width.parse().ok().filter(|wide| *wide <= WIDTH)?;
    is_number.then(|| {
        if right {
            format!("{text:>wide$}")
        } else {
            format!("{text:<wide$}")
        }
    })
}
