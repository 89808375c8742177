//! Templates of Jinja, as scripts render them: a template is a program of Python that appends texts to a list, and the
//! machine runs it.

use std::sync::Arc;

use tree_sitter_cute::script::Script;

use super::heap::Object;
use super::machine::{Frame, Machine, Run};
use super::namespaces::NAMESPACE;
use super::native::{Args, Given, Native, native};
use super::value::Py;
use crate::reason::Reason;

/// The list of texts in the program of a template.
const OUT: &str = "_out";
/// Blocks inside one another.
const DEPTH: usize = 32;

/// The program of a template; `None` where it has what is not modelled.
fn program(template: &str) -> Option<String> {
    let says_loop = template.contains("loop");
    let import = if says_loop { "import _templates\n" } else { "" };
    let mut program = format!("{import}{OUT} = []\n");
    // The blocks that are open, outermost first.
    let mut open = Vec::new();
    let mut rest = template.strip_suffix('\n').unwrap_or(template);
    let mut trims = false;
    loop {
        let at = ["{{", "{%", "{#"]
            .iter()
            .filter_map(|mark| rest.find(mark))
            .min();
        let (text, tag) = rest.split_at(at.unwrap_or(rest.len()));
        let text = if trims { text.trim_start() } else { text };
        let is_trimmed = tag.get(2..).is_some_and(|inside| inside.starts_with('-'));
        let text = if is_trimmed { text.trim_end() } else { text };
        if !text.is_empty() {
            line(
                &mut program,
                open.len(),
                &format!("{OUT}.append({})", quoted(text)?),
            );
        }
        let (Some(kind), Some(inside)) = (tag.get(..2), tag.get(2..)) else {
            break;
        };
        let close = match kind {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let (inside, behind) = inside.split_once(close)?;
        trims = inside.ends_with('-');
        let inside = inside.trim_start_matches('-').trim_end_matches('-').trim();
        rest = behind;
        match kind {
            "{{" => {
                let value = inner(inside, &open)?;
                let append = format!("{OUT}.append(str({value}))");
                line(&mut program, open.len(), &append);
            }
            "{%" => statement(inside, says_loop, &mut open, &mut program)?,
            _ => {}
        }
    }
    open.is_empty().then_some(program)
}

/// A block of a template that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Loop,
    Branch,
}

/// The name of what `loop` means inside of the innermost loop of some blocks.
fn loop_of(open: &[Block]) -> Option<String> {
    let at = open.iter().rposition(|block| *block == Block::Loop)?;
    Some(format!("_loop{at}"))
}

/// An expression inside of blocks, as Python writes it.
fn inner(text: &str, open: &[Block]) -> Option<String> {
    let (mut whole, mut around) = (String::with_capacity(text.len()), Around::default());
    let is_of_name = |character: char| character == '_' || character.is_ascii_alphanumeric();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|character| !is_of_name(character));
        let (name, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if name.is_empty() {
            around.pass(first)?;
            whole.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let is_member = whole.ends_with('.');
        match name {
            _ if around.quote.is_some() || is_member => whole.push_str(name),
            "loop" => whole.push_str(&loop_of(open)?),
            "none" => whole.push_str("None"),
            "true" => whole.push_str("True"),
            "false" => whole.push_str("False"),
            _ => whole.push_str(name),
        }
        rest = behind;
    }
    expression(&whole)
}

/// Adds a statement of a template, which opens or closes a block.
fn statement(
    inside: &str,
    says_loop: bool,
    open: &mut Vec<Block>,
    program: &mut String,
) -> Option<()> {
    let (word, behind) = inside
        .split_once(char::is_whitespace)
        .unwrap_or((inside, ""));
    let depth = open.len();
    match word {
        "for" if depth < DEPTH => {
            let (names, items) = behind.split_once(" in ")?;
            let items = inner(items.trim(), open)?;
            open.push(Block::Loop);
            let (own, names) = (loop_of(open)?, names.trim());
            let head = match (says_loop, names.contains(',')) {
                (true, true) => format!("for {own}, ({names}) in _templates.loops({items}):"),
                (true, false) => format!("for {own}, {names} in _templates.loops({items}):"),
                (false, _) => format!("for {names} in {items}:"),
            };
            line(program, depth, &head);
            line(program, depth + 1, "pass");
        }
        "if" if depth < DEPTH => {
            let head = format!("if {}:", inner(behind.trim(), open)?);
            open.push(Block::Branch);
            line(program, depth, &head);
            line(program, depth + 1, "pass");
        }
        "elif" | "else" => {
            // Of a loop it is run where there is nothing to go through.
            if open.last() != Some(&Block::Branch) {
                return None;
            }
            let head = match word {
                "elif" => format!("elif {}:", inner(behind.trim(), open)?),
                _ => "else:".to_owned(),
            };
            line(program, depth - 1, &head);
            line(program, depth, "pass");
        }
        "endfor" if open.last() == Some(&Block::Loop) => {
            open.pop();
        }
        "endif" if open.last() == Some(&Block::Branch) => {
            open.pop();
        }
        "set" => {
            let (name, value) = behind.split_once('=')?;
            let value = inner(value.trim(), open)?;
            line(program, depth, &format!("{} = {value}", name.trim()));
        }
        _ => return None,
    }
    Some(())
}

