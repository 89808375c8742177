//! The `import` statements of a source, without parsing it: for an index of a whole tree of files.

/// A module that an `import` names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Imported {
    /// Dots before it: 0 for a whole name, 1 for one of the same package.
    pub level: usize,
    /// Its name; that of a module or of something in it: `from a import b` names `a` and `a.b`.
    pub path: Vec<String>,
}

/// Names in one statement, and parts of one name.
const NAMES: usize = 1_000;

/// The modules that a source may import, in order, those inside of functions too. A line of a string that reads like an
/// `import` is taken for one: whoever needs to know reads the source.
///
/// ```
/// # use tree_sitter_cute::script::imports;
/// let found = imports("import a.b as c, d\nfrom ..e import (\n    f,  # one\n    g as h,\n)\n");
/// let names: Vec<(usize, String)> = found.iter().map(|it| (it.level, it.path.join("."))).collect();
/// let names: Vec<(usize, &str)> = names.iter().map(|(level, name)| (*level, name.as_str())).collect();
/// assert_eq!(names, [(0, "a.b"), (0, "d"), (2, "e"), (2, "e.f"), (2, "e.g")]);
/// ```
pub fn imports(text: &str) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if let Some(names) = after_word(line, "import") {
            for name in names_of(without_comment(names)) {
                found.push(Imported {
                    level: 0,
                    path: parts(name),
                });
            }
        } else if let Some(rest) = after_word(line, "from") {
            let mut rest = without_comment(rest).to_owned();
            let is_open =
                |text: &str| text.ends_with('\\') || (text.contains('(') && !text.contains(')'));
            while is_open(&rest) && rest.len() < NAMES * NAMES {
                let Some(next) = lines.next() else { break };
                rest.truncate(rest.trim_end_matches('\\').len());
                rest.push(' ');
                rest.push_str(without_comment(next));
            }
            from(&rest, &mut found);
        }
    }
    found.retain(|it| it.level > 0 || !it.path.is_empty());
    found
}

/// `..e import f, g as h`, without the word in front.
fn from(rest: &str, found: &mut Vec<Imported>) {
    let Some((module, names)) = rest.split_once(" import") else {
        return;
    };
    let name = module.trim().trim_start_matches('.');
    let level = module.trim().len() - name.len();
    let path = parts(name);
    let names = names.trim().trim_start_matches('(').trim_end_matches(')');
    let inner: Vec<Vec<String>> = names_of(names)
        .map(|name| path.iter().cloned().chain(parts(name)).collect())
        .collect();
    found.push(Imported { level, path });
    found.extend(inner.into_iter().map(|path| Imported { level, path }));
}

fn after_word<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let rest = line.strip_prefix(word)?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim_end()
}

/// The names of `a as b, c`.
fn names_of(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split([',', ';']).take(NAMES);
    let names = names.filter_map(|name| name.split_whitespace().next());
    names.filter(|name| *name != "*")
}

fn parts(name: &str) -> Vec<String> {
    let parts = name.split('.').take(NAMES).map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
