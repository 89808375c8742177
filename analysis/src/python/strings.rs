//! Methods of strings.

use super::machine::{Machine, Run, Stop};
use super::native::{Given, Native, native};
use super::value::Py;

/// Blanks of one text.
const WIDTH: usize = 1 << 12;

/// The string that is an argument; that of an object which is one.
fn text(machine: &Machine<'_>, given: &Given, at: usize) -> Option<std::sync::Arc<str>> {
    let content = machine.content_of(given.arg(at));
    match content.as_ref().unwrap_or_else(|| given.arg(at)) {
        Py::Str(text) => Some(text.clone()),
        _ => None,
    }
}

/// The result for a string and, where it has one, the string that is its argument.
fn on_text(machine: &Machine<'_>, given: &Given, f: impl FnOnce(&str, Option<&str>) -> Py) -> Py {
    let Some(own) = text(machine, given, 0) else {
        return given.takes("a string");
    };
    match (text(machine, given, 1), given.arg(1)) {
        (Some(other), _) => f(&own, Some(&other)),
        (None, Py::None) => f(&own, None),
        _ => given.takes("a string"),
    }
}

fn with_text(machine: &Machine<'_>, given: &Given, f: impl FnOnce(&str, &str) -> Py) -> Py {
    match (text(machine, given, 0), text(machine, given, 1)) {
        (Some(own), Some(other)) => f(&own, &other),
        _ => given.takes("a string"),
    }
}

fn count(number: usize) -> Py {
    i64::try_from(number).map_or(Py::None, Py::Int)
}

/// Whether all characters of a text that is not empty are of a kind.
fn all(text: &str, is: impl Fn(char) -> bool) -> Py {
    Py::Bool(!text.is_empty() && text.chars().all(is))
}

fn cased(text: &str, other: impl Fn(char) -> bool) -> Py {
    let has_case = text
        .chars()
        .any(|it| it.is_uppercase() || it.is_lowercase());
    Py::Bool(has_case && !text.chars().any(other))
}

fn prefix(machine: &mut Machine<'_>, given: &Given, test: fn(&str, &str) -> bool) -> Run<Py> {
    let Some(own) = text(machine, given, 0) else {
        return Ok(given.takes("a string"));
    };
    if let Py::Tuple(affixes) = given.arg(1) {
        let is_one = |affix: &Py| matches!(affix, Py::Str(affix) if test(&own, affix));
        return Ok(Py::Bool(affixes.iter().any(is_one)));
    }
    Ok(with_text(machine, given, |text, affix| {
        Py::Bool(test(text, affix))
    }))
}

/// `text.split(by, most)`
fn split(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let most = match given.arg(2) {
        Py::None => usize::MAX,
        most => match most.as_index() {
            Some(most) => usize::try_from(most).map_or(usize::MAX, |most| most.saturating_add(1)),
            None => return Ok(given.takes("a known number of parts")),
        },
    };
    let Some(own) = text(machine, given, 0) else {
        return Ok(given.takes("a string"));
    };
    let is_last = given.name == "str.rsplit";
    let mut parts: Vec<Py> = match (text(machine, given, 1), given.arg(1)) {
        (Some(by), _) if !by.is_empty() && is_last => {
            own.rsplitn(most, &*by).map(Py::str).collect()
        }
        (Some(by), _) if !by.is_empty() => own.splitn(most, &*by).map(Py::str).collect(),
        (None, Py::None) if most == usize::MAX => own.split_whitespace().map(Py::str).collect(),
        (None, Py::None) if !is_last => words(&own, most),
        _ => return Ok(given.takes("a string")),
    };
    if is_last && given.arg(1) != &Py::None {
        parts.reverse();
    }
    machine.step(parts.len())?;
    Ok(machine.list(parts))
}

/// The first words of a text, and the rest.
fn words(text: &str, most: usize) -> Vec<Py> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if parts.len() + 1 >= most {
            parts.push(Py::str(rest.trim_end()));
            break;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        parts.push(Py::str(&rest[..end]));
        rest = rest[end..].trim_start();
    }
    parts
}

fn join(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(by) = text(machine, given, 0) else {
        return Ok(given.takes("a string"));
    };
    let items = match machine.iterate(given.arg(1))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let parts: Option<Vec<String>> = items
        .iter()
        .map(|item| {
            let content = machine.content_of(item);
            match content.as_ref().unwrap_or(item) {
                Py::Str(text) => Some(text.to_string()),
                _ => None,
            }
        })
        .collect();
    if let Some(reason) = items.iter().find_map(Py::reason) {
        return Ok(Py::Unknown(reason.clone()));
    }
    Ok(parts.map_or_else(|| given.takes("strings"), |parts| Py::str(&parts.join(&by))))
}