/// An expression with its filters, as Python writes it. A filter takes the operand directly before it.
fn expression(text: &str) -> Option<String> {
    let mut parts = filtered(text)?.into_iter();
    let mut value = parts.next()?.trim().to_owned();
    for filter in parts {
        let filter = filter.trim_start();
        let is_of_name = |character: char| character == '_' || character.is_ascii_alphanumeric();
        let end = filter.find(|character| !is_of_name(character));
        let (name, behind) = filter.split_at(end.unwrap_or(filter.len()));
        let (args, behind) = match behind.strip_prefix('(') {
            Some(behind) => behind.split_once(')')?,
            None => ("", behind),
        };
        let quotes = |mark: char| args.matches(mark).count().is_multiple_of(2);
        if args.contains('(') || !quotes('\'') || !quotes('"') {
            return None;
        }
        let (front, operand) = value.split_at(operand(&value)?);
        value = format!("{front}{}{behind}", applied(name, args.trim(), operand)?);
    }
    Some(value)
}

/// The brackets and quotes around a place of an expression.
#[derive(Default)]
struct Around {
    open: usize,
    quote: Option<char>,
}

impl Around {
    /// Passes a character; whether it is neither a bracket, a quote nor inside of quotes. `None` where it closes nothing.
    fn pass(&mut self, character: char) -> Option<bool> {
        match (self.quote, character) {
            (Some(mark), _) => {
                self.quote = (mark != character).then_some(mark);
                return Some(false);
            }
            (None, '\'' | '"') => self.quote = Some(character),
            (None, '(' | '[' | '{') => self.open += 1,
            (None, ')' | ']' | '}') => self.open = self.open.checked_sub(1)?,
            _ => return Some(true),
        }
        Some(false)
    }
}

/// The start of the last operand of an expression; `None` where it is not a plain one.
fn operand(text: &str) -> Option<usize> {
    let (mut begins, mut around) = (0, Around::default());
    for (at, character) in text.char_indices() {
        if !around.pass(character)? || around.open > 0 {
            continue;
        }
        match character {
            ' ' => begins = at + 1,
            '_' | '.' => {}
            other if other.is_ascii_alphanumeric() => {}
            // An operator without blanks around it.
            _ if begins == at || text[begins..].starts_with(is_operator) => {}
            _ => return None,
        }
    }
    let is_plain = !text[begins..].starts_with(is_operator) && begins < text.len();
    is_plain.then_some(begins)
}

fn is_operator(character: char) -> bool {
    "=<>!+-*/%,:".contains(character)
}

/// A filter of a value.
fn applied(name: &str, args: &str, value: &str) -> Option<String> {
    Some(match (name, args) {
        ("int" | "list", "") => format!("{name}({value})"),
        ("string", "") => format!("str({value})"),
        ("length", "") => format!("len({value})"),
        ("upper" | "lower", "") => format!("str({value}).{name}()"),
        ("trim", "") => format!("str({value}).strip()"),
        ("join", "") => format!("''.join([str(_it) for _it in {value}])"),
        ("join", separator) => format!("({separator}).join([str(_it) for _it in {value}])"),
        _ => return None,
    })
}

