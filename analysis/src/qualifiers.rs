//! `const`, `&` and `*` around a written type, which types do not have here.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Reference};

use crate::types::Scalar;

/// Qualifiers around a type, outermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Qualifiers(Vec<Qualifier>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Qualifier {
    Constant,
    Lvalue,
    Rvalue,
    Pointer,
}

impl Qualifiers {
    /// Those that are written, and the type inside of them.
    pub(crate) fn written(ty: &Expr) -> (Self, &Expr) {
        let mut around = Vec::new();
        let mut inside = ty;
        loop {
            let (qualifier, inner) = match &inside.kind {
                ExprKind::Const(inner) => (Qualifier::Constant, inner),
                ExprKind::Reference(inner, true) => (Qualifier::Rvalue, inner),
                ExprKind::Reference(inner, _) => (Qualifier::Lvalue, inner),
                ExprKind::Pointer(inner) => (Qualifier::Pointer, inner),
                _ => return (Self(around), inside),
            };
            around.push(qualifier);
            inside = inner;
        }
    }

    /// Whether a variable is declared as neither a constant nor a reference.
    pub(crate) fn written_plainly(variable: &Binding) -> bool {
        let own = variable.ty.as_ref().map(|ty| Self::written(ty).0);
        own.is_none_or(|own| own.of_variable(variable, false).is_plain())
    }

    /// Whether there is neither a `const` nor a reference.
    pub(crate) fn is_plain(&self) -> bool {
        self.0.iter().all(|it| *it == Qualifier::Pointer)
    }

    /// Number of pointers among them.
    pub(crate) fn pointers(&self) -> usize {
        let pointers = self.0.iter().filter(|it| **it == Qualifier::Pointer);
        pointers.count()
    }

    /// The same around the type of a variable, or of the expression that is its name in parentheses.
    pub(crate) fn of_variable(mut self, variable: &Binding, is_expression: bool) -> Self {
        let specifiers = variable.specifiers;
        if specifiers.constant || specifiers.constexpr {
            self.0.insert(0, Qualifier::Constant);
        }
        match variable.reference {
            _ if is_expression => self.0.insert(0, Qualifier::Lvalue),
            Reference::None => {}
            Reference::Lvalue => self.0.insert(0, Qualifier::Lvalue),
            Reference::Rvalue => self.0.insert(0, Qualifier::Rvalue),
        }
        self
    }
}

/// Whether a name is that of a type without qualifiers: an arithmetic one, or a trait that removes them.
pub(crate) fn named_without_qualifiers(ty: &Expr) -> bool {
    let last = ty.as_path().and_then(|path| path.last());
    last.is_some_and(|last| {
        let name = last.name.name.as_str();
        match &last.args {
            None => Scalar::of_spelling(name).is_some(),
            Some(_) => matches!(name, "remove_cvref_t" | "remove_cv_t" | "decay_t"),
        }
    })
}

/// Whether an expression gives a value that is not an object: its type has no qualifiers.
pub(crate) fn is_temporary(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Float(_)
            | ExprKind::Binary(..)
            | ExprKind::Construct { .. }
            | ExprKind::Sizeof(_)
    )
}
