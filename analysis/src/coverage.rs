//! Coverage: the known share of the layouts that a source declares.
//!
//! **What counts.** A variable, alias or data member (no parameter) counts when its value is a
//! layout, a swizzle, a tensor, a tiled copy or MMA, one thread of one, or an atom; and, where its
//! value is not known, when it is written like one:
//!
//! - its declared type, or the type that an alias names, is one of CuTe's: `Layout`, `Tensor`,
//!   `TiledCopy<..>`, a shared-memory atom;
//! - its initialiser calls a function that makes one: `make_tensor`, `local_tile`, `partition_S`;
//! - its initialiser takes a part of a name that counts, with a function that keeps its argument (`group_modes`,
//!   `flatten`), a slice with `_`, `decltype`, or the name itself;
//! - its initialiser is a member of a class, `typename Traits::SmemLayoutQ`, under a name that
//!   counts somewhere in the same tree.
//!
//! A C++ source that does not name CuTe, `cute`, means other layouts by such words: only names that certainly are
//! CuTe's count there.
//!
//! In Python each name that a statement binds is a declaration, and so is each attribute of `self`; the makers of
//! layouts there are in `script`.
//!
//! A declaration counts once, however many instances its function has.

mod script;

use std::collections::{HashMap, HashSet};

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Expr, ExprKind, Ident, Item, ItemKind, Role, Span, Unit};

use crate::fact::Fact;
use crate::reason::Reason;
use crate::sources::SourceFile;
use crate::types::Type;
use crate::value::{Kind, Value};
use crate::vocabulary::{self, Makes};
use crate::walk;

/// CuTe's types of layouts, and of values that have one.
const TYPES: &[&str] = &[
    "Layout",
    "ComposedLayout",
    "Swizzle",
    "Tensor",
    "TiledCopy",
    "TiledMMA",
    "TiledMma",
    "ThrCopy",
    "ThrMMA",
    "Copy_Atom",
    "MMA_Atom",
    "MMA_Traits",
    "Copy_Traits",
];

/// Whether a name is one of CuTe's types of layouts, or of values that have one.
pub(crate) fn is_type_of_layouts(name: &str) -> bool {
    TYPES.contains(&name)
}

/// The names that are declared as layouts somewhere in a tree of sources.
#[derive(Debug, Default, Clone)]
pub struct LayoutNames(HashSet<String>);

/// The knowledge of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// Nothing.
    Unknown,
    /// All but run-time numbers and template parameters.
    Symbolic,
    /// Every number.
    Concrete,
}

/// A declaration of a layout.
#[derive(Debug, Clone, PartialEq)]
pub struct LayoutDeclaration {
    /// The name.
    pub name: String,
    /// The place of the declaration.
    pub span: Span,
    /// The most that is known in one instance.
    pub knowledge: Knowledge,
    /// Whether it has a value only in instances that are supposed. It is not known then, but in Python it is.
    pub is_supposed: bool,
    /// Why nothing is known; `None` also where no instance reaches the declaration.
    pub reason: Option<Reason>,
}

impl LayoutNames {
    /// Adds the aliases and members that a source declares as layouts.
    pub fn add(&mut self, unit: &Unit) {
        let mut all = self.clone();
        all.add_all(unit);
        each_declaration(unit, &mut |declared| {
            if declared.role != Role::Var && all.0.contains(&declared.name.name) {
                self.0.insert(declared.name.name.clone());
            }
        });
    }

    fn add_all(&mut self, unit: &Unit) {
        // A declaration may use one below it, in another class.
        loop {
            let before = self.0.len();
            each_declaration(unit, &mut |declared| {
                // The names of traits' results say nothing.
                let is_general = matches!(declared.name.name.as_str(), "type" | "value");
                if !is_general && self.is_written_as_layout(declared) {
                    self.0.insert(declared.name.name.clone());
                }
            });
            if self.0.len() == before {
                return;
            }
        }
    }

