//! Layouts that people write into comments and strings: `// sA: (128,64):(64,1)`,
//! `// Sw<3,4,3> o 0 o (8,64):(64,1)`, and the shape comments `// (MMA,MMA_M,MMA_K)`.
//!
//! A scan of each line finds places where a literal can begin and how far its brackets reach; the text there is parsed
//! by [`notation::parse`] and kept only if its tree is one of a layout. Prose, a ternary, a ratio, a time and a call
//! are none:
//!
//! - shape and stride have the same brackets, and extents are at least 1;
//! - a pair of names alone, `(a,b):(c,d)`, is not one: some leaf is a number;
//! - a pair of numbers alone, `16:9`, is not one unless it is written as static integers, `_16:_1`;
//! - a tuple, `(MMA,MMA_M)`, counts only where the line says nothing else.

mod line;

use crate::notation;
use crate::tree::{BinaryOp, Expr, ExprKind, Ident, Path, Qualifier, Shift, Span, UnaryOp};
use line::Line;

/// The kind of statement of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnnotationKind {
    /// A layout, a swizzle, or a layout composed with them.
    Layout,
    /// A shape, of names, numbers or both; also a tuple of strides.
    Shape,
}

/// A literal inside a comment or a string.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// The kind of statement.
    pub kind: AnnotationKind,
    /// The name before it, `tCrA: ...`, where the line begins with one.
    pub name: Option<Ident>,
    /// The literal; its spans are in the source.
    pub expr: Expr,
    /// Whether the line (without a name, the whole text) says nothing else.
    pub alone: bool,
}

/// Literals that may be tried inside one bracket before the rest of it is left alone; a text that fails so often is
/// prose. Keeps the scan linear.
const ATTEMPTS: usize = 8;

/// The annotations in the part `content` of `text`: the text inside the marks of a comment or the quotes of a string.
/// In source order, one inside another never.
///
/// ```
/// # use tree_sitter_cute::{AnnotationKind, annotations, tree::Span};
/// let text = "// sA: (128,64):(64,1)";
/// let found = annotations(text, Span::new(2, text.len()));
/// assert_eq!(found[0].kind, AnnotationKind::Layout);
/// assert_eq!(found[0].name.as_ref().map(|name| &*name.name), Some("sA"));
/// assert_eq!(found[0].expr.span.text(text), "(128,64):(64,1)");
/// ```
pub fn annotations(text: &str, content: Span) -> Vec<Annotation> {
    let mut found = Vec::new();
    let mut lines = 0;
    let mut start = content.start;
    for line in content.text(text).split('\n') {
        if !line.trim().is_empty() {
            lines += 1;
        }
        in_line(line, start, &mut found);
        start += line.len() + 1;
    }
    if lines > 1 {
        for annotation in &mut found {
            annotation.alone &= annotation.name.is_some();
        }
    }
    found
}

/// Adds the annotations of one line that starts at byte `offset` of the source.
fn in_line(text: &str, offset: usize, found: &mut Vec<Annotation>) {
    if !text.contains(['(', '<', ':']) {
        return;
    }
    let line = Line::new(text);
    let mut at = line.start_of_words();
    let mut attempts = ATTEMPTS;
    let mut tried_to = 0;
    while at < text.len() {
        let Some(end) = line.literal_end(at) else {
            at = line.after_word(at);
            continue;
        };
        if at >= tried_to {
            attempts = ATTEMPTS;
            tried_to = end;
        }
        if attempts == 0 {
            at = tried_to;
            continue;
        }
        attempts -= 1;
        match annotation(&line, Span::new(at, end)) {
            Some(mut annotation) => {
                if let Some(name) = &mut annotation.name {
                    name.span.shift(offset);
                }
                annotation.expr.shift(offset);
                found.push(annotation);
                at = end;
            }
            None => at = line.after_word(at),
        }
    }
}

/// The annotation that is at a place of a line.
fn annotation(line: &Line<'_>, place: Span) -> Option<Annotation> {
    let literal = place.text(line.text());
    let mut expr = match notation::parse(literal) {
        Ok(expr) => expr,
        Err(_) => notation::parse(&line::without_additions(literal)?).ok()?,
    };
    let name = line.name_before(place.start);
    let alone = line.ends_at(place.end) && (name.is_some() || place.start == line.start_of_words());
    let kind = kind_of(&expr)?;
    if kind == AnnotationKind::Shape && !alone {
        return None;
    }
    expr.shift(place.start);
    Some(Annotation {
        kind,
        name,
        expr,
        alone,
    })
}

/// The statement of a tree, if it is clearly of the notation.
fn kind_of(expr: &Expr) -> Option<AnnotationKind> {
    let is_layout = match &expr.kind {
        ExprKind::Layout(shape, stride) => is_layout(shape, stride),
        ExprKind::Composition(parts) => is_composition(parts),
        ExprKind::Swizzle(..) => true,
        ExprKind::Tuple(modes) => {
            let is_shape = modes.len() > 1 && modes.iter().all(is_mode);
            return is_shape.then_some(AnnotationKind::Shape);
        }
        _ => false,
    };
    is_layout.then_some(AnnotationKind::Layout)
}

