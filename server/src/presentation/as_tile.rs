//! A plain access to a part of a matrix as one to a tile of CuTe: `a[(blockIdx.y * 32 + threadIdx.y) * lda + k + threadIdx.x]` is
//! `local_tile(make_tensor(..), make_shape(..), make_coord(blockIdx.y, k / 8))(threadIdx.y, threadIdx.x)`.

use cute_algebra::symbol::Expression;
use cute_analysis::{AccessLayout, AccessMap, AccessSpace, Analysis, Edit};
use tree_sitter_cute::tree::{BinaryOp, ExprKind, Item, ItemKind, Span, Unit, Visitor, walk_item};

use super::as_cute::{Words, in_cpp, subscripted, taken};
use super::rewrites::{Kind, Rewrite};

/// The proposal for the access at a byte.
pub fn rewrite(analysis: &Analysis, unit: &Unit, text: &str, byte: usize) -> Option<Rewrite> {
    let (access, map, _, rank) = subscripted(analysis, unit, byte)?;
    if rank != 1 {
        return None;
    }
    let array = &access.memory;
    let loops = Counters::around(unit, text, access.span);
    let tile = candidates(map)?
        .into_iter()
        .find_map(|stride| Tile::of(map, stride, &loops))?;
    let words = Words::of(unit);
    let pointer = match access.space {
        AccessSpace::Global => "make_gmem_ptr",
        AccessSpace::Shared => "make_smem_ptr",
    };
    let written = tile.written(&words, &format!("{}({array})", words.named(pointer)))?;
    Some(Rewrite {
        title: format!(
            "Write the access as an element of a tile of CuTe: {} by {} at ({}, {})",
            tile.rows.extent, tile.columns.extent, tile.rows.at, tile.columns.at
        ),
        kind: Kind::AsCute,
        edit: Edit {
            span: access.span,
            new_text: written,
        },
        name: access.span,
    })
}

/// A mode of threads or passes: as C++ writes its index, with its extent and stride.
struct Entry {
    index: String,
    extent: i64,
    stride: Expression,
}

/// The strides that may be those of the rows: the symbolic one, or each number above 1.
fn candidates(map: &AccessMap) -> Option<Vec<Expression>> {
    let entries = entries(map)?;
    let symbolic = entries
        .iter()
        .find(|entry| entry.stride.as_known().is_none());
    if let Some(entry) = symbolic {
        let symbols = entry.stride.symbols();
        let [name] = symbols.as_slice() else {
            return None;
        };
        let least = entry.stride.least_of(name)?;
        return Some(vec![Expression::symbol(name, least)]);
    }
    let mut strides: Vec<i64> = entries
        .iter()
        .filter_map(|entry| entry.stride.as_known())
        .filter(|stride| *stride > 1)
        .collect();
    strides.sort_unstable();
    strides.dedup();
    Some(strides.into_iter().map(Expression::known).collect())
}

/// The modes of an access that are not the same place again.
fn entries(map: &AccessMap) -> Option<Vec<Entry>> {
    let (block, _) = map.block?;
    let Some(AccessLayout::Strided(modes)) = &map.layout else {
        return None;
    };
    let (threads, loops) = modes.split_first()?;
    let mut rest: Vec<(i64, Expression)> = threads.iter().rev().cloned().collect();
    let mut all = Vec::new();
    for (axis, extent) in ["x", "y", "z"].into_iter().zip(block) {
        let parts = taken(&mut rest, extent)?;
        add(&mut all, &format!("threadIdx.{axis}"), &parts);
    }
    for (mode, (name, _)) in loops.iter().zip(&map.loops) {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        if !name.chars().all(is_name) {
            return None;
        }
        add(&mut all, name, mode);
    }
    Some(all)
}

/// Adds the parts of one index, each with the digits of it that it takes.
fn add(all: &mut Vec<Entry>, name: &str, parts: &[(i64, Expression)]) {
    let mut below = 1;
    for (place, (extent, stride)) in parts.iter().enumerate() {
        let over = match below {
            1 => name.to_owned(),
            below => format!("{name} / {below}"),
        };
        let index = match parts.len() {
            1 => over,
            parts if place + 1 == parts => format!("({over})"),
            _ => format!("({over} % {extent})"),
        };
        below *= extent;
        if *extent > 1 && stride.as_known() != Some(0) {
            all.push(Entry {
                index,
                extent: *extent,
                stride: stride.clone(),
            });
        }
    }
}