fn replace(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (Some(own), Some(old), Some(new)) = (
        text(machine, given, 0),
        text(machine, given, 1),
        text(machine, given, 2),
    ) else {
        return Ok(given.takes("strings"));
    };
    Ok(match given.arg(3) {
        Py::None => Py::str(&own.replace(&*old, &new)),
        Py::Int(most) => match usize::try_from(*most) {
            Ok(most) => Py::str(&own.replacen(&*old, &new, most)),
            Err(_) => Py::str(&own.replace(&*old, &new)),
        },
        _ => given.takes("a known number"),
    })
}

/// The place of a part in characters, or -1.
fn find(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if given.has(2) {
        return Ok(given.takes("a text to search as a whole"));
    }
    let is_last = matches!(given.name, "str.rfind" | "str.rindex");
    let found = with_text(machine, given, |text, part| {
        let at = match is_last {
            true => text.rfind(part),
            false => text.find(part),
        };
        match at.and_then(|at| text.get(..at)) {
            Some(before) => count(before.chars().count()),
            None => Py::Int(-1),
        }
    });
    match (given.name, &found) {
        ("str.index" | "str.rindex", Py::Int(-1)) => {
            Err(Stop::error("ValueError", "a text without this part"))
        }
        _ => Ok(found),
    }
}

fn partition(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let is_last = given.name == "str.rpartition";
    Ok(with_text(machine, given, |text, by| {
        let parts = match is_last {
            true => text.rsplit_once(by).map(|(a, b)| [a, by, b]),
            false => text.split_once(by).map(|(a, b)| [a, by, b]),
        };
        let parts = parts.unwrap_or(if is_last {
            ["", "", text]
        } else {
            [text, "", ""]
        });
        Py::tuple(parts.map(Py::str).to_vec())
    }))
}

/// `text.ljust(width, fill)` and its kin.
fn justify(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let fill = match (text(machine, given, 2), given.arg(2)) {
        (Some(fill), _) => fill,
        (None, Py::None) => " ".into(),
        _ => return Ok(given.takes("a string")),
    };
    let width = given
        .arg(1)
        .as_index()
        .and_then(|it| usize::try_from(it).ok());
    let (Some(own), Some(width)) = (text(machine, given, 0), width.filter(|it| *it <= WIDTH))
    else {
        return Ok(given.takes("a known width"));
    };
    let missing = width.saturating_sub(own.chars().count());
    let fills = |count: usize| fill.repeat(count);
    Ok(Py::str(&match given.name {
        "str.ljust" => format!("{own}{}", fills(missing)),
        "str.rjust" => format!("{}{own}", fills(missing)),
        "str.zfill" => match own.strip_prefix(['-', '+']) {
            Some(digits) => format!("{}{}{digits}", &own[..1], "0".repeat(missing)),
            None => format!("{}{own}", "0".repeat(missing)),
        },
        _ => {
            // The odd blank is on the left of an odd width.
            let left = missing / 2 + (missing & width & 1);
            format!("{}{own}{}", fills(left), fills(missing - left))
        }
    }))
}

fn lines(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(own) = text(machine, given, 0) else {
        return Ok(given.takes("a string"));
    };
    let keeps = *given.arg(1) == Py::Bool(true);
    let parts = own.split_inclusive('\n').map(|line| match keeps {
        true => Py::str(line),
        false => Py::str(line.strip_suffix('\n').unwrap_or(line)),
    });
    let parts = parts.collect();
    Ok(machine.list(parts))
}

fn title(text: &str) -> String {
    let mut titled = String::with_capacity(text.len());
    let mut is_first = true;
    for letter in text.chars() {
        match is_first {
            true => titled.extend(letter.to_uppercase()),
            false => titled.extend(letter.to_lowercase()),
        }
        is_first = !letter.is_alphabetic();
    }
    titled
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.flat_map(char::to_lowercase)).collect()
}

fn swapped(text: &str) -> String {
    let swap = |letter: char| match letter.is_uppercase() {
        true => letter.to_lowercase().collect::<String>(),
        false => letter.to_uppercase().collect(),
    };
    text.chars().map(swap).collect()
}

fn expanded(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let size = match given.arg(1) {
        Py::None => 8,
        size => match size.as_index().and_then(|it| usize::try_from(it).ok()) {
            Some(size) if size <= WIDTH => size,
            _ => return Ok(given.takes("a known width")),
        },
    };
    let Some(own) = text(machine, given, 0) else {
        return Ok(given.takes("a string"));
    };
    let (mut expanded, mut column) = (String::new(), 0);
    for letter in own.chars() {
        match letter {
            '\t' if size > 0 => {
                let blanks = size - column % size;
                expanded.push_str(&" ".repeat(blanks));
                column += blanks;
            }
            '\t' => {}
            '\n' => {
                expanded.push('\n');
                column = 0;
            }
            other => {
                expanded.push(other);
                column += 1;
            }
        }
    }
    Ok(Py::str(&expanded))
}

