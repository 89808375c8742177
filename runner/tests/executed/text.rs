//! The parts of a PTX text: its header, its signature and its statements.

/// A module with one entry, or the text of one device function.
#[derive(Debug, Clone)]
pub(crate) struct Module {
    /// Directives before the signature, `.version 7.0`.
    header: Vec<String>,
    /// `.visible .entry name(...)`.
    signature: String,
    /// Directives behind the signature, `.maxntid 256, 1, 1`.
    bounds: Vec<String>,
    body: Vec<Statement>,
}

/// A statement of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// `LOOP`, before it.
    pub(crate) label: Option<String>,
    /// `@%p0`, before it.
    pub(crate) guard: Option<String>,
    /// `add.u32`, or a directive, `.reg`.
    pub(crate) opcode: String,
    /// The operands behind, by commas outside of brackets.
    pub(crate) operands: Vec<String>,
}

/// A directive of the module beside its statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directive {
    /// `.maxntid`, `.extern .shared`.
    pub(crate) name: String,
    text: String,
    is_behind: bool,
}

impl Module {
    /// Takes a text apart.
    pub(crate) fn of(text: &str) -> Self {
        let text: String = text
            .lines()
            .map(|line| format!("{}\n", code(line)))
            .collect::<Vec<_>>()
            .concat();
        let (front, rest) = text.split_once("\n{").expect("a body");
        let body = rest
            .trim_end()
            .strip_suffix('}')
            .expect("the end of the body");
        let begin = front.find(".visible").expect("a signature");
        let end = begin + front[begin..].rfind(')').expect("parameters") + 1;
        let lines = |text: &str| {
            let lines = text.lines().map(str::trim);
            lines
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect()
        };
        Self {
            header: lines(&front[..begin]),
            signature: front[begin..end].to_owned(),
            bounds: lines(&front[end..]),
            body: body.split(';').filter_map(Statement::of).collect(),
        }
    }

    /// The name of the entry or function.
    pub(crate) fn entry(&self) -> String {
        let list = self.parameters_at();
        let front = self.signature[..list].trim_end();
        let begin = front.rfind([' ', ')']).map_or(0, |at| at + 1);
        front[begin..].to_owned()
    }

    /// The start of the parameters: the last list of the signature.
    fn parameters_at(&self) -> usize {
        self.signature.rfind('(').expect("parameters")
    }

    /// The bits of each parameter.
    pub(crate) fn parameter_bits(&self) -> impl Iterator<Item = u32> {
        let list = &self.signature[self.parameters_at()..];
        let count = |text: &str| if text.contains("32") { 32 } else { 64 };
        list.split(".param").skip(1).map(move |one| {
            let ty = one.split_whitespace().next().unwrap_or_default();
            count(ty)
        })
    }

