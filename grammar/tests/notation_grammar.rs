//! The notation has two readers: the parser of values, and the tree-sitter grammar that editors use.
//! Both accept the same texts and give the same trees, spans included.

#![allow(clippy::expect_used, clippy::panic)] // A test may stop where its premise fails.

use std::fs;
use std::path::Path as FilePath;

use proptest::prelude::*;
use tree_sitter::{Node, Parser};
use tree_sitter_cute::notation;
use tree_sitter_cute::tree::{
    BinaryOp, Engine, Expr, ExprKind, Ident, Path, Qualifier, Rational, Segment, Span, UnaryOp,
};

/// The expression that the grammar reads in a text: `None` when it is not a single expression.
fn by_grammar(text: &str) -> Option<Expr> {
    let mut parser = Parser::new();
    parser.set_language(&notation::LANGUAGE.into()).ok()?;
    let tree = parser.parse(text, None)?;
    let root = tree.root_node();
    let item = root.named_child(0)?;
    let is_expression =
        root.child_count() == 1 && !matches!(item.kind(), "assertion" | "directive");
    if root.has_error() || !is_expression {
        return None;
    }
    Lowering(text).expr(item)
}

/// Lowers trees of the grammar; `None` for numbers that no value has.
struct Lowering<'t>(&'t str);