    /// The declarations of layouts in a source, in its order.
    pub fn declarations(&self, file: &SourceFile, facts: &[Fact]) -> Vec<LayoutDeclaration> {
        let unit = file.unit();
        let is_of_cute =
            Host::of_path(file.path()) != Some(Host::CudaCpp) || names_cute(file.text());
        let mut names = self.clone();
        // What is supposed decides nothing about which declarations count.
        let is_script = Host::of_path(file.path()) == Some(Host::Python);
        let counts = |fact: &&Fact| is_layout(&fact.value) && (is_script || !fact.is_supposed());
        for fact in facts.iter().filter(counts) {
            names.0.insert(fact.name.as_ref().to_owned());
        }
        names.add_all(unit);
        let mut known: HashMap<Span, Vec<&Fact>> = HashMap::new();
        for fact in facts {
            known.entry(fact.name_span).or_default().push(fact);
        }
        let mut found = Vec::new();
        let mut add = |name: &str, span: Span, is_written: &dyn Fn() -> bool| {
            let facts = known.get(&span).map_or(&[][..], Vec::as_slice);
            let (supposed, facts): (Vec<&Fact>, Vec<&Fact>) = facts
                .iter()
                .partition(|fact| !is_script && fact.is_supposed());
            let of_layouts = facts.iter().filter(|fact| is_layout(&fact.value));
            let best = of_layouts.clone().map(|fact| knowledge(&fact.value)).max();
            let supposed_alone = best.is_some() && of_layouts.clone().all(|it| it.is_supposed());
            let reason = facts.iter().find_map(|fact| fact.reason());
            let knowledge = match best {
                Some(best) => best,
                // Known to be something else.
                None if reason.is_none() && !facts.is_empty() => return,
                None if !is_written() => return,
                None => Knowledge::Unknown,
            };
            found.push(LayoutDeclaration {
                name: name.to_owned(),
                span,
                knowledge,
                is_supposed: supposed_alone
                    || (knowledge == Knowledge::Unknown
                        && supposed.iter().any(|fact| is_layout(&fact.value))),
                reason: reason.filter(|_| knowledge == Knowledge::Unknown).cloned(),
            });
        };
        if is_script {
            let of_layouts = facts.iter().filter(|fact| is_layout(&fact.value));
            let of_layouts = of_layouts.map(|fact| fact.name.to_string());
            for bound in script::bound(&file.script(), of_layouts) {
                let is_layout = bound.is_layout && is_of_dsl(file.text());
                add(&bound.name, bound.span, &|| is_layout);
            }
        } else {
            each_declaration(unit, &mut |declared| {
                let (name, span) = (&declared.name.name, declared.name.span);
                add(name, span, &|| {
                    is_of_cute && names.is_written_as_layout(declared)
                });
            });
        }
        found.sort_by_key(|declaration| declaration.span);
        found
    }

    fn is_written_as_layout(&self, declared: &Declaration<'_>) -> bool {
        declared.ty.is_some_and(|ty| self.is_layout_type(ty))
            || declared
                .init
                .is_some_and(|init| self.is_layout_expression(init))
    }

    fn is_layout_type(&self, ty: &Expr) -> bool {
        match &ty.kind {
            ExprKind::Name(path) => path.last().is_some_and(|segment| {
                let name = segment.name.name.as_str();
                // `torch::Tensor` is another one.
                let is_of_cute = match path.segments.as_slice() {
                    [scope, .., _] => scope.name.name == "cute",
                    _ => true,
                };
                (is_of_cute && TYPES.contains(&name))
                    || self.0.contains(name)
                    || is_smem_atom(path)
                    || is_maker(name)
            }),
            ExprKind::Decltype(inner) => self.is_layout_expression(inner),
            ExprKind::Const(inner) | ExprKind::Reference(inner, _) => self.is_layout_type(inner),
            _ => false,
        }
    }

