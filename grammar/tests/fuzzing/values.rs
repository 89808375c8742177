//! Random values of the notation: trees as the parser makes them.

use tree_sitter_cute::tree::{
    BinaryOp, Engine, Expr, ExprKind, Ident, Path, Qualifier, Rational, Segment, Span, UnaryOp,
};

use super::Random;

/// A value that [`notation::print`](tree_sitter_cute::notation::print) writes and
/// [`notation::parse`](tree_sitter_cute::notation::parse) reads back.
pub(crate) fn value(random: &mut Random) -> Expr {
    let depth = 1 + random.below(4);
    expression(random, depth)
}

fn at_nowhere(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

fn several(
    random: &mut Random,
    depth: usize,
    one: impl Fn(&mut Random, usize) -> Expr,
) -> Vec<Expr> {
    let count = random.below(4);
    (0..count)
        .map(|_| one(random, depth.saturating_sub(1)))
        .collect()
}

fn expression(random: &mut Random, depth: usize) -> Expr {
    if depth == 0 {
        return mapping(random, 0);
    }
    let left = |random: &mut Random| boxed(expression(random, depth - 1));
    let right = |random: &mut Random| boxed(mapping(random, depth - 1));
    at_nowhere(match random.below(8) {
        0 => {
            let count = 1 + random.below(3);
            let mut operands = vec![match random.below(3) {
                0 => swizzle(random),
                1 => pointer(random),
                _ => mapping(random, depth - 1),
            }];
            operands.extend((0..count).map(|_| mapping(random, depth - 1)));
            ExprKind::Composition(operands)
        }
        1 => ExprKind::Divide(left(random), right(random)),
        2 => ExprKind::Product(left(random), right(random)),
        3 => ExprKind::Composition(vec![
            mapping(random, depth - 1),
            // An infix operation on the right is in parentheses.
            at_nowhere(ExprKind::Divide(left(random), right(random))),
        ]),
        _ => return mapping(random, depth),
    })
}

/// A layout, or what can be on a side of its colon.
fn mapping(random: &mut Random, depth: usize) -> Expr {
    if random.below(3) == 0 {
        return sum(random, depth);
    }
    let (shape, stride) = (sum(random, depth), sum(random, depth));
    at_nowhere(ExprKind::Layout(boxed(shape), boxed(stride)))
}

fn sum(random: &mut Random, depth: usize) -> Expr {
    if depth == 0 || random.below(8) > 0 {
        return stride(random, depth);
    }
    let op = *random.one(&[BinaryOp::Add, BinaryOp::Sub]);
    let (left, right) = (operand(random, depth), operand(random, depth));
    at_nowhere(ExprKind::Binary(op, boxed(left), boxed(right)))
}

/// An operand of arithmetic: whatever it is, parentheses group it.
fn operand(random: &mut Random, depth: usize) -> Expr {
    match random.below(8) {
        0 => mapping(random, depth - 1),
        1 => at_nowhere(ExprKind::Composition(vec![
            mapping(random, depth - 1),
            mapping(random, depth - 1),
        ])),
        2 => sum(random, depth - 1),
        _ => term(random, depth - 1),
    }
}

fn stride(random: &mut Random, depth: usize) -> Expr {
    match random.below(5) {
        0 => {
            let count = match random.below(4) {
                0 => {
                    let numerator = random.between(-8, 9);
                    let denominator = random.between(1, 9);
                    at_nowhere(ExprKind::Rational(Rational {
                        numerator,
                        denominator,
                    }))
                }
                1 => sum_but_no_basis(random, depth),
                _ => leaf(random),
            };
            let path = (0..=random.below(3)).map(|_| random.below(5)).collect();
            at_nowhere(ExprKind::Basis(boxed(count), path))
        }
        _ => term(random, depth),
    }
}

/// The count of a basis: a quotient of literals there is a fraction.
fn sum_but_no_basis(random: &mut Random, depth: usize) -> Expr {
    let (left, right) = (name(random, depth), leaf(random));
    let op = *random.one(&[BinaryOp::Add, BinaryOp::Mul, BinaryOp::Div]);
    let right = match (op, &right.kind) {
        (BinaryOp::Div, ExprKind::Int(0) | ExprKind::Static(0)) => at_nowhere(ExprKind::Int(7)),
        _ => right,
    };
    at_nowhere(ExprKind::Binary(op, boxed(left), boxed(right)))
}

fn term(random: &mut Random, depth: usize) -> Expr {
    if depth == 0 || random.below(8) > 0 {
        return factor(random, depth);
    }
    let op = *random.one(&[BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem]);
    let (left, right) = (operand(random, depth), operand(random, depth));
    at_nowhere(ExprKind::Binary(op, boxed(left), boxed(right)))
}

fn factor(random: &mut Random, depth: usize) -> Expr {
    if depth == 0 {
        return leaf(random);
    }
    match random.below(10) {
        0..=3 => tuple(random, depth),
        4 => at_nowhere(ExprKind::Tiler(several(random, depth, expression))),
        5 => {
            let operand = operand(random, depth);
            at_nowhere(ExprKind::Unary(UnaryOp::Minus, boxed(operand)))
        }
        6 => swizzle(random),
        7 => pointer(random),
        8 => named(random, depth),
        _ => leaf(random),
    }
}

/// A tuple; around a single infix operation parentheses would only group.
fn tuple(random: &mut Random, depth: usize) -> Expr {
    let modes = several(random, depth, expression);
    let is_group = matches!(
        modes.as_slice(),
        [Expr {
            kind: ExprKind::Composition(_) | ExprKind::Divide(..) | ExprKind::Product(..),
            ..
        }]
    );
    at_nowhere(ExprKind::Tuple(if is_group { Vec::new() } else { modes }))
}

fn leaf(random: &mut Random) -> Expr {
    at_nowhere(match random.below(9) {
        0 => ExprKind::Static(random.between(-64, 65)),
        1 => ExprKind::Unknown(None),
        2 => ExprKind::Unknown(Some(random.between(1, 1_000))),
        3 => ExprKind::Underscore,
        4 => ExprKind::Xor(random.between(0, 64)),
        5 => return name(random, 0),
        6 => ExprKind::Int(i64::MAX - random.between(0, 2)),
        _ => ExprKind::Int(random.between(0, 1_000)),
    })
}

fn swizzle(random: &mut Random) -> Expr {
    let (bits, base, shift) = swizzle_numbers(random);
    at_nowhere(ExprKind::Swizzle(bits, base, shift))
}

fn swizzle_numbers(random: &mut Random) -> (i64, i64, i64) {
    let mut number = || random.between(-5, 6);
    (number(), number(), number())
}

fn pointer(random: &mut Random) -> Expr {
    let swizzle = (random.below(2) == 0).then(|| swizzle_numbers(random));
    let space = random.one(&["smem_ptr", "gmem_ptr", "ptr", "tmem_"]);
    let address = random.one(&["unset", "PTR", "0x7f00", "PTR.0000", ""]);
    at_nowhere(ExprKind::Engine(Engine {
        swizzle,
        space: (*space).to_owned(),
        bits: random.between(1, 129),
        address: (*address).to_owned(),
    }))
}

/// A name, what it is called with, what it is constructed from.
fn named(random: &mut Random, depth: usize) -> Expr {
    let mut expr = name(random, depth);
    for _ in 0..random.below(3) {
        let args = several(random, depth, expression);
        let inner = boxed(expr);
        expr = at_nowhere(match random.below(3) {
            0 => ExprKind::Construct {
                ty: inner,
                args,
                braces: true,
            },
            _ => ExprKind::Call(inner, args),
        });
    }
    expr
}

fn name(random: &mut Random, depth: usize) -> Expr {
    const NAMES: [&str; 12] = [
        "M", "N", "ldA", "kBlockM", "o", "cute", "S", "E", "_x", "_8x", "e1x", "b",
    ];
    let mut segments = Vec::new();
    for at in 0..=random.below(3) / 2 {
        // `S<..>` and `E<..>` are their own forms, except behind `::`.
        let name = *random.one(&NAMES);
        let has_args = depth > 0 && random.below(4) == 0 && (at > 0 || !matches!(name, "S" | "E"));
        let name = Ident {
            name: name.to_owned(),
            span: Span::default(),
        };
        let args = has_args.then(|| several(random, depth, expression));
        segments.push(Segment { name, args });
    }
    let qualifier = match random.below(8) {
        0 => Qualifier::Global,
        _ => Qualifier::None,
    };
    at_nowhere(ExprKind::Name(Path {
        qualifier,
        segments,
    }))
}
