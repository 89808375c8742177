//! Names that the functions and classes of a file mention.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, ItemKind, Path, Record, Role, Unit};

use crate::walk;
use crate::words::{Word, WordSet, word_of};

/// The names that the functions and classes of a file mention. They are needed for every translation unit that includes
/// the file, so they are read once.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    /// The functions and classes that it declares.
    pub(crate) declared: Vec<Word>,
    pub(crate) functions: Vec<Body>,
    /// Classes with all that is inside them.
    pub(crate) classes: Vec<Body>,
    /// Other names of types, constants, and functions with the names in their heads.
    pub(crate) heads: Vec<Body>,
}

/// The names in a function or class.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) name: Word,
    pub(crate) mentioned: Box<[Word]>,
}

impl Mentions {
    /// Reads a file.
    pub(crate) fn of(unit: &Unit) -> Self {
        let mut mentions = Self::default();
        walk::items(&unit.items, &mut |item| match &item.kind {
            ItemKind::Function(function) => {
                let body = Body::of_function(function);
                mentions.declared.push(body.name);
                // A method that is defined outside of its class is as much inside of it as the others.
                if let Some(class) = function.scope.as_ref().and_then(Path::last) {
                    mentions.classes.push(Body {
                        name: word_of(class.name.name.as_bytes()),
                        mentioned: body.mentioned.clone(),
                    });
                }
                mentions.heads.push(Body::of_head(function));
                mentions.functions.push(body);
            }
            ItemKind::Record(record) => {
                if let Some(name) = &record.name {
                    let body = Body::of_class(&name.name, record);
                    mentions.declared.push(body.name);
                    mentions.classes.push(body);
                }
            }
            ItemKind::Binding(binding)
                if binding.role == Role::Alias || binding.specifiers.constexpr =>
            {
                let (Some(name), Some(init)) = (&binding.name, &binding.init) else {
                    return;
                };
                let mut names = WordSet::default();
                walk::subexpressions(init, &mut |expr| add_names(expr, &mut names));
                mentions.heads.push(Body::new(&name.name, names));
            }
            _ => {}
        });
        mentions
    }
}

impl Body {
    pub(crate) fn of_function(function: &Function) -> Self {
        let mut names = WordSet::default();
        let body = function.body.as_deref().unwrap_or_default();
        walk::expressions(body, &mut |expr| add_names(expr, &mut names));
        Self::new(&function.name.name, names)
    }

    fn of_head(function: &Function) -> Self {
        let mut names = WordSet::default();
        let params = function.params.iter();
        let of_params = params.flat_map(|param| param.ty.iter().chain(&param.init));
        let defaults = function.tparams.iter().flat_map(|it| &it.default);
        for expr in of_params.chain(defaults).chain(&function.ret) {
            walk::subexpressions(expr, &mut |expr| add_names(expr, &mut names));
        }
        Self::new(&function.name.name, names)
    }

    fn of_class(name: &str, record: &Record) -> Self {
        let mut names = WordSet::default();
        let members = record.members.as_deref().unwrap_or_default();
        walk::expressions(members, &mut |expr| add_names(expr, &mut names));
        for base in &record.bases {
            walk::subexpressions(base, &mut |expr| add_names(expr, &mut names));
        }
        Self::new(name, names)
    }

    fn new(name: &str, mentioned: WordSet) -> Self {
        Self {
            name: word_of(name.as_bytes()),
            mentioned: mentioned.into_iter().collect(),
        }
    }
}

fn add_names(expr: &Expr, names: &mut WordSet) {
    match &expr.kind {
        ExprKind::Name(path) => {
            let segments = path.segments.iter();
            names.extend(segments.map(|segment| word_of(segment.name.name.as_bytes())));
        }
        ExprKind::Member { member, .. } => {
            names.insert(word_of(member.name.name.as_bytes()));
        }
        _ => {}
    }
}