/// `swizzle o offset o layout`, `pointer o layout`, `layout o layout`.
fn is_composition(parts: &[Expr]) -> bool {
    let Some((last, before)) = parts.split_last() else {
        return false;
    };
    let ends_in_layout = match &last.kind {
        ExprKind::Layout(shape, stride) => congruent(shape, stride),
        _ => false,
    };
    ends_in_layout
        && before.iter().all(|part| match &part.kind {
            // The name of an iterator: `UMMA::DescriptorIterator`, as CuTe prints it.
            ExprKind::Name(_)
            | ExprKind::Swizzle(..)
            | ExprKind::Engine(_)
            | ExprKind::Int(_)
            | ExprKind::Static(_) => true,
            ExprKind::Layout(shape, stride) => congruent(shape, stride),
            ExprKind::Tuple(modes) => modes.iter().all(is_mode),
            // `ArithTuple(0,0)`
            ExprKind::Call(callee, _) => callee.as_path().is_some(),
            _ => false,
        })
}

fn is_layout(shape: &Expr, stride: &Expr) -> bool {
    if !congruent(shape, stride) {
        return false;
    }
    let mut leaves = Leaves::default();
    leaves.count(shape);
    let extents = leaves.all;
    leaves.count(stride);
    let written_static = leaves.fixed == leaves.all;
    leaves.numbers > 0 && (extents > 1 || written_static || leaves.bases > 0)
}

/// Whether shape and stride have the same brackets, with extents and steps for leaves.
fn congruent(shape: &Expr, stride: &Expr) -> bool {
    match (&shape.kind, &stride.kind) {
        (ExprKind::Tuple(shapes), ExprKind::Tuple(strides)) => {
            shapes.len() == strides.len()
                && shapes
                    .iter()
                    .zip(strides)
                    .all(|(shape, stride)| congruent(shape, stride))
        }
        (ExprKind::Tuple(_), _) | (_, ExprKind::Tuple(_)) => false,
        _ => is_extent(shape) && is_step(stride),
    }
}

/// Numbers of leaves of a tree of shape and stride, by their kinds.
#[derive(Default)]
struct Leaves {
    all: usize,
    numbers: usize,
    fixed: usize,
    bases: usize,
}

impl Leaves {
    fn count(&mut self, expr: &Expr) {
        if let ExprKind::Tuple(modes) = &expr.kind {
            for mode in modes {
                self.count(mode);
            }
            return;
        }
        self.all += 1;
        match &expr.kind {
            ExprKind::Static(_) => {
                self.fixed += 1;
                self.numbers += 1;
            }
            ExprKind::Basis(..) => {
                self.bases += 1;
                self.numbers += 1;
            }
            ExprKind::Int(_) | ExprKind::Unary(..) => self.numbers += 1,
            _ => {}
        }
    }
}

/// A mode of a shape comment.
fn is_mode(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Tuple(modes) => modes.iter().all(is_mode),
        ExprKind::Basis(..) => true,
        _ => is_extent(expr) || matches!(expr.kind, ExprKind::Int(0) | ExprKind::Static(0)),
    }
}

/// A number of at least 1, a name, or arithmetic of them.
fn is_extent(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(value) | ExprKind::Static(value) => *value > 0,
        _ => is_symbolic(expr),
    }
}

fn is_step(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Static(_) | ExprKind::Basis(..) | ExprKind::Xor(_) => true,
        ExprKind::Unary(UnaryOp::Minus, operand) => matches!(operand.kind, ExprKind::Int(_)),
        _ => is_symbolic(expr),
    }
}

fn is_symbolic(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(path) => is_plain(path),
        ExprKind::Unknown(_) => true,
        ExprKind::Binary(
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
            left,
            right,
        ) => is_operand(left) && is_operand(right),
        ExprKind::Call(callee, args) => {
            callee.as_path().is_some_and(is_plain) && args.iter().all(is_operand)
        }
        _ => false,
    }
}

fn is_operand(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Tuple(modes) => modes.iter().all(is_operand),
        _ => is_extent(expr),
    }
}

