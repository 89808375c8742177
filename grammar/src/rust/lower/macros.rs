//! Macro calls and attributes. The grammar has only their tokens; they are read by their form.

use tree_sitter::Node;

use super::super::fragment;
use super::{Inside, Lowering};
use crate::nodes::{child_of_kind, children};
use crate::tree::{Expr, ExprKind, Item, MacroCall, Path, Shift, UnaryOp, Visitor, walk_expr};
use crate::{limits, notation};

/// Bytes of the longest one that is read: longer ones are code, not values.
const LONGEST: usize = 4_096;

/// Macro calls inside one another that are read.
const LEVELS: usize = 4;

impl Lowering<'_> {
    pub(super) fn macro_call(&mut self, node: Node<'_>) -> ExprKind {
        let Some(name) = node.child_by_field_name("macro") else {
            return ExprKind::Opaque("macro_invocation");
        };
        let path = self.path(name);
        let tokens = child_of_kind(node, "token_tree");
        let is_launch = path.last().is_some_and(|last| last.name.name == "launch");
        let launched = tokens.filter(|_| is_launch);
        if let Some(launch) = launched.and_then(|tokens| self.triple_angled(tokens)) {
            return launch;
        }
        let last = path.last().map(|last| last.name.name.as_str());
        let read = match last {
            // Its parts would be layouts in the notation: `kernel: f, config: c`.
            Some("cuda_launch" | "cuda_launch_async") => {
                tokens.and_then(|tokens| self.launch_parts((&path, tokens)))
            }
            Some("ptx_asm") => tokens.and_then(|tokens| self.assembly(tokens)),
            // `core::ptr::addr_of_mut!(x)` is `&raw mut x`.
            Some("addr_of" | "addr_of_mut") => tokens.and_then(|tokens| self.address(tokens)),
            _ => None,
        };
        read.unwrap_or_else(|| {
            let args = tokens.and_then(|tokens| self.macro_args(tokens));
            ExprKind::Macro(Box::new(MacroCall { path, args }))
        })
    }

    fn launch_parts(&mut self, (path, tokens): (&Path, Node<'_>)) -> Option<ExprKind> {
        let text = self.text(tokens);
        if text.len() > LONGEST || self.inside.macros >= LEVELS {
            return None;
        }
        let inside = text.get(1..text.len().checked_sub(1)?)?;
        let args = self.named_parts(inside, self.span(tokens).start + 1);
        let path = path.clone();
        Some(ExprKind::Macro(Box::new(MacroCall { path, args })))
    }

    fn address(&mut self, tokens: Node<'_>) -> Option<ExprKind> {
        let [place] = <[Expr; 1]>::try_from(self.macro_args(tokens)?).ok()?;
        Some(ExprKind::Unary(UnaryOp::AddressOf, Box::new(place)))
    }

    /// `ptx_asm!("...", out("=r") y, in("r") x)` of `cuda-oxide` as a call `asm(&y, x)`, as assembly of C++ is read.
    fn assembly(&mut self, tokens: Node<'_>) -> Option<ExprKind> {
        let text = self.text(tokens);
        if text.len() > LONGEST || self.inside.macros >= LEVELS {
            return None;
        }
        let place = self.span(tokens);
        let mut args = Vec::new();
        for (start, part) in parts_of(tokens, text, place.start) {
            let (word, rest) = part.split_once('(').unwrap_or((part, ""));
            let is_written = match word.trim() {
                "in" => false,
                "out" | "inout" => true,
                _ => continue,
            };
            let (_, operand) = rest.split_once(')')?;
            let at = start + part.len() - operand.len();
            let [operand] = <[Expr; 1]>::try_from(self.fragment(operand, at)?).ok()?;
            let place = operand.span;
            args.push(if is_written {
                let kind = ExprKind::Unary(UnaryOp::AddressOf, Box::new(operand));
                Expr::new(kind, place)
            } else {
                operand
            });
        }
        Some(ExprKind::Call(
            Box::new(Expr::plain_name("asm", place)),
            args,
        ))
    }

    /// `launch!(module.kernel<<<grid, block, bytes, stream>>>(a, b))` of the crate `cust`.
    fn triple_angled(&mut self, tokens: Node<'_>) -> Option<ExprKind> {
        let text = self.text(tokens);
        if text.len() > LONGEST || self.inside.macros >= LEVELS {
            return None;
        }
        let (open, close) = (text.find("<<<")?, text.find(">>>")?);
        let callee = text.get(1..open)?;
        let config = text.get(open + 3..close)?;
        let behind = text.get(close + 3..text.len().checked_sub(1)?)?;
        let args = behind.trim().strip_prefix('(')?.strip_suffix(')')?;
        let start = self.span(tokens).start;
        let args_at = close + 3 + behind.find('(')? + 1;
        let [callee] = <[Expr; 1]>::try_from(self.fragment(callee, start + 1)?).ok()?;
        Some(ExprKind::Launch {
            callee: Box::new(callee),
            args: self.fragment(args, start + args_at)?,
            config: self.fragment(config, start + open + 3)?,
        })
    }

    /// An attribute that says how a kernel is launched, as a call: `launch_bounds(256, 2)`, `launch_contract(block = (16, 16, 1))`.
    pub(super) fn launch_attribute(&mut self, node: Node<'_>) -> Option<Expr> {
        let attribute = child_of_kind(node, "attribute")?;
        let name = self.text(attribute.named_child(0)?);
        let is_one = matches!(
            name.rsplit("::").next()?,
            "launch_bounds" | "launch_contract" | "spirv"
        );
        let text = self.text(attribute);
        if !is_one || text.len() > LONGEST {
            return None;
        }
        let at = self.span(attribute).start;
        self.fragment(text, at)?.into_iter().next()
    }

    /// The expressions of a part of a macro call or an attribute.
    fn fragment(&mut self, text: &str, at: usize) -> Option<Vec<Expr>> {
        let read = fragment::expressions_at(text, at, self.inside_of_macro())?;
        self.nodes += read.nodes;
        Some(read.exprs)
    }

    fn inside_of_macro(&self) -> Inside {
        Inside {
            macros: self.inside.macros + 1,
            ..self.inside
        }
    }

    /// `unroll!(i in 0..4 => { .. })` of `cuda_device`: the loop.
    pub(super) fn unrolled(&mut self, node: Node<'_>) -> Option<Vec<Item>> {
        let name = node.child_by_field_name("macro")?;
        if self.path(name).last()?.name.name != "unroll" || self.inside.macros >= LEVELS {
            return None;
        }
        let tokens = child_of_kind(node, "token_tree")?;
        let text = self.text(tokens);
        let inside = text.get(1..text.len().checked_sub(1)?)?;
        let (range, body) = inside.split_once("=>")?;
        let text = format!("for {range}  {body}");
        let at = (self.span(tokens).start + 1).checked_sub("for ".len())?;
        let read = fragment::statements_at(&text, at, self.inside_of_macro())?;
        self.nodes += read.nodes;
        Some(read.items)
    }

    /// The arguments in the brackets: a tuple of the notation, Rust expressions, or one object of named parts.
    fn macro_args(&mut self, tokens: Node<'_>) -> Option<Vec<Expr>> {
        let text = self.text(tokens);
        let inside = text.get(1..text.len().checked_sub(1)?)?;
        if text.len() > LONGEST || self.inside.macros >= LEVELS {
            return None;
        }
        let place = self.span(tokens);
        if let Some(mut read) = read_notation(inside) {
            let size = Size::of(&read);
            if self.inside.depth + size.depth > limits::DEPTH {
                return None;
            }
            self.nodes += size.nodes;
            read.shift(place.start);
            return Some(match read.kind {
                ExprKind::Tuple(args) => args,
                _ => vec![read],
            });
        }
        self.fragment(inside, place.start + 1)
            .or_else(|| self.named_parts(inside, place.start + 1))
            .or_else(|| self.repeated(inside, place.start + 1))
    }

    /// `f32; 256` as an array.
    fn repeated(&mut self, inside: &str, at: usize) -> Option<Vec<Expr>> {
        if !inside.contains(';') {
            return None;
        }
        self.fragment(&format!("[{inside}]"), at.checked_sub("[".len())?)
    }

    /// `kernel: f, config: c` as the fields of an object without a class.
    fn named_parts(&mut self, inside: &str, at: usize) -> Option<Vec<Expr>> {
        let object = format!("X{{{inside}}}");
        let mut read = self.fragment(&object, at.checked_sub("X{".len())?)?;
        if let [
            Expr {
                kind: ExprKind::Construct { ty, .. },
                ..
            },
        ] = read.as_mut_slice()
        {
            ty.kind = ExprKind::Opaque("no class");
        }
        Some(read)
    }
}

