//! The files that a script writes. Nothing is written: what would be is kept, and read by whoever asks which sources a
//! project generates.

use std::path::Path;

use super::machine::{Machine, Run};
use super::native::{Args, Given, Native, native};
use super::value::Py;
use crate::reason::Reason;

/// The folder of a user, of which nothing is known but that it is another one on each machine.
const HOME: &str = "/<home>";

/// A part of a path that depends on the machine: a folder for its architecture.
const SOMEWHERE: &str = "<somewhere>";

/// Our own texts for modules that scripts use.
pub(super) fn prelude(dotted: &str) -> Option<&'static str> {
    Some(match dotted {
        "pathlib" => include_str!("prelude/scripts/pathlib.py"),
        "_opened" => include_str!("prelude/scripts/opened.py"),
        "jinja2" => include_str!("prelude/scripts/jinja2.py"),
        _ => return None,
    })
}

impl Machine<'_> {
    /// The text of an argument that is a path.
    fn path(&mut self, value: &Py) -> Run<Result<String, Reason>> {
        if let Some(reason) = value.reason() {
            return Ok(Err(reason.clone()));
        }
        let text = self.str_of(value)?;
        Ok(text.ok_or(Reason::Construct("a path")))
    }

    fn on_path(&mut self, given: &Given, f: impl FnOnce(&str) -> Py) -> Run<Py> {
        Ok(match self.path(given.arg(0))? {
            Ok(path) => f(&path),
            Err(reason) => Py::Unknown(reason),
        })
    }
}

