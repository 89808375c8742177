//! The declarations of layouts in Python: names, and attributes of `self`, by the values assigned to them.

use std::collections::HashSet;

use tree_sitter_cute::script::{Expr, ExprKind, Script, Stmt, StmtKind};
use tree_sitter_cute::tree::Span;

/// Functions and methods of the DSL that make a layout or a value that has one, beside those of C++.
const MAKERS: &[&str] = &[
    "allocate_tensor",
    "get_layoutSFA_TV",
    "get_layoutSFB_TV",
    "get_tensor",
    "get_tma_atom",
    "make_blockscaled_trivial_tiled_mma",
    "make_composed_layout",
    "make_copy_atom",
    "make_fake_compact_tensor",
    "make_fake_tensor",
    "make_fragment",
    "make_layout_image_mask",
    "make_layout_tv",
    "make_mma_atom",
    "make_rmem_tensor",
    "make_rmem_tensor_like",
    "make_s2t_copy",
    "make_smem_layout",
    "make_smem_layout_a",
    "make_smem_layout_atom",
    "make_smem_layout_b",
    "make_smem_layout_epi",
    "make_smem_layout_sfa",
    "make_smem_layout_sfb",
    "make_swizzle",
    "make_tiled_copy_tv",
    "make_tmem_layout_sfa",
    "make_tmem_layout_sfb",
    "make_trivial_tiled_mma",
    "mark_compact_shape_dynamic",
    "mark_layout_dynamic",
    "recast_tensor",
    "retile",
    "tile_atom_to_shape_SF",
    "tile_to_mma_shape",
];

/// Functions of the DSL that give several of them at once.
const MAKERS_OF_SEVERAL: &[&str] = &[
    "make_tiled_tma_atom",
    "make_tiled_tma_atom_A",
    "make_tiled_tma_atom_B",
    "make_tiled_tma_atom_C",
    "tma_partition",
];

/// Functions of the DSL whose result is their argument, changed.
const KEEPERS: &[&str] = &["dice", "slice_", "append_ones", "prepend_ones", "permute"];

/// A name that a statement binds.
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) span: Span,
    /// Whether it is written like a layout.
    pub(super) is_layout: bool,
}

/// The names that the statements of a source bind, in order. A value that is bound to a name and is a layout counts,
/// too.
pub(super) fn bound(script: &Script, known: impl Iterator<Item = String>) -> Vec<Bound> {
    let mut names = Names(known.collect());
    loop {
        let before = names.0.len();
        let mut found = Vec::new();
        names.of_statements(&script.body, &mut found);
        let layouts = found.iter().filter(|it| it.is_layout);
        names.0.extend(layouts.map(|it| it.name.clone()));
        if names.0.len() == before {
            return found;
        }
    }
}

/// The names that are layouts.
struct Names(HashSet<String>);

impl Names {
    fn of_statements(&self, stmts: &[Stmt], found: &mut Vec<Bound>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign(targets, value) => {
                    for target in targets {
                        self.of_target(target, value, found);
                    }
                }
                StmtKind::Annotated {
                    target,
                    value: Some(value),
                    ..
                } => self.of_target(target, value, found),
                StmtKind::If(_, body, orelse)
                | StmtKind::While(_, body, orelse)
                | StmtKind::For { body, orelse, .. }
                | StmtKind::Try { body, orelse, .. } => {
                    self.of_statements(body, found);
                    self.of_statements(orelse, found);
                }
                StmtKind::With(_, body) => self.of_statements(body, found),
                StmtKind::Function(function) => self.of_statements(&function.body, found),
                StmtKind::Class(class) => self.of_statements(&class.body, found),
                _ => {}
            }
        }
    }

    fn of_target(&self, target: &Expr, value: &Expr, found: &mut Vec<Bound>) {
        let (ExprKind::Tuple(targets) | ExprKind::List(targets)) = &target.kind else {
            if let Some(name) = name_of(target) {
                found.push(Bound {
                    name,
                    span: target.span,
                    is_layout: self.is_layout(value),
                });
            }
            return;
        };
        let gives_several = called(value).is_some_and(|name| MAKERS_OF_SEVERAL.contains(&name));
        for (at, target) in targets.iter().enumerate() {
            match &value.kind {
                ExprKind::Tuple(values) if values.len() == targets.len() => {
                    if let Some(value) = values.get(at) {
                        self.of_target(target, value, found);
                    }
                }
                _ => {
                    if let Some(name) = name_of(target) {
                        found.push(Bound {
                            name,
                            span: target.span,
                            is_layout: gives_several,
                        });
                    }
                }
            }
        }
    }

    fn is_layout(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Name(_) | ExprKind::Attribute(..) => match name_of(value) {
                Some(name) => self.0.contains(&name),
                None => match &value.kind {
                    ExprKind::Attribute(object, member) => {
                        &*member.text == "layout" && self.is_layout(object)
                    }
                    _ => false,
                },
            },
            ExprKind::Subscript(object, index) => has_none(index) && self.is_layout(object),
            ExprKind::Conditional(parts) => {
                self.is_layout(&parts.then) || self.is_layout(&parts.orelse)
            }
            ExprKind::Call(callee, args) => {
                let Some(name) = called(value) else {
                    return false;
                };
                if super::is_maker(name) || MAKERS.contains(&name) {
                    return true;
                }
                let keeps = super::keeps(name) || KEEPERS.contains(&name);
                let object = match &callee.kind {
                    ExprKind::Attribute(object, _) => Some(&**object),
                    _ => None,
                };
                let given = args.iter().map(|arg| &arg.value);
                keeps && object.into_iter().chain(given).any(|it| self.is_layout(it))
            }
            _ => false,
        }
    }
}

/// A name, or an attribute of `self`.
fn name_of(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Attribute(object, member) => match &object.kind {
            ExprKind::Name(this) if &**this == "self" => Some(format!("self.{}", member.text)),
            _ => None,
        },
        _ => None,
    }
}

/// The last name of the callee.
fn called(value: &Expr) -> Option<&str> {
    let ExprKind::Call(callee, _) = &value.kind else {
        return None;
    };
    match &callee.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(_, member) => Some(&member.text),
        _ => None,
    }
}

fn has_none(index: &Expr) -> bool {
    match &index.kind {
        ExprKind::None => true,
        ExprKind::Tuple(items) => items.iter().any(has_none),
        _ => false,
    }
}