fn format(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(template) = text(machine, given, 0) else {
        return Ok(given.takes("a string"));
    };
    let filled = machine.fill_in(&template, given)?;
    Ok(filled.map_or_else(Py::Unknown, |text| Py::str(&text)))
}

/// `template.format_map(names)`
fn format_map(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let names = given.arg(1).clone();
    match (
        machine.named_entries(&names),
        machine.find_attribute(given.arg(0), "format")?,
    ) {
        (Some(named), Some(method)) => {
            let args = super::native::Args {
                named,
                ..super::native::Args::of(Vec::new(), given.span)
            };
            machine.call(&method, args)
        }
        _ => Ok(given.takes("a dictionary")),
    }
}

fn trimmed(machine: &Machine<'_>, given: &Given) -> Py {
    let name = given.name;
    on_text(machine, given, |text, letters| {
        let is_trimmed = |it: char| match letters {
            Some(letters) => letters.contains(it),
            None => it.is_whitespace(),
        };
        Py::str(match name {
            "str.lstrip" => text.trim_start_matches(is_trimmed),
            "str.rstrip" => text.trim_end_matches(is_trimmed),
            _ => text.trim_matches(is_trimmed),
        })
    })
}

/// A method without an argument.
macro_rules! plain {
    ($name:literal, $f:expr) => {
        native($name, "self", |machine, given| {
            let f: fn(&str) -> Py = $f;
            Ok(on_text(machine, given, |text, _| f(text)))
        })
    };
}

/// The methods of strings.
pub(super) static METHODS: &[Native] = &[
    plain!("str.lower", |text| Py::str(&text.to_lowercase())),
    plain!("str.casefold", |text| Py::str(&text.to_lowercase())),
    plain!("str.upper", |text| Py::str(&text.to_uppercase())),
    plain!("str.title", |text| Py::str(&title(text))),
    plain!("str.capitalize", |text| Py::str(&capitalized(text))),
    plain!("str.swapcase", |text| Py::str(&swapped(text))),
    plain!("str.isdigit", |text| all(text, |it| it.is_ascii_digit())),
    plain!("str.isdecimal", |text| all(text, |it| it.is_ascii_digit())),
    plain!("str.isnumeric", |text| all(text, char::is_numeric)),
    plain!("str.isalpha", |text| all(text, char::is_alphabetic)),
    plain!("str.isalnum", |text| all(text, char::is_alphanumeric)),
    plain!("str.isspace", |text| all(text, char::is_whitespace)),
    plain!("str.isascii", |text| Py::Bool(text.is_ascii())),
    plain!("str.isupper", |text| cased(text, char::is_lowercase)),
    plain!("str.islower", |text| cased(text, char::is_uppercase)),
    plain!("str.isidentifier", |text| {
        let is_first = |it: char| it == '_' || it.is_alphabetic();
        let is_other = |it: char| it == '_' || it.is_alphanumeric();
        Py::Bool(text.starts_with(is_first) && text.chars().all(is_other))
    }),
    native("str.strip", "self chars=", |m, g| Ok(trimmed(m, g))),
    native("str.lstrip", "self chars=", |m, g| Ok(trimmed(m, g))),
    native("str.rstrip", "self chars=", |m, g| Ok(trimmed(m, g))),
    native("str.startswith", "self prefix", |m, g| {
        prefix(m, g, |text, affix| text.starts_with(affix))
    }),
    native("str.endswith", "self suffix", |m, g| {
        prefix(m, g, |text, affix| text.ends_with(affix))
    }),
    native("str.removeprefix", "self prefix", |m, g| {
        Ok(with_text(m, g, |text, affix| {
            Py::str(text.strip_prefix(affix).unwrap_or(text))
        }))
    }),
    native("str.removesuffix", "self suffix", |m, g| {
        Ok(with_text(m, g, |text, affix| {
            Py::str(text.strip_suffix(affix).unwrap_or(text))
        }))
    }),
    native("str.split", "self sep= maxsplit=", split),
    native("str.rsplit", "self sep= maxsplit=", split),
    native("str.splitlines", "self keepends=", lines),
    native("str.join", "self items", join),
    native("str.replace", "self old new count=", replace),
    native("str.find", "self part start= end=", find),
    native("str.rfind", "self part start= end=", find),
    native("str.index", "self part start= end=", find),
    native("str.rindex", "self part start= end=", find),
    native("str.count", "self part", |m, g| {
        Ok(with_text(m, g, |text, part| match part {
            "" => count(text.chars().count() + 1),
            part => count(text.matches(part).count()),
        }))
    }),
    native("str.partition", "self by", partition),
    native("str.rpartition", "self by", partition),
    native("str.ljust", "self width fill=", justify),
    native("str.rjust", "self width fill=", justify),
    native("str.center", "self width fill=", justify),
    native("str.zfill", "self width", justify),
    native("str.expandtabs", "self tabsize=", expanded),
    native("str.format", "self *args **named", format),
    native("str.format_map", "self names", format_map),
];