/// A single name without template arguments.
fn is_plain(path: &Path) -> bool {
    matches!(path.qualifier, Qualifier::None)
        && matches!(path.segments.as_slice(), [segment] if segment.args.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        annotations(text, Span::new(0, text.len()))
            .iter()
            .map(|annotation| {
                let name = annotation
                    .name
                    .as_ref()
                    .map_or(String::new(), |name| format!("{}: ", name.name));
                let mark = match annotation.kind {
                    AnnotationKind::Layout => "layout",
                    AnnotationKind::Shape => "shape",
                };
                let alone = if annotation.alone { "" } else { " in prose" };
                format!("{name}{} {mark}{alone}", annotation.expr.span.text(text))
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(found(text), expected, "{text}");
    }

    #[test]
    fn what_cute_prints() {
        check(" ((2,2),4):((1,8),2)", &["((2,2),4):((1,8),2) layout"]);
        check(
            " Sw<3,4,3> o 0 o (8,64):(64,1)",
            &["Sw<3,4,3> o 0 o (8,64):(64,1) layout"],
        );
        check(
            " gA:\tgmem_ptr[16b](ADDR + offset) o (_128,_64,4):(256,_1,_64)",
            &["gA: gmem_ptr[16b](ADDR + offset) o (_128,_64,4):(256,_1,_64) layout"],
        );
        check(
            " sA: Sw<3,4,3>_smem_ptr[16b](PTR) o (_8,_16):(_64,_1)",
            &["sA: Sw<3,4,3>_smem_ptr[16b](PTR) o (_8,_16):(_64,_1) layout"],
        );
        check(
            " Sw<3,4,3> o smem_ptr[16b](unset) o ((_128,_16),_1,_4):((_64,_1),_0,_16)",
            &["Sw<3,4,3> o smem_ptr[16b](unset) o ((_128,_16),_1,_4):((_64,_1),_0,_16) layout"],
        );
        check(
            " ArithTuple(_0,0) o (_128,_64):(_1@1,_1@0)",
            &["ArithTuple(_0,0) o (_128,_64):(_1@1,_1@0) layout"],
        );
        check(
            " t: UMMA::DescriptorIterator o (_1,_1,_4):(_0,_0,_2)",
            &["t: UMMA::DescriptorIterator o (_1,_1,_4):(_0,_0,_2) layout"],
        );
        check(" ThrID: _2:_1", &["ThrID: _2:_1 layout"]);
        check(" tma = 4:1@0", &["tma: 4:1@0 layout"]);
    }

    #[test]
    fn in_the_middle_of_a_sentence() {
        check(
            "the layout (4,8):(1,4) of A, not (4,8):(8,1).",
            &["(4,8):(1,4) layout in prose", "(4,8):(8,1) layout in prose"],
        );
        check(
            "composition((8,4):(1,8), 2) (see (4,8):(8,1))",
            &["(8,4):(1,8) layout in prose", "(4,8):(8,1) layout in prose"],
        );
        check("swizzled by Sw<3,3,3> here", &["Sw<3,3,3> layout in prose"]);
        check("(M,N):(N,1) row-major", &["(M,N):(N,1) layout in prose"]);
    }

    #[test]
    fn shapes_count_where_nothing_else_is_said() {
        check(" (MMA,MMA_M,MMA_K)", &["(MMA,MMA_M,MMA_K) shape"]);
        check(" (BLK_M, BLK_K, PIPE).", &["(BLK_M, BLK_K, PIPE) shape"]);
        check(
            " ((MMA_M, MMA_K), 4, 2*N)",
            &["((MMA_M, MMA_K), 4, 2*N) shape"],
        );
        check(
            " shape_A:  ((_128,_16),_1,_4)",
            &["shape_A: ((_128,_16),_1,_4) shape"],
        );
        check(" (MMA=4, MMA_M, MMA_N)", &["(MMA=4, MMA_M, MMA_N) shape"]);
        check(" (nrow=(2, MMA_M), k)", &["(nrow=(2, MMA_M), k) shape"]);
        check("/ (M,N)", &["(M,N) shape"]);
        check(" (M,N) -> (m,n,l)", &[]);
        check(" the tile (M,N)", &[]);
        check(" (a)", &[]);
        check(" (M,N,...)", &[]);
    }

    #[test]
    fn what_only_looks_like_one() {
        for text in [
            "(a, b) : (c, d)",
            "cond ? (1, 2) : (3, 4)",
            "f(x) : (y)",
            "f(1, 2):(3, 4)",
            "at 10:30, ratio 16:9, 4:1",
            "https://example.org/a(1,2):(3,4)x",
            "{(1, 2): (3, 4)}",
            "(0, 1):(2, 3)",
            "(4, 8):(1)",
            "case (1): (2)",
            "std::pair<int, int>:(3)",
            "(see (1): (2))",
            "version 1.2:3",
            "S<int>",
            "a o b",
            "x = (y == (1, 2)) : (z)",
            "two o'clock o (see)",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn spans_are_of_the_source_and_lines_are_apart() {
        let text = "/* a: (2,2):(1,2)\n * (4,2):(2,1) é\n */";
        let all = annotations(text, Span::new(2, text.len() - 2));
        let texts: Vec<&str> = all.iter().map(|a| a.expr.span.text(text)).collect();
        assert_eq!(texts, ["(2,2):(1,2)", "(4,2):(2,1)"]);
        assert!(all[0].alone && !all[1].alone);
    }

    #[test]
    fn a_hostile_line_takes_linear_time() {
        for part in [
            "(", "(1,2):", "((((((1)", "a o ", "Sw<", "_1:", "x[", "(a o ",
        ] {
            let text = part.repeat(200_000);
            assert!(
                annotations(&text, Span::new(0, text.len())).is_empty(),
                "{part}"
            );
        }
        let nested = "(".repeat(100_000) + &")".repeat(100_000);
        assert!(annotations(&nested, Span::new(0, nested.len())).is_empty());
    }
}