    fn is_layout_expression(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Decltype(_) => self.is_layout_type(expr),
            ExprKind::Const(inner) | ExprKind::Reference(inner, _) | ExprKind::Expand(inner) => {
                self.is_layout_expression(inner)
            }
            ExprKind::Construct { ty, .. } => self.is_layout_type(ty),
            ExprKind::Cast(_, _, inner) => self.is_layout_expression(inner),
            ExprKind::Ternary(_, a, b) => {
                self.is_layout_expression(a) || self.is_layout_expression(b)
            }
            ExprKind::Member {
                object: _, member, ..
            } => self.0.contains(&member.name.name),
            ExprKind::Call(callee, args) => self.is_layout_call(callee, args),
            _ => false,
        }
    }

    fn is_layout_call(&self, callee: &Expr, args: &[Expr]) -> bool {
        let (name, object) = match &callee.kind {
            ExprKind::Name(path) => match path.last() {
                Some(segment) => (segment.name.name.as_str(), None),
                None => return false,
            },
            ExprKind::Member { object, member, .. } => (member.name.name.as_str(), Some(&**object)),
            // `make_tensor(..)(_, 0)`, `Layout{}(_)`.
            _ => return is_slice(args) && self.is_layout_expression(callee),
        };
        if is_maker(name) || TYPES.contains(&name) {
            return true;
        }
        if keeps(name) {
            let subjects = object.into_iter().chain(args);
            return subjects
                .into_iter()
                .any(|part| self.is_layout_expression(part));
        }
        is_slice(args) && self.0.contains(name)
    }
}

/// Whether a text has the word; `execute` is another one.
fn names_cute(text: &str) -> bool {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices("cute").any(|(at, word)| {
        let (before, behind) = (text.get(..at), text.get(at + word.len()..));
        !before.is_some_and(|before| before.ends_with(is_in_word))
            && !behind.is_some_and(|behind| behind.starts_with(is_in_word))
    })
}

/// Whether a Python source names the DSL, `cutlass`.
fn is_of_dsl(text: &str) -> bool {
    text.contains("cutlass")
}

/// Whether a function or method makes a layout, whatever its arguments are.
fn is_maker(name: &str) -> bool {
    vocabulary::makes(name) == Makes::Layout
}

/// Whether the result of a function or method is its argument, changed.
fn keeps(name: &str) -> bool {
    vocabulary::makes(name) == Makes::Argument
}

/// `GMMA::Layout_K_SW128_Atom<T>`.
fn is_smem_atom(path: &tree_sitter_cute::tree::Path) -> bool {
    match path.segments.as_slice() {
        [.., scope, last] => {
            matches!(scope.name.name.as_str(), "GMMA" | "UMMA")
                && last.name.name.starts_with("Layout_")
        }
        _ => false,
    }
}

fn is_slice(args: &[Expr]) -> bool {
    args.iter().any(|arg| arg.as_plain_name() == Some("_"))
}

fn is_layout(value: &Value) -> bool {
    match value.kind() {
        Kind::Layout
        | Kind::ComposedLayout
        | Kind::Tensor
        | Kind::TiledCopy
        | Kind::ThrCopy
        | Kind::TiledMma
        | Kind::ThrMma
        | Kind::CopyAtom
        | Kind::MmaAtom
        | Kind::Swizzle => true,
        Kind::Type => match value {
            Value::Type(ty) => matches!(&**ty, Type::Of(inner) if is_layout(inner)),
            _ => false,
        },
        _ => false,
    }
}

fn knowledge(value: &Value) -> Knowledge {
    if value.is_known() {
        Knowledge::Concrete
    } else {
        Knowledge::Symbolic
    }
}

/// A variable, alias or member as it is written.
struct Declaration<'u> {
    name: &'u Ident,
    role: Role,
    ty: Option<&'u Expr>,
    init: Option<&'u Expr>,
}