/// The parts between the bars of an expression; `None` where one is inside of brackets, or brackets do not close.
fn filtered(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut around) = (Vec::new(), 0, Around::default());
    for (at, character) in text.char_indices() {
        if !around.pass(character)? {
            continue;
        }
        match character {
            '|' if around.open == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            // What Python writes so is another thing.
            '|' | '~' | '\n' => return None,
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (around.open == 0 && around.quote.is_none()).then_some(parts)
}

/// A text as Python writes it.
fn quoted(text: &str) -> Option<String> {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => {}
            '\0' => return None,
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    Some(quoted)
}

fn line(program: &mut String, depth: usize, text: &str) {
    program.push_str(&"    ".repeat(depth));
    program.push_str(text);
    program.push('\n');
}

/// `render(template, names)`: the text, with the values of the names.
fn render(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let unknown = || Py::Unknown(Reason::Construct("this template"));
    let (Py::Str(template), Py::Object(names)) = (given.arg(0), given.arg(1)) else {
        return Ok(given.takes("a template"));
    };
    let Object::Dict(names) = machine.heap.get(*names).clone() else {
        return Ok(unknown());
    };
    machine.step(template.len() / 16)?;
    let Some(program) = program(template) else {
        return Ok(unknown());
    };
    let script = Arc::new(Script::read(&program));
    let scope = machine.template(&script);
    for (name, value) in names {
        if let Py::Str(name) = name {
            machine.bind_in(scope, name, value);
        }
    }
    let file = machine.files.len() - 1;
    let (ran, _) = machine.in_frame(Frame::of(scope, file, ""), |machine| {
        machine.block(&script.body)
    });
    ran?;
    let Object::Scope(found) = machine.heap.get(scope) else {
        return Ok(unknown());
    };
    let Some(parts) = found.names.get(OUT).cloned() else {
        return Ok(unknown());
    };
    let parts = match machine.iterate(&parts)? {
        Ok(parts) => parts,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut text = String::new();
    for part in parts {
        match part {
            Py::Str(part) => text.push_str(&part),
            Py::Unknown(reason) => return Ok(Py::Unknown(reason)),
            _ => return Ok(unknown()),
        }
    }
    machine.step(text.len() / 1024)?;
    Ok(Py::str(&text))
}

/// `loops(items)`: of each item what `loop` says of it, and the item.
fn loops(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let number = |at: usize| i64::try_from(at).map_or(Py::None, Py::Int);
    let length = items.len();
    let mut rows = Vec::with_capacity(length);
    for (at, item) in items.into_iter().enumerate() {
        let said = [
            ("index", number(at + 1)),
            ("index0", number(at)),
            ("revindex", number(length - at)),
            ("revindex0", number(length - at - 1)),
            ("first", Py::Bool(at == 0)),
            ("last", Py::Bool(at + 1 == length)),
            ("length", number(length)),
        ];
        let args = Args {
            named: said.map(|(name, value)| (name.into(), value)).into(),
            ..Args::of(Vec::new(), given.span)
        };
        let own = machine.call_native(&NAMESPACE, args)?;
        rows.push(Py::tuple(vec![own, item]));
    }
    Ok(machine.list(rows))
}

/// Functions of templates.
pub(super) static NATIVES: &[Native] = &[
    native("_templates.render", "template names", render),
    native("_templates.loops", "items", loops),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_a_program() {
        let template = "a\n{% for x in [1, 2] %}k<{{ x | string }}>{% if x == 1 -%}  , {%- endif %}{% endfor %}";
        let lines = [
            "_out = []",
            "_out.append(\"a\\n\")",
            "for x in [1, 2]:",
            "    pass",
            "    _out.append(\"k<\")",
            "    _out.append(str(str(x)))",
            "    _out.append(\">\")",
            "    if x == 1:",
            "        pass",
            "        _out.append(\",\")",
        ];
        assert_eq!(program(template), Some(lines.join("\n") + "\n"));
        let said = |text: &str| expression(text).unwrap_or_default();
        assert_eq!(said("a | lower == 'b'"), "str(a).lower() == 'b'");
        assert_eq!(
            said("x > 1 and y[0] | int >= 2"),
            "x > 1 and int(y[0]) >= 2"
        );
        assert_eq!(said("join | join(')')"), "");
        assert_eq!(said("a.b|upper|length"), "len(str(a.b).upper())");
        assert_eq!(
            said("names|join(', ')"),
            "(', ').join([str(_it) for _it in names])"
        );
    }

    #[test]
    fn what_is_not_modelled_has_no_program() {
        for template in [
            "{% for x in y %}",
            "{% endif %}",
            "{{ x",
            "{% macro f() %}{% endmacro %}",
            "{{ x | indent(4) }}",
            "{{ (x | int) + 1 }}",
            "{{ a+b | int }}",
            "{{ a ~ b }}",
            "{% include 'a' %}",
        ] {
            assert_eq!(program(template), None, "{template}");
        }
    }
}