impl Lowering<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        &self.0[node.byte_range()]
    }

    fn exprs<'n>(&self, nodes: impl IntoIterator<Item = Node<'n>>) -> Option<Vec<Expr>> {
        nodes.into_iter().map(|node| self.expr(node)).collect()
    }

    fn field(&self, node: Node<'_>, name: &str) -> Option<Box<Expr>> {
        self.expr(node.child_by_field_name(name)?).map(Box::new)
    }

    fn expr(&self, node: Node<'_>) -> Option<Expr> {
        let span = span(node);
        let kind = match node.kind() {
            "integer" => ExprKind::Int(integer(self.text(node))?),
            "static_integer" => ExprKind::Static(self.text(node)[1..].parse().ok()?),
            "xor_stride" => ExprKind::Xor(self.text(node)[1..].parse().ok()?),
            "underscore" => ExprKind::Underscore,
            "basis_vector" => {
                let (coefficient, mode) = self.text(node).split_once('e')?;
                let coefficient = match coefficient {
                    "" => 1,
                    digits => digits.parse().ok()?,
                };
                let coefficient = Expr::new(ExprKind::Int(coefficient), span);
                ExprKind::Basis(Box::new(coefficient), vec![mode.parse().ok()?])
            }
            "nested_basis_vector" => {
                let mut path: Vec<usize> = self.modes(node)?;
                path.reverse();
                let start = Span::new(span.start, span.start + 1);
                ExprKind::Basis(Box::new(Expr::new(ExprKind::Static(1), start)), path)
            }
            "unknown" => match node.child_by_field_name("divisor") {
                None => ExprKind::Unknown(None),
                Some(divisor) => {
                    ExprKind::Unknown(Some(self.number(divisor)?).filter(|divisor| *divisor > 0))
                }
            },
            "negation" => {
                let operand = ungrouped(*self.field(node, "operand")?);
                ExprKind::Unary(UnaryOp::Minus, Box::new(operand))
            }
            "tuple" => match &mut *self.exprs(named(node))? {
                [only] if is_infix(only) => std::mem::replace(&mut only.kind, ExprKind::Underscore),
                modes => ExprKind::Tuple(modes.to_vec()),
            },
            "tiler" => ExprKind::Tiler(self.exprs(named(node))?),
            "swizzle" => {
                let (bits, base, shift) = self.swizzle(node)?;
                ExprKind::Swizzle(bits, base, shift)
            }
            "pointer" => ExprKind::Engine(self.pointer(node)?),
            "path" => ExprKind::Name(self.path(node)?),
            "call" => {
                let args = node.child_by_field_name("arguments")?;
                ExprKind::Call(self.field(node, "function")?, self.exprs(named(args))?)
            }
            "construction" => {
                let mut cursor = node.walk();
                let args: Vec<Node<'_>> = node
                    .children_by_field_name("argument", &mut cursor)
                    .collect();
                ExprKind::Construct {
                    ty: self.field(node, "type")?,
                    args: self.exprs(args)?,
                    braces: true,
                }
            }
            "layout" => ExprKind::Layout(self.field(node, "shape")?, self.field(node, "stride")?),
            "composition" => {
                let (left, right) = (self.field(node, "left")?, self.field(node, "right")?);
                match left.kind {
                    ExprKind::Composition(mut operands) => {
                        operands.push(*right);
                        ExprKind::Composition(operands)
                    }
                    _ => ExprKind::Composition(vec![*left, *right]),
                }
            }
            "division" => ExprKind::Divide(self.field(node, "left")?, self.field(node, "right")?),
            "product" => ExprKind::Product(self.field(node, "left")?, self.field(node, "right")?),
            "binary_expression" => {
                let op = match node.child_by_field_name("operator")?.kind() {
                    "+" => BinaryOp::Add,
                    "-" => BinaryOp::Sub,
                    "*" => BinaryOp::Mul,
                    "/" => BinaryOp::Div,
                    _ => BinaryOp::Rem,
                };
                let side = |side| Some(Box::new(ungrouped(*self.field(node, side)?)));
                ExprKind::Binary(op, side("left")?, side("right")?)
            }
            "basis" => self.basis(node)?,
            other => panic!("`{other}` is no expression"),
        };
        Some(Expr::new(kind, span))
    }

    fn basis(&self, node: Node<'_>) -> Option<ExprKind> {
        let mut path = self.modes(node)?;
        let mut count = ungrouped(*self.field(node, "count")?);
        if let ExprKind::Basis(inner, mut first) = count.kind {
            first.append(&mut path);
            return Some(ExprKind::Basis(inner, first));
        }
        if let ExprKind::Binary(BinaryOp::Div, above, below) = &count.kind {
            let (above, below) = (literal(above), literal_or_static(below));
            match (above, below) {
                (_, Some((0, _))) => return None,
                (Some(above), Some((below, true))) => {
                    count.kind = ExprKind::Rational(Rational {
                        numerator: above * below.signum(),
                        denominator: below.abs(),
                    });
                }
                _ => {}
            }
        }
        Some(ExprKind::Basis(Box::new(count), path))
    }

    fn modes(&self, node: Node<'_>) -> Option<Vec<usize>> {
        let mut cursor = node.walk();
        node.children_by_field_name("mode", &mut cursor)
            .map(|mode| usize::try_from(integer(self.text(mode))?).ok())
            .collect()
    }

    /// A number with its sign.
    fn number(&self, node: Node<'_>) -> Option<i64> {
        match node.kind() {
            "negation" => self
                .number(node.child_by_field_name("operand")?)?
                .checked_neg(),
            "static_integer" => self.text(node)[1..].parse().ok(),
            _ => integer(self.text(node)),
        }
    }

    fn swizzle(&self, node: Node<'_>) -> Option<(i64, i64, i64)> {
        let number = |name| self.number(node.child_by_field_name(name)?);
        Some((number("bits")?, number("base")?, number("shift")?))
    }

    fn pointer(&self, node: Node<'_>) -> Option<Engine> {
        let swizzle = match node.child_by_field_name("swizzle") {
            Some(swizzle) => Some(self.swizzle(swizzle)?),
            None => None,
        };
        let space = self.text(node.child_by_field_name("space")?);
        let address = node.child_by_field_name("address");
        Some(Engine {
            swizzle,
            space: match swizzle {
                Some(_) => space.strip_prefix('_').unwrap_or(space).to_owned(),
                None => space.to_owned(),
            },
            bits: self.number(node.child_by_field_name("width")?)?,
            address: address.map_or("", |address| self.text(address)).to_owned(),
        })
    }

    fn path(&self, node: Node<'_>) -> Option<Path> {
        let mut path = Path {
            qualifier: Qualifier::None,
            segments: Vec::new(),
        };
        if node.child(0)?.kind() == "::" {
            path.qualifier = Qualifier::Global;
        }
        for part in named(node) {
            if part.kind() == "template_arguments" {
                path.segments.last_mut()?.args = Some(self.exprs(named(part))?);
            } else {
                path.segments.push(self.segment(part));
            }
        }
        Some(path)
    }

    fn segment(&self, node: Node<'_>) -> Segment {
        let name = Ident {
            name: self.text(node).to_owned(),
            span: span(node),
        };
        Segment { name, args: None }
    }
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

fn named(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

fn integer(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn is_infix(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Composition(_) | ExprKind::Divide(..) | ExprKind::Product(..)
    )
}

fn ungrouped(expr: Expr) -> Expr {
    match &expr.kind {
        ExprKind::Tuple(modes) if modes.len() == 1 => Expr::new(modes[0].kind.clone(), expr.span),
        _ => expr,
    }
}

fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Minus, operand) => match operand.kind {
            ExprKind::Int(value) => Some(-value),
            _ => None,
        },
        _ => None,
    }
}