/// One direction of a tile.
struct Side {
    /// Elements of the tile.
    extent: i64,
    /// The coordinate of the tile, as C++.
    at: String,
    /// The coordinate in the tile, as C++.
    within: String,
    /// The elements of the matrix, as C++, where the place of the tile says it.
    whole: Option<String>,
}

/// A tile of a matrix, with the distance of its rows.
struct Tile {
    stride: Expression,
    rows: Side,
    columns: Side,
}

impl Tile {
    /// The tile of an access to rows that are this far apart.
    fn of(map: &AccessMap, stride: Expression, loops: &Counters<'_>) -> Option<Self> {
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        for entry in entries(map)? {
            match (factor(&entry.stride, &stride), entry.stride.as_known()) {
                (Some(factor), _) => rows.push((entry, factor)),
                (None, Some(step)) => columns.push((entry, step)),
                (None, None) => return None,
            }
        }
        let base = map.base.as_ref()?;
        let (above, beside) = split(base, &stride)?;
        if above.is_nothing() && beside.is_nothing() {
            return None;
        }
        let mut tile = Self {
            rows: side(&rows, &above, loops)?,
            columns: side(&columns, &beside, loops)?,
            stride,
        };
        if beside.terms.is_empty() {
            // Rows without gaps are one row.
            if tile.stride.as_known() == Some(tile.columns.extent) {
                return None;
            }
            tile.columns.whole = None;
        }
        let is_within = tile
            .stride
            .as_known()
            .is_none_or(|stride| tile.columns.extent <= stride);
        is_within.then_some(tile)
    }

    fn written(&self, words: &Words, pointer: &str) -> Option<String> {
        let named = |word| words.named(word);
        let stride = match self.stride.as_known() {
            Some(known) => words.number(known),
            None => in_cpp(&self.stride)?,
        };
        let (rows, columns) = (&self.rows, &self.columns);
        let whole = rows.whole.clone()?;
        let whole = match &columns.whole {
            Some(columns) => format!("{whole}, {columns}"),
            None => format!("{whole}, {stride}"),
        };
        Some(format!(
            "{}({}({pointer}, {}({}({whole}), {}({stride}, {}))), {}({}, {}), {}({}, {}))({}, {})",
            named("local_tile"),
            named("make_tensor"),
            named("make_layout"),
            named("make_shape"),
            named("make_stride"),
            words.number(1),
            named("make_shape"),
            words.number(rows.extent),
            words.number(columns.extent),
            named("make_coord"),
            rows.at,
            columns.at,
            rows.within,
            columns.within
        ))
    }
}

/// The number of rows that a stride is.
fn factor(stride: &Expression, row: &Expression) -> Option<i64> {
    let factor = stride.quotient(row)?.as_known()?;
    let again = row.scale(factor)?;
    (factor > 0 && again == *stride).then_some(factor)
}

/// A sum of multiples of symbols.
struct Linear {
    terms: Vec<(String, i64)>,
    rest: i64,
}

impl Linear {
    fn of(expression: &Expression) -> Option<Self> {
        let zero = |_: &str| Some(Expression::known(0));
        let rest = expression.substitute(&zero)?.as_known()?;
        let mut terms = Vec::new();
        let mut sum = Expression::known(rest);
        for name in expression.symbols() {
            let one = |other: &str| Some(Expression::known(i64::from(*other == *name)));
            let by = expression.substitute(&one)?.as_known()?.checked_sub(rest)?;
            let symbol = Expression::symbol(&name, expression.least_of(&name)?);
            sum = sum.add(&symbol.scale(by)?)?;
            terms.push((name.to_string(), by));
        }
        (sum == *expression).then_some(Self { terms, rest })
    }

    fn is_nothing(&self) -> bool {
        self.terms.is_empty() && self.rest == 0
    }
}

/// The rows and the columns before the tile.
fn split(base: &Expression, stride: &Expression) -> Option<(Linear, Linear)> {
    let Some(known) = stride.as_known() else {
        let symbols = stride.symbols();
        let name = symbols.first()?;
        let at = |value| {
            base.substitute(&|other| {
                let least = base.least_of(other).unwrap_or(0);
                Some(if *other == **name {
                    Expression::known(value)
                } else {
                    Expression::symbol(other, least)
                })
            })
        };
        let beside = at(0)?;
        let above = at(1)?.sub(&beside)?;
        let again = above.mul(stride)?.add(&beside)?;
        return if again == *base {
            Some((Linear::of(&above)?, Linear::of(&beside)?))
        } else {
            None
        };
    };
    let all = Linear::of(base)?;
    let (above, beside): (Vec<_>, Vec<_>) =
        all.terms.into_iter().partition(|(_, by)| by % known == 0);
    let above = above.into_iter().map(|(name, by)| (name, by / known));
    Some((
        Linear {
            terms: above.collect(),
            rest: all.rest / known,
        },
        Linear {
            terms: beside,
            rest: all.rest % known,
        },
    ))
}

