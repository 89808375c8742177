//! The notation, written: with as few brackets as read back as the same tree.

use std::fmt::{self, Display, Formatter, Write as _};

use crate::tree::{BinaryOp, Expr, ExprKind, Path, Qualifier, UnaryOp};

/// Writes an expression in the notation, as CuTe prints it where CuTe has a print.
///
/// Text of the notation is written so that it reads back as the same tree. Kinds that only host languages have are
/// written as [`Expr`] displays them.
///
/// ```
/// # use tree_sitter_cute::notation;
/// let layout = notation::parse("( (2, 2),4 ) : ((1,8), (M+1)*2)").unwrap();
/// assert_eq!(notation::print(&layout), "((2,2),4):((1,8),(M + 1) * 2)");
/// ```
pub fn print(expr: &Expr) -> String {
    Written(expr, Level::Infix).to_string()
}

/// The precedence of a printed expression, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Infix,
    Layout,
    Sum,
    Basis,
    Term,
    Sign,
    Factor,
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Composition(_) | ExprKind::Divide(..) | ExprKind::Product(..) => Level::Infix,
        ExprKind::Layout(..) => Level::Layout,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => Level::Sum,
        ExprKind::Basis(..) => Level::Basis,
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem, ..)
        | ExprKind::Rational(_) => Level::Term,
        ExprKind::Unary(UnaryOp::Minus, _) => Level::Sign,
        _ => Level::Factor,
    }
}

/// An expression where operands that bind at least as tightly need no parentheses.
struct Written<'e>(&'e Expr, Level);

/// An operand of arithmetic, around which parentheses only group: a tuple of one needs another pair.
struct Operand<'e>(&'e Expr, Level);

impl Display for Written<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(expr, least) = self;
        if level(expr) < *least {
            f.write_char('(')?;
            write(f, expr)?;
            f.write_char(')')
        } else {
            write(f, expr)
        }
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(expr, least) = self;
        match &expr.kind {
            ExprKind::Tuple(modes) if modes.len() == 1 => write!(f, "({})", Written(expr, *least)),
            _ => Written(expr, *least).fmt(f),
        }
    }
}

fn write(f: &mut Formatter<'_>, expr: &Expr) -> fmt::Result {
    match &expr.kind {
        ExprKind::Name(path) => write_path(f, path),
        ExprKind::Call(callee, args) => {
            write!(f, "{}", Written(callee, Level::Factor))?;
            list(f, '(', args, ')')
        }
        ExprKind::Construct {
            ty,
            args,
            braces: true,
        } => {
            write!(f, "{}", Written(ty, Level::Factor))?;
            list(f, '{', args, '}')
        }
        ExprKind::Tuple(modes) => list(f, '(', modes, ')'),
        ExprKind::Tiler(modes) => list(f, '<', modes, '>'),
        ExprKind::Composition(operands) => {
            for (at, operand) in operands.iter().enumerate() {
                let (between, least) = match at {
                    0 => ("", Level::Infix),
                    _ => (" o ", Level::Layout),
                };
                write!(f, "{between}{}", Written(operand, least))?;
            }
            Ok(())
        }
        ExprKind::Divide(left, right) => infix(f, left, '\u{2298}', right),
        ExprKind::Product(left, right) => infix(f, left, '\u{2297}', right),
        ExprKind::Layout(shape, stride) => {
            let stride = Written(stride, Level::Sum).to_string();
            // `:` and `::x` next to each other would be `::` and `:x`.
            let space = if stride.starts_with(':') { " " } else { "" };
            write!(f, "{}:{space}{stride}", Written(shape, Level::Sum))
        }
        ExprKind::Basis(count, path) => {
            write!(f, "{}", Operand(count, Level::Term))?;
            path.iter().try_for_each(|mode| write!(f, "@{mode}"))
        }
        ExprKind::Unary(UnaryOp::Minus, operand) => {
            write!(f, "-{}", Operand(operand, Level::Sign))
        }
        ExprKind::Binary(op, left, right) => {
            let (least, tighter) = match op {
                BinaryOp::Add | BinaryOp::Sub => (Level::Sum, Level::Basis),
                _ => (Level::Term, Level::Sign),
            };
            let (left, right) = (Operand(left, least), Operand(right, tighter));
            write!(f, "{left} {} {right}", op.text())
        }
        _ => write!(f, "{expr}"),
    }
}

fn infix(f: &mut Formatter<'_>, left: &Expr, operator: char, right: &Expr) -> fmt::Result {
    let (left, right) = (Written(left, Level::Infix), Written(right, Level::Layout));
    write!(f, "{left} {operator} {right}")
}

fn write_path(f: &mut Formatter<'_>, path: &Path) -> fmt::Result {
    match &path.qualifier {
        Qualifier::None => {}
        Qualifier::Global => f.write_str("::")?,
        Qualifier::Type(ty) => write!(f, "{ty}::")?,
    }
    for (at, segment) in path.segments.iter().enumerate() {
        if at > 0 {
            f.write_str("::")?;
        }
        f.write_str(&segment.name.name)?;
        if let Some(args) = &segment.args {
            list(f, '<', args, '>')?;
        }
    }
    Ok(())
}

fn list(f: &mut Formatter<'_>, open: char, items: &[Expr], close: char) -> fmt::Result {
    f.write_char(open)?;
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_char(',')?;
        }
        write!(f, "{}", Written(item, Level::Infix))?;
    }
    f.write_char(close)
}