/// Calls `visit` with each variable, alias and member that a source declares.
fn each_declaration<'u>(unit: &'u Unit, visit: &mut dyn FnMut(&Declaration<'u>)) {
    in_items(&unit.items, visit);
    // Lambdas are in expressions.
    walk::expressions(&unit.items, &mut |expr| {
        if let ExprKind::Lambda(lambda) = &expr.kind {
            in_items(&lambda.body, visit);
        }
    });
}

fn in_items<'u>(items: &'u [Item], visit: &mut dyn FnMut(&Declaration<'u>)) {
    walk::items(items, &mut |item: &'u Item| match &item.kind {
        // A parameter is its caller's, and an alias template has no value by itself.
        ItemKind::Binding(binding) if binding.role != Role::Param && binding.tparams.is_empty() => {
            if let Some(name) = &binding.name {
                visit(&Declaration {
                    name,
                    role: binding.role,
                    ty: binding.ty.as_ref(),
                    init: binding.init.as_ref(),
                });
            }
        }
        ItemKind::StructuredBinding(binding) => {
            for name in &binding.names {
                visit(&Declaration {
                    name,
                    role: Role::Var,
                    ty: None,
                    init: binding.init.as_ref(),
                });
            }
        }
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::{Budget, Syntax};

    use super::*;
    use crate::{Alone, Options, analyse};

    fn found(text: &str) -> Vec<(String, Knowledge)> {
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let file = SourceFile::analysed("a.cu", text, syntax.lower(text));
        let analysis = analyse(&file, &Alone, &Options::default());
        let mut names = LayoutNames::default();
        names.add(file.unit());
        names
            .declarations(&file, &analysis.facts)
            .into_iter()
            .map(|declaration| (declaration.name, declaration.knowledge))
            .collect()
    }

    #[test]
    fn a_source_that_does_not_name_cute_has_the_layouts_that_are_known() {
        let text = "
struct Tile { using LayoutA = typename Gemm::LayoutA; Layout layout; };
using Atom = Layout<Shape<_8, _4>>;
";
        assert_eq!(found(text), [("Atom".to_owned(), Knowledge::Concrete)]);
        assert!(found(&format!("using namespace cute;{text}")).len() > 1);
    }

    #[test]
    fn words_of_others_are_not_those_of_cute() {
        let text = "void run(torch::Tensor given) { torch::Tensor made = execute(given); }";
        assert_eq!(found(text), []);
        assert_eq!(found(&format!("using namespace cute; {text}")), []);
        let own = "using namespace cute; void run() { cute::Tensor made = unseen(); }";
        assert_eq!(found(own), [("made".to_owned(), Knowledge::Unknown)]);
    }

    #[test]
    fn what_is_written_as_a_layout_counts_even_where_it_is_not_known() {
        let text = "
using namespace cute;
template <class Traits> void kernel(int n) {
  using Atom = GMMA::Layout_K_SW128_Atom<half_t>;
  auto known = make_layout(make_shape(Int<8>{}, Int<4>{}));
  auto open = make_layout(make_shape(n, Int<4>{}));
  auto part = unseen(1);
  auto shared = make_tensor(make_smem_ptr(p), typename Traits::SmemLayout{});
  auto slice = shared(_, 0);
  auto grouped = group_modes<0, 2>(slice);
  auto number = size(known);
}
";
        let expected = [
            ("Atom", Knowledge::Concrete),
            ("known", Knowledge::Concrete),
            ("open", Knowledge::Symbolic),
            ("shared", Knowledge::Unknown),
            ("slice", Knowledge::Unknown),
            ("grouped", Knowledge::Unknown),
        ];
        let expected: Vec<(String, Knowledge)> = expected
            .into_iter()
            .map(|(name, knowledge)| (name.to_owned(), knowledge))
            .collect();
        assert_eq!(found(text), expected);
    }
}