/// The parts between the commas of a token tree, each with its place.
fn parts_of<'t>(tokens: Node<'_>, text: &'t str, place: usize) -> Vec<(usize, &'t str)> {
    let begin = tokens.start_byte();
    let tokens = children(tokens).into_iter();
    let commas = tokens.filter(|child| child.kind() == ",");
    let borders = commas.map(|comma| comma.start_byte() - begin);
    let mut from = 1;
    let mut parts = Vec::new();
    for to in borders.chain([text.len().saturating_sub(1)]) {
        parts.push((place + from, text.get(from..to).unwrap_or_default()));
        from = to + 1;
    }
    parts
}

/// A tuple of the notation, in whose leaves braces may be around an expression.
fn read_notation(inside: &str) -> Option<Expr> {
    let plain = notation::parse(&format!("({inside})"));
    plain.ok().or_else(|| {
        let blank = inside
            .contains('{')
            .then(|| inside.replace(['{', '}'], " "))?;
        notation::parse(&format!("({blank})")).ok()
    })
}

/// The size of an expression.
#[derive(Default)]
struct Size {
    nodes: usize,
    depth: usize,
    level: usize,
}

impl Size {
    fn of(expr: &Expr) -> Self {
        let mut size = Self::default();
        size.expr(expr);
        size
    }
}

impl Visitor for Size {
    fn expr(&mut self, expr: &Expr) {
        self.nodes += 1;
        self.level += 1;
        self.depth = self.depth.max(self.level);
        walk_expr(self, expr);
        self.level -= 1;
    }
}
