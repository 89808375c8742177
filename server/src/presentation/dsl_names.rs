//! Names of the CuTe DSL that are offered behind a dot: `cute.make_lay`.

use cute_analysis::offered_of_dsl;
use tree_sitter_cute::script::Script;
use tree_sitter_cute::tree::Span;

/// The names offered at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The text typed behind the dot, which a name replaces.
    pub typed: Span,
    /// The names that begin with it.
    pub names: Vec<String>,
}

/// The names of the module of the DSL whose name is before a byte.
pub fn offered(text: &str, byte: usize) -> Option<Names> {
    let before = text.get(..byte)?;
    let is_of_path = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, letter)| is_of_path(*letter))
        .last()
        .map(|(at, _)| at)?;
    let (path, prefix) = before.get(start..)?.rsplit_once('.')?;
    let path: Vec<&str> = path.split('.').collect();
    let mut names = offered_of_dsl(&Script::read(text), &path);
    names.retain(|name| name.starts_with(prefix));
    (!names.is_empty()).then(|| Names {
        typed: Span::new(byte - prefix.len(), byte),
        names,
    })
}
