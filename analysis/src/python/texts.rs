//! Values as text: `str(x)`, `repr(x)`, f-strings, `str.format` and `%`.

use tree_sitter_cute::tree::Span;

use super::comparisons::is_number;
use super::heap::{ClassKind, Object};
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given};
use super::specs::{Spec, shortest};
use super::value::{Builtin, Py};
use crate::limits;
use crate::reason::Reason;
use crate::value::Value;
use crate::vocabulary::python as vocabulary;

impl Machine<'_> {
    /// The result of `str(value)`; `None` where that is not modelled.
    pub(crate) fn str_of(&mut self, value: &Py) -> Run<Option<String>> {
        if let Py::Str(text) = value {
            return Ok(Some(text.to_string()));
        }
        for name in ["__str__", "__repr__"] {
            if let Some(method) = self.method(value, name)? {
                return self.text_of_call(&method);
            }
        }
        if self.is_raised(value, "BaseException") && !matches!(value, Py::Builtin(_)) {
            return self.error_text(value);
        }
        match self.content_of(value) {
            Some(content) if self.writes_content(value) => self.str_of(&content),
            _ => self.repr_of(value),
        }
    }

    /// Whether the text of an object is that of its content: of a member of an `Enum` it is where its class says so.
    fn writes_content(&self, value: &Py) -> bool {
        let class = self.class_of(value).map(|class| self.heap.get(class));
        match class {
            Some(Object::Class(class)) => {
                class.kind == ClassKind::Plain
                    || class.kind == ClassKind::Enum
                        && class.foreign.iter().any(|base| {
                            matches!(
                                base,
                                Py::Builtin(Builtin::StrEnum | Builtin::IntEnum | Builtin::IntFlag)
                            )
                        })
            }
            _ => false,
        }
    }

    fn text_of_call(&mut self, method: &Py) -> Run<Option<String>> {
        Ok(match self.call(method, Args::default())? {
            Py::Str(text) => Some(text.to_string()),
            _ => None,
        })
    }

    /// The result of `repr(value)`; `None` where that is not modelled.
    pub(super) fn repr_of(&mut self, value: &Py) -> Run<Option<String>> {
        self.step(1)?;
        self.deeper(|machine| machine.repr_deeper(value))
    }

    fn repr_deeper(&mut self, value: &Py) -> Run<Option<String>> {
        Ok(Some(match value {
            Py::Str(text) => match quoted(text) {
                Some(text) => text,
                None => return Ok(None),
            },
            Py::Int(value) => value.to_string(),
            Py::Bool(true) => "True".into(),
            Py::Bool(false) => "False".into(),
            Py::None => "None".into(),
            Py::Ellipsis => "Ellipsis".into(),
            Py::Float(value) => shortest(*value),
            Py::Tuple(items) => match self.reprs(items)?.as_deref() {
                Some([only]) => format!("({only},)"),
                Some(items) => format!("({})", items.join(", ")),
                None => return Ok(None),
            },
            Py::Scalar(scalar) => vocabulary::scalar_name(scalar)
                .unwrap_or(scalar.name)
                .to_owned(),
            Py::Leaf(value @ (Value::Layout(_) | Value::Composed(_))) => value.to_string(),
            Py::Builtin(Builtin::Error(name)) => (*name).to_owned(),
            Py::Object(_) => return self.repr_of_object(value),
            _ => return Ok(None),
        }))
    }

    fn reprs(&mut self, items: &[Py]) -> Run<Option<Vec<String>>> {
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match self.repr_of(item)? {
                Some(text) if text.len() <= limits::STEPS_BETWEEN_STOPS => texts.push(text),
                _ => return Ok(None),
            }
        }
        Ok(Some(texts))
    }

    fn repr_of_object(&mut self, value: &Py) -> Run<Option<String>> {
        if let Some(method) = self.method(value, "__repr__")? {
            return self.text_of_call(&method);
        }
        let Py::Object(id) = value else {
            return Ok(None);
        };
        match self.heap.get(*id) {
            Object::List(items) => {
                let items = items.clone();
                let texts = self.reprs(&items)?;
                Ok(texts.map(|texts| format!("[{}]", texts.join(", "))))
            }
            Object::Set(items) if !items.is_empty() => {
                let items = items.clone();
                let texts = self.reprs(&items)?;
                Ok(texts.map(|texts| format!("{{{}}}", texts.join(", "))))
            }
            Object::Dict(entries) => {
                let entries = entries.clone();
                let mut texts = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    match (self.repr_of(&key)?, self.repr_of(&value)?) {
                        (Some(key), Some(value)) => texts.push(format!("{key}: {value}")),
                        _ => return Ok(None),
                    }
                }
                Ok(Some(format!("{{{}}}", texts.join(", "))))
            }
            Object::Instance(_) => self.repr_of_instance(value),
            _ => Ok(None),
        }
    }

    fn repr_of_instance(&mut self, value: &Py) -> Run<Option<String>> {
        let Py::Object(id) = value else {
            return Ok(None);
        };
        let Object::Instance(instance) = self.heap.get(*id) else {
            return Ok(None);
        };
        let Object::Class(class) = self.heap.get(instance.class) else {
            return Ok(None);
        };
        let name = class.name.clone();
        let instance = instance.clone();
        match class.kind {
            ClassKind::Enum => Ok(match instance.attributes.get("name") {
                Some(Py::Str(member)) => Some(format!("{name}.{member}")),
                _ => None,
            }),
            ClassKind::Dataclass | ClassKind::NamedTuple => {
                let mut texts = Vec::new();
                let fields = class.fields.clone();
                for field in fields.iter().filter(|field| !field.is_passed_on) {
                    let Some(own) = instance.attributes.get(&field.name) else {
                        continue;
                    };
                    match self.repr_of(&own.clone())? {
                        Some(text) => texts.push(format!("{}={text}", field.name)),
                        None => return Ok(None),
                    }
                }
                Ok(Some(format!("{name}({})", texts.join(", "))))
            }
            ClassKind::Plain => match instance.built_in {
                Some(content) => self.repr_of(&content),
                None => Ok(None),
            },
        }
    }

    /// A value as a part of a text, with the letter behind `!` and the format behind `:`.
    #[inline(never)]
    pub(crate) fn formatted(
        &mut self,
        value: &Py,
        conversion: Option<char>,
        spec: &str,
    ) -> Run<Result<String, Reason>> {
        if let Some(reason) = value.reason() {
            return Ok(Err(reason.clone()));
        }
        let unknown = || Reason::Construct("the text of this value");
        let text = match conversion {
            None => match self.method(value, "__format__")? {
                Some(method) => {
                    let args = Args::of(vec![Py::str(spec)], Span::default());
                    return Ok(match self.call(&method, args)? {
                        Py::Str(text) => Ok(text.to_string()),
                        _ => Err(unknown()),
                    });
                }
                None if spec.is_empty() => self.str_of(value)?,
                None => self.in_format(value, spec)?,
            },
            Some('s') => self.str_of(value)?,
            Some('r' | 'a') => self.repr_of(value)?,
            Some(_) => None,
        };
        let text = match (conversion, text) {
            (Some(_), Some(text)) if !spec.is_empty() => {
                Spec::of(spec).and_then(|spec| spec.text(&text))
            }
            (_, text) => text,
        };
        Ok(text.ok_or_else(unknown))
    }

    fn in_format(&mut self, value: &Py, text: &str) -> Run<Option<String>> {
        let Some(spec) = Spec::of(text) else {
            return Ok(None);
        };
        let content = self.content_of(value);
        Ok(match content.as_ref().unwrap_or(value) {
            Py::Int(number) => spec.integer(*number),
            Py::Bool(truth) => spec.integer(i64::from(*truth)),
            Py::Float(number) => spec.float(*number),
            Py::Str(text) => spec.text(text),
            _ => None,
        })
    }

    /// `template.format(*args, **named)`
    pub(crate) fn fill_in(&mut self, template: &str, given: &Given) -> Run<Result<String, Reason>> {
        let mut next = 0;
        self.fill_in_from(template, given, &mut next)
    }

    fn fill_in_from(
        &mut self,
        template: &str,
        given: &Given,
        next: &mut usize,
    ) -> Run<Result<String, Reason>> {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix(brace) {
                text.push_str(brace);
                rest = behind;
                continue;
            }
            let (true, Some(end)) = (brace == "{", end_of_field(rest)) else {
                return Ok(Err(Reason::Construct("a single brace in a text")));
            };
            let field = &rest[..end];
            rest = &rest[end + 1..];
            let (field, spec) = field.split_once(':').unwrap_or((field, ""));
            let (field, conversion) = match field.split_once('!') {
                Some((field, conversion)) => (field, conversion.chars().next()),
                None => (field, None),
            };
            let value = self.field(field, given, next)?;
            let spec = match spec.contains('{') {
                true => match self.deeper(|it| it.fill_in_from(spec, given, next))? {
                    Ok(spec) => spec,
                    Err(reason) => return Ok(Err(reason)),
                },
                false => spec.to_owned(),
            };
            match self.formatted(&value, conversion, &spec)? {
                Ok(part) => text.push_str(&part),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        text.push_str(rest);
        self.step(text.len() / 1024)?;
        Ok(Ok(text))
    }

    /// The argument that a field names: by its number, its name, or as the next one; with its attributes and elements.
    fn field(&mut self, field: &str, given: &Given, next: &mut usize) -> Run<Py> {
        let end = field.find(['.', '[']).unwrap_or(field.len());
        let (first, mut rest) = field.split_at(end);
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
        while !rest.is_empty() {
            if let Some(behind) = rest.strip_prefix('.') {
                let end = behind.find(['.', '[']).unwrap_or(behind.len());
                value = self.attribute(&value, &behind[..end])?;
                rest = &behind[end..];
            } else if let Some((index, behind)) =
                rest.strip_prefix('[').and_then(|it| it.split_once(']'))
            {
                let index = index.parse().map_or_else(|_| Py::str(index), Py::Int);
                value = self.subscript(&value, &index, Span::default())?;
                rest = behind;
            } else {
                return Ok(Py::Unknown(Reason::Construct("this field of a text")));
            }
        }
        Ok(value)
    }

    /// `template % values`
    pub(super) fn percent(&mut self, template: &str, values: &Py) -> Run<Py> {
        let unknown = || Py::Unknown(Reason::Construct("`%` of a text"));
        let mut plain = match values {
            Py::Tuple(items) => items.to_vec(),
            only => vec![only.clone()],
        }
        .into_iter();
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let name = match rest.strip_prefix('(').and_then(|it| it.split_once(')')) {
                Some((name, behind)) => {
                    rest = behind;
                    Some(name)
                }
                None => None,
            };
            let Some(end) = rest.find(|it: char| it.is_ascii_alphabetic() || it == '%') else {
                return Ok(unknown());
            };
            let (flags, kind) = (&rest[..end], &rest[end..=end]);
            rest = &rest[end + 1..];
            if kind == "%" {
                text.push('%');
                continue;
            }
            let value = match name {
                Some(name) => self.subscript(values, &Py::str(name), Span::default())?,
                None if flags.contains('*') => return Ok(unknown()),
                None => match plain.next() {
                    Some(value) => value,
                    None => return Err(Stop::error("TypeError", "arguments of a text")),
                },
            };
            match self.percent_value(&value, flags, kind)? {
                Ok(part) => text.push_str(&part),
                Err(reason) => return Ok(Py::Unknown(reason)),
            }
        }
        text.push_str(rest);
        self.step(text.len() / 1024)?;
        Ok(Py::str(&text))
    }

    /// One value behind a `%`: its format in the words of f-strings.
    fn percent_value(
        &mut self,
        value: &Py,
        flags: &str,
        kind: &str,
    ) -> Run<Result<String, Reason>> {
        let align = if flags.contains('-') { "<" } else { ">" };
        let sign = if flags.contains('+') { "+" } else { "" };
        let mark = if flags.contains('#') { "#" } else { "" };
        let size = flags.trim_start_matches(['-', '+', '#', ' ']);
        match kind {
            "s" => self.formatted(value, Some('s'), &format!("{align}{size}")),
            "r" => self.formatted(value, Some('r'), &format!("{align}{size}")),
            "d" | "i" | "u" => match value {
                #[allow(clippy::cast_possible_truncation)] // As Python truncates.
                Py::Float(number) => {
                    let number = Py::Int(*number as i64);
                    self.percent_value(&number, flags, "d")
                }
                value => {
                    let align = if size.starts_with('0') { "" } else { align };
                    self.formatted(value, None, &format!("{align}{sign}{size}d"))
                }
            },
            _ if is_number(value) => {
                let align = if size.starts_with('0') { "" } else { align };
                self.formatted(value, None, &format!("{align}{sign}{mark}{size}{kind}"))
            }
            _ => Ok(Err(value
                .reason()
                .cloned()
                .unwrap_or(Reason::Construct("`%` of a text")))),
        }
    }
}

/// The end of a field of a template, behind the fields inside of it.
fn end_of_field(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' if open == 0 => return Some(at),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A text with quotes around it.
fn quoted(text: &str) -> Option<String> {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut quoted = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ if letter == quote => {
                quoted.push('\\');
                quoted.push(letter);
            }
            ' '..='~' => quoted.push(letter),
            _ if letter.is_alphanumeric() => quoted.push(letter),
            _ => return None,
        }
    }
    quoted.push(quote);
    Some(quoted)
}