/// One direction of a tile: its modes with their steps, and what is before it.
fn side(modes: &[(Entry, i64)], before: &Linear, loops: &Counters<'_>) -> Option<Side> {
    let reach = |sum: i64, (entry, step): &(Entry, i64)| {
        (entry.extent - 1).checked_mul(*step)?.checked_add(sum)
    };
    let needed = modes.iter().try_fold(1, reach)?;
    // Loops count elements; whether they go from tile to tile is proved with the edit.
    let is_counted = |name: &str| loops.bound(name).is_some();
    let fixed = before.terms.iter().filter(|(name, _)| !is_counted(name));
    let steps = fixed.map(|(_, by)| *by).chain([before.rest]);
    let extent = match steps.fold(0, greatest_common_divisor) {
        0 => needed,
        step => step,
    };
    if extent < needed {
        return None;
    }
    let mut at = Vec::new();
    let mut whole = Vec::new();
    for (name, by) in &before.terms {
        if let Some(bound) = loops.bound(name) {
            let tiles = extent.checked_div(*by).filter(|_| extent % by == 0)?;
            at.push(if tiles == 1 {
                name.clone()
            } else {
                format!("{name} / {tiles}")
            });
            whole.push(match by {
                1 => bound.to_owned(),
                by => format!("({bound}) * {by}"),
            });
            continue;
        }
        let axis = name.strip_prefix("blockIdx.")?;
        at.push(times(by / extent, name));
        whole.push(times(*by, &format!("gridDim.{axis}")));
    }
    if before.rest != 0 {
        at.push((before.rest / extent).to_string());
    }
    let within: Vec<String> = modes
        .iter()
        .map(|(entry, step)| times(*step, &entry.index))
        .collect();
    Some(Side {
        extent,
        at: sum(&at),
        within: sum(&within),
        whole: match whole.as_slice() {
            [] => Some(extent.to_string()),
            [only] => Some(only.clone()),
            _ => None,
        },
    })
}

fn times(factor: i64, text: &str) -> String {
    match factor {
        1 => text.to_owned(),
        factor => format!("{factor} * {text}"),
    }
}

