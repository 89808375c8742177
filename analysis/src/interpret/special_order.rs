//! The order of two specialisations: which one is more special.

use tree_sitter_cute::tree::{Expr, ExprKind, TemplateParam};

use super::deduction::position;
use crate::hash::HashMap;

/// Whether patterns take whatever other patterns take.
pub(super) fn covers_all(wide: &[&Expr], narrow: &[&Expr], tparams: &[TemplateParam]) -> bool {
    let mut bound: HashMap<&str, &Expr> = HashMap::default();
    wide.len() == narrow.len()
        && wide
            .iter()
            .zip(narrow)
            .all(|(wide, narrow)| covers(wide, narrow, tparams, &mut bound))
}

/// Whether lists of types are the same but for the names of template parameters.
pub(super) fn same_all(
    a: &[&Expr],
    a_params: &[TemplateParam],
    b: &[&Expr],
    b_params: &[TemplateParam],
) -> bool {
    covers_all(a, b, a_params) && covers_all(b, a, b_params)
}

/// The number of `_8`, which is `Int<8>`.
fn static_number(name: &str) -> Option<&str> {
    name.strip_prefix('_')
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()))
}

fn covers<'e>(
    wide: &'e Expr,
    narrow: &'e Expr,
    tparams: &[TemplateParam],
    bound: &mut HashMap<&'e str, &'e Expr>,
) -> bool {
    if let Some(name) = wide.as_plain_name()
        && position(tparams, name).is_some()
    {
        return match bound.insert(name, narrow) {
            Some(before) => is_same_expression(before, narrow),
            None => true,
        };
    }
    // `Int<N>` takes `_8`, which names no parameter, so it does not match another number.
    if let (Some(path), Some(number)) = (wide.as_path(), narrow.as_plain_name())
        && static_number(number).is_some()
        && let [segment] = path.segments.as_slice()
        && matches!(segment.name.name.as_str(), "Int" | "C")
        && let Some([arg]) = segment.args.as_deref()
        && let Some(name) = arg.as_plain_name()
        && position(tparams, name).is_some()
    {
        return match bound.insert(name, narrow) {
            Some(before) => is_same_expression(before, narrow),
            None => true,
        };
    }
    match (&wide.kind, &narrow.kind) {
        (ExprKind::Const(a) | ExprKind::Reference(a, _), _) => covers(a, narrow, tparams, bound),
        (_, ExprKind::Const(b) | ExprKind::Reference(b, _)) => covers(wide, b, tparams, bound),
        (ExprKind::Pointer(a), ExprKind::Pointer(b))
        | (ExprKind::Expand(a), ExprKind::Expand(b)) => covers(a, b, tparams, bound),
        (ExprKind::Name(a), ExprKind::Name(b)) => match (a.last(), b.last()) {
            (Some(a), Some(b)) if a.name.name == b.name.name => match (&a.args, &b.args) {
                // A condition says nothing of which is narrower.
                _ if a.name.name.starts_with("enable_if") => true,
                (None, None) => true,
                (Some(a), Some(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| covers(a, b, tparams, bound))
                }
                _ => false,
            },
            _ => false,
        },
        _ => is_same_expression(wide, narrow),
    }
}

fn is_same_expression(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Pointer(a), ExprKind::Pointer(b))
        | (ExprKind::Const(a), ExprKind::Const(b))
        | (ExprKind::Expand(a), ExprKind::Expand(b)) => is_same_expression(a, b),
        (ExprKind::Name(a), ExprKind::Name(b)) => {
            a.segments.len() == b.segments.len()
                && a.segments.iter().zip(&b.segments).all(|(a, b)| {
                    a.name.name == b.name.name
                        && match (&a.args, &b.args) {
                            (None, None) => true,
                            (Some(a), Some(b)) => {
                                a.len() == b.len()
                                    && a.iter().zip(b).all(|(a, b)| is_same_expression(a, b))
                            }
                            _ => false,
                        }
                })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::tree::ItemKind;
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    /// Whether the pattern `wide` takes whatever `narrow` takes; `T`, `U` and `N` are template parameters.
    fn takes(wide: &str, narrow: &str) -> bool {
        let text = format!("template <class T, class U, int N> void f({wide} a, {narrow} b);");
        let syntax = Syntax::parse(Host::CudaCpp, &text, None, Budget::unlimited()).unwrap();
        let unit = syntax.lower(&text);
        let Some(ItemKind::Function(function)) = unit.items.first().map(|item| &item.kind) else {
            return false;
        };
        let types: Vec<&Expr> = function
            .params
            .iter()
            .filter_map(|it| it.ty.as_ref())
            .collect();
        let [wide, narrow] = types[..] else {
            return false;
        };
        covers_all(&[wide], &[narrow], &function.tparams)
    }

    #[test]
    fn a_parameter_takes_every_type_and_a_pattern_those_of_its_form() {
        for (wide, narrow) in [
            ("T", "int"),
            ("T", "Layout<U, U>"),
            ("Layout<T, U>", "Layout<int, U>"),
            ("T*", "int*"),
            ("Int<N>", "_8"),
        ] {
            assert!(takes(wide, narrow), "{wide} {narrow}");
            assert!(!takes(narrow, wide), "{narrow} {wide}");
        }
    }

    #[test]
    fn a_parameter_that_is_used_twice_takes_two_equal_types() {
        assert!(takes("Layout<T, T>", "Layout<int, int>"));
        assert!(!takes("Layout<T, T>", "Layout<int, float>"));
        assert!(takes("Layout<T, U>", "Layout<T, T>"));
        assert!(!takes("T*", "int"));
    }
}
