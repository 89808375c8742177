//! A random program, line by line.

use super::random::Random;

/// A line of a program.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    /// The variable that the line declares and whose value is compared.
    pub(super) probe: Option<String>,
    /// Whether it is in a function.
    pub(super) inside: bool,
    /// The namespaces around it, `a::b::`.
    pub(super) scope: String,
}

/// A program, which is in its own namespace.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Its class.
    pub(super) class: &'static str,
    pub(super) lines: Vec<Line>,
}

/// Statements of a function, and expressions that are seen behind them.
pub(super) type Statements = (String, &'static [&'static str]);

/// Writes a program.
pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    lines: Vec<Line>,
    inside: bool,
    scope: Vec<String>,
    names: usize,
}

impl<'r> Writer<'r> {
    pub(super) fn new(random: &'r mut Random) -> Self {
        Self {
            random,
            lines: Vec::new(),
            inside: false,
            scope: Vec::new(),
            names: 0,
        }
    }

    pub(super) fn finish(self, class: &'static str) -> Program {
        Program {
            class,
            lines: self.lines,
        }
    }

    /// A line as it is.
    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.push(text.into(), None);
    }

    fn push(&mut self, text: String, probe: Option<String>) {
        let scope = self.scope.iter().map(|name| format!("{name}::"));
        self.lines.push(Line {
            text,
            probe,
            inside: self.inside,
            scope: scope.collect(),
        });
    }

    /// Opens a namespace.
    pub(super) fn open(&mut self, name: &str, is_inline: bool) {
        let inline = if is_inline { "inline " } else { "" };
        self.line(format!("{inline}namespace {name} {{"));
        self.scope.push(name.to_owned());
    }

    /// Closes the innermost namespace.
    pub(super) fn close(&mut self) {
        self.scope.pop();
        self.line("}");
    }

    /// A name that the program does not have yet.
    pub(super) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Declares a variable whose value is compared: a constant outside of functions.
    pub(super) fn probe(&mut self, ty: &str, value: &str) -> String {
        let name = self.name("q");
        let constant = if self.inside { "" } else { "constexpr " };
        let text = format!("{constant}{ty} {name} = {value};");
        self.push(text, Some(name.clone()));
        name
    }

    /// Begins the function that the program runs.
    pub(super) fn run(&mut self) {
        self.line("inline void run() {");
        self.inside = true;
    }

    /// Ends it.
    pub(super) fn end(&mut self) {
        self.inside = false;
        self.line("}");
    }

    /// One run of statements and a probe behind them, where the program has no other.
    pub(super) fn run_once(&mut self, statements: &str, value: &str) {
        if !self.has("inline void run() {") {
            self.run();
            self.line(statements);
            self.probe("int", value);
            self.end();
        }
    }

    /// Whether there is such a line.
    pub(super) fn has(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.text == text)
    }

    /// Whether the innermost namespace has a line that begins so.
    pub(super) fn has_here(&self, start: &str) -> bool {
        let here = self.lines.iter().rev();
        let mut here = here.take_while(|line| !line.text.contains("namespace n"));
        here.any(|line| line.text.starts_with(start))
    }

    pub(super) fn between(&mut self, least: i64, most: i64) -> i64 {
        self.random.between(least, most)
    }

    pub(super) fn one_in(&mut self, times: i64) -> bool {
        self.random.one_in(times)
    }

    pub(super) fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        self.random.pick(of)
    }

    /// One of several.
    pub(super) fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.between(0, of.len() as i64 - 1) as usize]
    }
}