/// A literal, and whether it is a plain one.
fn literal_or_static(expr: &Expr) -> Option<(i64, bool)> {
    match expr.kind {
        ExprKind::Static(value) => Some((value, false)),
        _ => literal(expr).map(|value| (value, true)),
    }
}

/// The errors of the parser of values where the grammar sees nothing wrong.
const OF_VALUES: [&str; 3] = [
    "an integer of at most 64 bits",
    "a denominator other than zero",
    "a divisor of at least 1",
];

fn both_agree(text: &str) -> Result<(), TestCaseError> {
    // `cute:` begins a directive, also where the parser of values reads a layout of shape `cute`.
    let rest = text.trim_start().strip_prefix("cute").map(str::trim_start);
    if rest.is_some_and(|rest| rest.starts_with(':') && !rest.starts_with("::")) {
        return Ok(());
    }
    match notation::parse(text) {
        Ok(expr) => {
            let read = by_grammar(text);
            let shown = read.as_ref().map(ToString::to_string);
            prop_assert!(
                read.as_ref() == Some(&expr),
                "`{}`: {:?} for {}",
                text,
                shown,
                expr
            );
        }
        Err(error) if OF_VALUES.contains(&&*error.expected) => {}
        Err(error) => {
            let read = by_grammar(text);
            prop_assert!(read.is_none(), "`{}`: {}, or {:?}", text, error, read);
        }
    }
    Ok(())
}

/// The pieces of which texts are made: tokens, and pairs that make valid texts likely.
const PIECES: &[&str] = &[
    "(",
    ")",
    "(4,8)",
    "(1,M)",
    ",",
    ":",
    "_",
    "8",
    "_8",
    "_-1",
    "-",
    "@0",
    "@1",
    "/",
    "/2@0",
    "?",
    "?{div=8}",
    "{",
    "}",
    "{}",
    "Sw<3,4,3>",
    "S",
    "<",
    ">",
    "<4,8>",
    "[",
    "]",
    "[4;8]",
    ";",
    " o ",
    "\u{2218}",
    "\u{2298}",
    "(*)",
    "e1",
    "6e1",
    "e1x",
    "f5",
    "f5x",
    "A",
    "::",
    "A::B",
    "_x",
    "__",
    "smem_ptr[16b](PTR)",
    "_ptr[8b]()",
    "Swizzle<1,2,_3>{}",
    "E<0,1>",
    "*",
    "+",
    "%",
    "0x1f",
    " ",
    "\u{a0}",
    "99999999999999999999",
    "=",
    "cute",
    "o",
    "E",
    "b",
    "div",
    "1/0@0",
    "f(x)",
    "g<2>",
    "run",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_parser_and_the_grammar_read_alike(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
    ) {
        both_agree(&pieces.concat())?;
    }

    /// A valid text, with one piece put somewhere.
    #[test]
    fn they_read_alike_next_to_valid_texts(
        text in prop::sample::select(VALID),
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(PIECES),
    ) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (before, after) = text.split_at(places[at.index(places.len())]);
        both_agree(&[before, piece, after].concat())?;
        both_agree(&[before, after.get(1..).unwrap_or_default()].concat())?;
    }
}

const VALID: &[&str] = &[
    "((2,2),4):((1,8),2)",
    "Sw<3,4,3>_smem_ptr[16b](PTR) o (_8,_16):(_64,_1)",
    "composition(A, <4:1, 8:2>) (/) [4:1; _]",
    "cute::size<0>(make_layout(Int<4>{}, e1, E<0,1>{}))",
    "(1/2@0, -3/-4@1@0, ?{div=8}, (M+127)/128*2)",
    "(A o (B \u{2297} C)):f5",
];

#[test]
fn they_read_the_corpus_alike() {
    for text in VALID {
        both_agree(text).expect(text);
    }
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("notation/test/corpus");
    let mut valid = 0;
    for entry in fs::read_dir(folder).expect("the corpus") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("a corpus file");
        for line in text.lines().filter(|line| !line.is_empty()) {
            both_agree(line).expect("the same reading");
            valid += usize::from(notation::parse(line).is_ok());
        }
    }
    assert!(valid > 50, "{valid} lines of the corpus are values");
}