fn sum(parts: &[String]) -> String {
    if parts.is_empty() {
        "0".to_owned()
    } else {
        parts.join(" + ")
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The variables of the loops around an access, each with the text that bounds it.
struct Counters<'t> {
    text: &'t str,
    span: Span,
    bounds: Vec<(String, String)>,
}

impl<'t> Counters<'t> {
    fn around(unit: &Unit, text: &'t str, span: Span) -> Self {
        let mut found = Self {
            text,
            span,
            bounds: Vec::new(),
        };
        tree_sitter_cute::tree::walk_unit(&mut found, unit);
        found
    }

    fn bound(&self, name: &str) -> Option<&str> {
        let mut bounds = self.bounds.iter();
        let found = bounds.find(|(variable, _)| variable == name);
        found.map(|(_, bound)| bound.as_str())
    }
}

impl Visitor for Counters<'_> {
    fn item(&mut self, item: &Item) {
        if let ItemKind::Loop(repeat) = &item.kind
            && item.span.start <= self.span.start
            && self.span.end <= item.span.end
            && let Some(condition) = &repeat.condition
            && let ExprKind::Binary(BinaryOp::Lt, variable, bound) = &condition.kind
            && let Some(name) = variable.as_plain_name()
        {
            let bound = bound.span.text(self.text).to_owned();
            self.bounds.push((name.to_owned(), bound));
        }
        walk_item(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::super::as_cute::tests::analysed;
    use super::*;

    /// The statement after the rewrite of its first access to `a`, where it holds.
    fn rewritten(statement: &str) -> Option<String> {
        let head = "using namespace cute;\n__global__ void k(float* a, int lda, int K) {\n  ";
        let text = format!(
            "{head}{statement}\n}}\n\
             void run(float* a) {{ k<<<dim3(4, 8), dim3(8, 32)>>>(a, 512, 256); }}\n"
        );
        let at = head.len() + statement.find("a[").unwrap();
        let (before, unit) = analysed(&text);
        let found = rewrite(&before, &unit, &text, at)?;
        let mut edited = text.clone();
        let span = found.edit.span;
        edited.replace_range(span.start..span.end, &found.edit.new_text);
        let after = analysed(&edited).0;
        let end = edited.find("\n}\nvoid")?;
        let holds = found.holds(&before, &after);
        holds.then(|| edited[head.len()..end].to_owned())
    }

    #[test]
    fn a_part_of_a_matrix_is_a_tile() {
        for (statement, expected) in [
            (
                "a[(blockIdx.y * 32 + threadIdx.y) * lda + blockIdx.x * 8 + threadIdx.x] = 1;",
                "local_tile(make_tensor(make_gmem_ptr(a), make_layout(make_shape(32 * gridDim.y, 8 * gridDim.x), make_stride(lda, Int<1>{}))), \
                 make_shape(Int<32>{}, Int<8>{}), make_coord(blockIdx.y, blockIdx.x))(threadIdx.y, threadIdx.x) = 1;",
            ),
            // The tiles go along the columns.
            (
                "for (int k = 0; k < K; k += 8) a[(blockIdx.y * 32 + threadIdx.y) * lda + k + threadIdx.x] = 1;",
                "for (int k = 0; k < K; k += 8) local_tile(make_tensor(make_gmem_ptr(a), make_layout(make_shape(32 * gridDim.y, K), \
                 make_stride(lda, Int<1>{}))), make_shape(Int<32>{}, Int<8>{}), make_coord(blockIdx.y, k / 8))(threadIdx.y, threadIdx.x) = 1;",
            ),
            // They go along the rows, to the end of the loop.
            (
                "for (int k = 0; k < K; k += 32) a[(k + threadIdx.y) * lda + blockIdx.x * 8 + threadIdx.x] = 1;",
                "for (int k = 0; k < K; k += 32) local_tile(make_tensor(make_gmem_ptr(a), make_layout(make_shape(K, 8 * gridDim.x), \
                 make_stride(lda, Int<1>{}))), make_shape(Int<32>{}, Int<8>{}), make_coord(k / 32, blockIdx.x))(threadIdx.y, threadIdx.x) = 1;",
            ),
            // A row that is a number; the thread has several rows.
            (
                "for (int i = 0; i < 4; ++i) a[(blockIdx.y * 128 + threadIdx.y + i * 32) * 64 + blockIdx.x * 8 + threadIdx.x] = 1;",
                "for (int i = 0; i < 4; ++i) local_tile(make_tensor(make_gmem_ptr(a), make_layout(make_shape(128 * gridDim.y, 8 * gridDim.x), \
                 make_stride(Int<64>{}, Int<1>{}))), make_shape(Int<128>{}, Int<8>{}), make_coord(blockIdx.y, blockIdx.x))(threadIdx.y + 32 * i, threadIdx.x) = 1;",
            ),
            // A half of the rows of a tile.
            (
                "a[(blockIdx.y * 64 + 32 + threadIdx.y) * lda + threadIdx.x] = 1;",
                "local_tile(make_tensor(make_gmem_ptr(a), make_layout(make_shape(64 * gridDim.y, lda), make_stride(lda, Int<1>{}))), \
                 make_shape(Int<32>{}, Int<8>{}), make_coord(2 * blockIdx.y + 1, 0))(threadIdx.y, threadIdx.x) = 1;",
            ),
        ] {
            let expected = expected.replace("                 ", "");
            assert_eq!(
                rewritten(statement).as_deref(),
                Some(&*expected),
                "{statement}"
            );
        }
    }

    #[test]
    fn what_is_no_tile_is_left() {
        for statement in [
            // No part of something larger.
            "a[threadIdx.y * lda + threadIdx.x] = 1;",
            // Tiles that overlap.
            "a[(blockIdx.y * 30 + threadIdx.y) * lda + blockIdx.x * 8 + threadIdx.x] = 1;",
            // The loop does not go from tile to tile.
            "for (int k = 0; k < K; k += 4) a[(blockIdx.y * 32 + threadIdx.y) * lda + k + threadIdx.x] = 1;",
            // The columns go on into the next row.
            "a[(blockIdx.y * 32 + threadIdx.y) * 4 + blockIdx.x * 128 + threadIdx.x] = 1;",
            // Two strides.
            "a[(blockIdx.y * 32 + threadIdx.y) * lda + blockIdx.x * 8 + threadIdx.x * K] = 1;",
            // No matrix.
            "a[blockIdx.x * 256 + threadIdx.y * 8 + threadIdx.x] = 1;",
        ] {
            assert_eq!(rewritten(statement), None, "{statement}");
        }
    }
}