    pub(crate) fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.body
            .iter()
            .filter(|statement| statement.opcode != ".reg")
    }

    pub(crate) fn directives(&self) -> Vec<Directive> {
        let front = self.header.iter().map(|text| (text, false));
        let behind = self.bounds.iter().map(|text| (text, true));
        front
            .chain(behind)
            .map(|(text, is_behind)| {
                let words: Vec<&str> = text.split_whitespace().collect();
                let count = if words[0] == ".extern" { 2 } else { 1 };
                Directive {
                    name: words[..count].join(" "),
                    text: text.clone(),
                    is_behind,
                }
            })
            .chain(self.signature.contains(".align").then(|| Directive {
                name: ".param .align".to_owned(),
                text: self.signature.clone(),
                is_behind: false,
            }))
            .collect()
    }

    /// A kernel that has one directive and nothing else.
    pub(crate) fn with_directive(directive: &Directive) -> String {
        let front = ".version 7.0\n.target sm_80\n.address_size 64\n";
        let signature = ".visible .entry probe()";
        let (text, is_signature) = (&directive.text, directive.text.contains('('));
        match (directive.is_behind, is_signature) {
            (true, _) => format!("{front}{signature}\n{text}\n{{ ret; }}\n"),
            (false, true) => format!("{front}{text}\n{{ ret; }}\n"),
            (false, false) if front.contains(&directive.name) => {
                format!("{text}\n{signature}\n{{ ret; }}\n")
            }
            (false, false) => format!("{front}{text}\n{signature}\n{{ ret; }}\n"),
        }
    }

    /// A kernel with the declarations of this module and one of its statements.
    pub(crate) fn alone(&self, statement: &Statement) -> String {
        let mut body: Vec<Statement> = self
            .body
            .iter()
            .filter(|other| other.opcode == ".reg")
            .cloned()
            .collect();
        // Shared memory is declared where the machine has it.
        if statement.operands.iter().any(|operand| operand == "smem") {
            body.push(Statement::new(".shared", &[".b8 smem[16]"]));
        }
        body.push(statement.clone());
        if statement.opcode == "bra" {
            body.push(Statement {
                label: Some(statement.operands[0].clone()),
                ..Statement::new("ret", &[])
            });
        }
        body.push(Statement::new("ret", &[]));
        let entry = self
            .signature
            .replace(".func (.param .b32 offset)", ".entry");
        let entry = entry.replace(".func (.param .b64 offset)", ".entry");
        let is_function = entry != self.signature;
        let body = if is_function {
            renamed_result(body)
        } else {
            body
        };
        // The machine takes the address of a tensor map, not the map.
        let signature = &entry.replace(".align 64 .b8", ".b64").replace("[128]", "");
        print(
            &[".version 7.0", ".target sm_80", ".address_size 64"],
            signature,
            &body,
        )
    }

    /// The module with other statements, without directives beside the header's first three.
    pub(crate) fn with_body(&self, functions: &str, body: &[Statement]) -> String {
        let header: Vec<&str> = self
            .header
            .iter()
            .map(String::as_str)
            .filter(|line| !line.starts_with(".extern"))
            .chain([functions])
            .collect();
        print(&header, &self.signature, body)
    }

    /// All statements, declarations too.
    pub(crate) fn body(&self) -> &[Statement] {
        &self.body
    }
}

/// A result of a function is a variable of the kernel that tries one of its statements.
fn renamed_result(mut body: Vec<Statement>) -> Vec<Statement> {
    body.insert(0, Statement::new(".param", &[".b64 offset"]));
    body
}

fn print(header: &[&str], signature: &str, body: &[Statement]) -> String {
    let mut text: String = header
        .iter()
        .map(|line| format!("{line}\n"))
        .collect::<Vec<_>>()
        .concat();
    text.push_str(signature);
    text.push_str("\n{\n");
    for statement in body {
        text.push_str(&statement.print());
    }
    text.push_str("}\n");
    text
}

impl Statement {
    /// A statement without label and guard.
    pub(crate) fn new(opcode: &str, operands: &[&str]) -> Self {
        Self {
            label: None,
            guard: None,
            opcode: opcode.to_owned(),
            operands: operands.iter().map(|&operand| operand.to_owned()).collect(),
        }
    }

    fn of(text: &str) -> Option<Self> {
        let mut text = text.trim();
        let mut label = None;
        if let Some((front, rest)) = text.split_once(':')
            && !front.is_empty()
            && front
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !rest.starts_with(':')
        {
            label = Some(front.to_owned());
            text = rest.trim();
        }
        let mut guard = None;
        if text.starts_with('@') {
            let (front, rest) = text.split_once(' ')?;
            guard = Some(front.to_owned());
            text = rest.trim();
        }
        if text.is_empty() {
            return None;
        }
        let (opcode, rest) = text.split_once(' ').unwrap_or((text, ""));
        Some(Self {
            label,
            guard,
            opcode: opcode.to_owned(),
            operands: operands(rest),
        })
    }

    /// The statement as text.
    pub(crate) fn print(&self) -> String {
        let label = self
            .label
            .as_ref()
            .map(|label| format!("{label}: "))
            .unwrap_or_default();
        let guard = self
            .guard
            .as_ref()
            .map(|guard| format!("{guard} "))
            .unwrap_or_default();
        format!(
            "{label}{guard}{} {};\n",
            self.opcode,
            self.operands.join(", ")
        )
    }
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

/// The parts between commas outside of brackets.
fn operands(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0;
    for letter in text.trim().chars() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
        match (letter, depth, found.last_mut()) {
            (',', 0, _) => found.push(String::new()),
            (_, _, Some(last)) => last.push(letter),
            _ => {}
        }
    }
    let trimmed = found.iter().map(|one| one.trim().to_owned());
    trimmed.filter(|one| !one.is_empty()).collect()
}