fn open(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if machine.writes.is_none() {
        return Ok(Py::not_evaluated("open"));
    }
    let path = match machine.path(given.arg(0))? {
        Ok(path) => Py::str(&path),
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mode = match given.arg(1) {
        Py::None => Py::str("r"),
        mode => mode.clone(),
    };
    let module = Py::Object(machine.module("_opened")?);
    let class = machine.attribute(&module, "Opened")?;
    machine.call(&class, Args::of(vec![path, mode], given.span))
}

fn begin(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let goes_on = *given.arg(1) != Py::Bool(false);
    let branch = machine.uncertain.branch();
    if let (Ok(path), Some(writes)) = (machine.path(given.arg(0))?, &mut machine.writes) {
        writes.begin(path, goes_on, branch);
    }
    Ok(Py::None)
}

fn write(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let branch = machine.uncertain.branch();
    if let Py::Str(text) = given.arg(1) {
        machine.step(text.len() / 1024)?;
    }
    if let (Ok(path), Some(writes)) = (machine.path(given.arg(0))?, &mut machine.writes) {
        let text = match given.arg(1) {
            // Where the home of a user is, no project knows.
            Py::Str(text) if ![HOME, SOMEWHERE].iter().any(|it| text.contains(it)) => Some(&**text),
            _ => None,
        };
        writes.write(&path, text, branch);
    }
    Ok(Py::None)
}

fn close(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let (Ok(path), Some(writes)) = (machine.path(given.arg(0))?, &mut machine.writes) {
        writes.close(&path);
    }
    Ok(Py::None)
}

/// A part of a path: what a script writes does not depend on the folder where its files are put.
fn part(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let text = given.arg(0);
    let is_open = machine.writes.is_some() && text.reason().is_some();
    Ok(if is_open {
        Py::str(SOMEWHERE)
    } else {
        text.clone()
    })
}

/// `print(a, b, file=f)`; other prints write no file.
pub(super) fn print(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let into = given.named.iter().find(|(name, _)| &**name == "file");
    let (Some((_, into)), true) = (into, machine.writes.is_some()) else {
        return Ok(Py::None);
    };
    let mut parts = Vec::with_capacity(given.rest.len());
    for value in &given.rest {
        parts.push(machine.str_of(value)?);
    }
    let is_plain = given
        .named
        .iter()
        .all(|(name, _)| matches!(&**name, "file" | "flush"));
    let parts: Option<Vec<String>> = parts.into_iter().collect();
    let text = match parts.filter(|_| is_plain) {
        Some(parts) => Py::str(&(parts.join(" ") + "\n")),
        None => Py::not_evaluated("print"),
    };
    let write = machine.attribute(into, "write")?;
    machine.call(&write, Args::of(vec![text], given.span))
}

fn read(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let path = match machine.path(given.arg(0))? {
        Ok(path) => path,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let written = machine
        .writes
        .as_ref()
        .and_then(|writes| writes.text(&path));
    let text = match written {
        Some(text) => Some(Py::str(text)),
        None => machine
            .sources
            .text(Path::new(&path))
            .map(|text| Py::str(&text)),
    };
    Ok(text.unwrap_or_else(|| Py::Unknown(Reason::RunTime("the text of a file".into()))))
}

/// Whether there is a file: of a build that begins, what the script wrote and what the project has.
fn is_there(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let path = match machine.path(given.arg(0))? {
        Ok(path) => path,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let Some(writes) = &machine.writes else {
        return Ok(on_the_disk());
    };
    if !writes.is_sure(&path, machine.uncertain.branch()) {
        return Ok(on_the_disk());
    }
    let is_written = writes.text(&path).is_some();
    Ok(Py::Bool(
        is_written || machine.sources.text(Path::new(&path)).is_some(),
    ))
}

fn on_the_disk() -> Py {
    Py::Unknown(Reason::RunTime("what is on the disk".into()))
}

fn join(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut whole = String::new();
    for part in &given.rest {
        let part = match machine.path(part)? {
            Ok(part) => part,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        if part.starts_with('/') {
            whole.clear();
        } else if !whole.is_empty() && !whole.ends_with('/') {
            whole.push('/');
        }
        whole.push_str(&part);
    }
    Ok(Py::str(&whole))
}

/// The parts of a path before and after its last `/`.
fn parts(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((folder, name)) => (folder, name),
        None => ("", path),
    }
}

/// A path without the ending of its name, and the ending.
fn ending(path: &str) -> (&str, &str) {
    let (_, name) = parts(path);
    match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => path.split_at(path.len() - name.len() + at),
        None => (path, ""),
    }
}

fn nothing(_: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(Py::None)
}

fn same(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    machine.on_path(given, Py::str)
}

/// Functions of files and paths, by module.
pub(super) static NATIVES: &[Native] = &[
    native("builtins.open", "path mode= *args **named", open),
    native("_files.begin", "path goes_on", begin),
    native("_files.write", "path text", write),
    native("_files.close", "path", close),
    native("_files.read", "path", read),
    native("_files.part", "text", part),
    native("_files.listed", "path", |_, _| Ok(on_the_disk())),
    native("os.makedirs", "*args **named", nothing),
    native("os.mkdir", "*args **named", nothing),
    native("os.remove", "*args **named", nothing),
    native("os.unlink", "*args **named", nothing),
    native("os.fspath", "path", same),
    native("os.path.expanduser", "path", |m, g| {
        m.on_path(g, |path| match path.strip_prefix('~') {
            Some(rest) => Py::str(&format!("{HOME}{rest}")),
            None => Py::str(path),
        })
    }),
    native("shutil.rmtree", "*args **named", nothing),
    native("os.path.join", "*parts", join),
    native("os.path.abspath", "path", same),
    native("os.path.realpath", "path", same),
    native("os.path.normpath", "path", same),
    native("os.path.exists", "path", is_there),
    native("os.path.isfile", "path", is_there),
    native("os.path.isdir", "path", is_there),
    native("os.path.dirname", "path", |m, g| {
        m.on_path(g, |path| Py::str(parts(path).0))
    }),
    native("os.path.basename", "path", |m, g| {
        m.on_path(g, |path| Py::str(parts(path).1))
    }),
    native("os.path.splitext", "path", |m, g| {
        m.on_path(g, |path| {
            let (stem, ending) = ending(path);
            Py::tuple(vec![Py::str(stem), Py::str(ending)])
        })
    }),
];
