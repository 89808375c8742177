//! Layouts that are written out by hand: a table of offsets, an index computed from loop variables.
//! Each has a rewrite that says the layout instead, where one has exactly these numbers.

use std::collections::BTreeMap;

use cute_algebra::Layout;
use cute_algebra::infer::layout_of;
use cute_analysis::{Analysis, CppForm, Edit, Options, Value, evaluate, layout_in_cpp};
use tree_sitter_cute::cuda;
use tree_sitter_cute::tree::{
    BinaryOp, Binding, Expr, ExprKind, Ident, Item, ItemKind, Loop, Span, UnaryOp, Unit, Visitor,
    walk_expr, walk_item, walk_unit,
};

use super::rewrites::{Kind, Rewrite};

/// Coordinates that are compared, all of them.
const MOST: i64 = 4_096;

/// Fewer entries than this are not table.
const FEWEST: usize = 4;

/// Proposals for the table or the index expression at a byte.
pub fn rewrites(analysis: &Analysis, unit: &Unit, text: &str, byte: usize) -> Vec<Rewrite> {
    let mut seen = Seen::at(byte, analysis);
    walk_unit(&mut seen, unit);
    let table = seen.table.as_ref();
    let table = table.and_then(|table| of_table(table, unit, text));
    let index = seen.index.as_ref();
    let index = index.and_then(|index| of_index(index, &seen.ranges, text));
    table.into_iter().chain(index).collect()
}

/// The surroundings of a byte.
struct Seen<'a> {
    byte: usize,
    analysis: &'a Analysis,
    /// Loop variables that count from 0, with the number at which they end.
    ranges: BTreeMap<String, i64>,
    table: Option<Table>,
    /// The largest arithmetic expression.
    index: Option<Expr>,
}

/// A table of numbers.
struct Table {
    name: Ident,
    /// Type, name and initialiser.
    whole: Span,
    offsets: Vec<i64>,
}

impl<'a> Seen<'a> {
    fn at(byte: usize, analysis: &'a Analysis) -> Self {
        Self {
            byte,
            analysis,
            ranges: BTreeMap::new(),
            table: None,
            index: None,
        }
    }

    /// The number that an expression is known to be.
    fn number(&self, expr: &Expr) -> Option<i64> {
        if let ExprKind::Int(value) = expr.kind {
            return Some(value);
        }
        let mut mentions = self.analysis.mentions().iter();
        let mention = mentions.find(|mention| mention.span == expr.span)?;
        match &*mention.value {
            Value::Int(int) if int.is_static() => int.value(),
            _ => None,
        }
    }

    /// `for (int i = 0; i < 8; ++i)`: the variable and its end.
    fn range_of(&self, repeat: &Loop) -> Option<(String, i64)> {
        let [
            Item {
                kind: ItemKind::Binding(binding),
                ..
            },
        ] = repeat.init.as_slice()
        else {
            return None;
        };
        let name = binding.name.as_ref()?.name.as_str();
        let is_variable = |expr: &Expr| expr.as_plain_name() == Some(name);
        let starts_at_zero = matches!(binding.init.as_ref()?.kind, ExprKind::Int(0));
        let ExprKind::Binary(BinaryOp::Lt, left, end) = &repeat.condition.as_ref()?.kind else {
            return None;
        };
        let counts = match &repeat.step.as_ref()?.kind {
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, counted) => {
                is_variable(counted)
            }
            _ => false,
        };
        let end = self.number(end)?;
        let mut writes = Writes { name, found: false };
        repeat.body.iter().for_each(|item| writes.item(item));
        (starts_at_zero && counts && is_variable(left) && end > 0 && !writes.found)
            .then(|| (name.to_owned(), end))
    }
}

impl Visitor for Seen<'_> {
    fn item(&mut self, item: &Item) {
        if !item.span.contains(self.byte) {
            return;
        }
        match &item.kind {
            ItemKind::Loop(repeat) => self.ranges.extend(self.range_of(repeat)),
            ItemKind::Binding(binding) => self.table = table_of(binding),
            _ => {}
        }
        walk_item(self, item);
    }

    fn expr(&mut self, expr: &Expr) {
        if !expr.span.contains(self.byte) {
            return;
        }
        if self.index.is_none() && matches!(expr.kind, ExprKind::Binary(..)) {
            let at_zero = |_: &str| Some(0);
            let is_index = value(expr, &at_zero).is_some() && operators(expr) > 1;
            self.index = is_index.then(|| expr.clone());
        }
        walk_expr(self, expr);
    }
}

/// Whether a variable is written to.
struct Writes<'n> {
    name: &'n str,
    found: bool,
}

impl Visitor for Writes<'_> {
    fn expr(&mut self, expr: &Expr) {
        let target = match &expr.kind {
            ExprKind::Assign(assignment) => Some(&assignment.target),
            ExprKind::Unary(op, target) if op.may_change() => Some(&**target),
            _ => None,
        };
        self.found |= target.is_some_and(|target| target.as_plain_name() == Some(self.name));
        walk_expr(self, expr);
    }
}

fn table_of(binding: &Binding) -> Option<Table> {
    let init = binding.init.as_ref()?;
    let items = match &init.kind {
        ExprKind::Braced(items) => items,
        ExprKind::Construct { args, braces, .. } if *braces => args,
        _ => return None,
    };
    let offsets: Vec<i64> = items
        .iter()
        .map(|item| match item.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let ty = binding.ty.as_ref()?;
    (offsets.len() >= FEWEST && matches!(ty.kind, ExprKind::Array(..))).then(|| Table {
        name: binding.name.clone().unwrap_or_else(|| Ident {
            name: String::new(),
            span: binding.span,
        }),
        whole: Span::new(ty.span.start, init.span.end),
        offsets,
    })
}

/// `auto table = make_layout(..);`, with `table(i)` wherever `table[i]` was; not where the table is used
/// otherwise.
fn of_table(table: &Table, unit: &Unit, text: &str) -> Option<Rewrite> {
    let layout = layout_of(&table.offsets).ok()?;
    let mut uses = Uses {
        name: &table.name,
        names: 0,
        brackets: Vec::new(),
    };
    walk_unit(&mut uses, unit);
    // Each name but the declared one is before brackets.
    if uses.names != uses.brackets.len() {
        return None;
    }
    let value = format!("auto {} = {}", table.name.name, proved(&layout)?);
    let mut pieces = vec![(table.whole, value)];
    for (open, close) in uses.brackets {
        pieces.push((open, "(".to_owned()));
        pieces.push((close, ")".to_owned()));
    }
    pieces.sort_by_key(|(span, _)| span.start);
    let (mut new_text, mut at) = (String::new(), table.whole.start);
    for (span, piece) in pieces {
        new_text.push_str(text.get(at..span.start)?);
        new_text.push_str(&piece);
        at = span.end;
    }
    Some(Rewrite {
        title: format!(
            "Replace the table {} with the layout {layout}",
            table.name.name
        ),
        kind: Kind::Infer,
        edit: Edit {
            span: Span::new(table.whole.start, at),
            new_text,
        },
        name: table.name.span,
    })
}

/// A layout in C++, if the values of is written it.
fn proved(layout: &Layout) -> Option<String> {
    let written = layout_in_cpp(layout, CppForm::Call)?;
    let expr = cuda::parse_expression(&written).ok()?;
    let value = evaluate(&expr, &Options::default()).value;
    matches!(value, Value::Layout(found) if *found == *layout).then_some(written)
}

/// The uses of a table.
struct Uses<'t> {
    name: &'t Ident,
    names: usize,
    /// The brackets behind the name.
    brackets: Vec<(Span, Span)>,
}

impl Visitor for Uses<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Index(base, args) = &expr.kind
            && base.as_plain_name() == Some(&self.name.name)
            && let [index] = args.as_slice()
        {
            let open = Span::new(base.span.end, index.span.start);
            self.brackets
                .push((open, Span::new(index.span.end, expr.span.end)));
        }
        walk_expr(self, expr);
    }

    fn ident(&mut self, ident: &Ident) {
        self.names += usize::from(ident.name == self.name.name && ident.span != self.name.span);
    }
}

/// `make_layout(..)(i, j)` in the place of an expression of loop variables.
fn of_index(expr: &Expr, ranges: &BTreeMap<String, i64>, text: &str) -> Option<Rewrite> {
    let mut names: Vec<String> = Vec::new();
    variables(expr, &mut names);
    let extents: Vec<i64> = names
        .iter()
        .map(|name| ranges.get(name).copied())
        .collect::<Option<_>>()?;
    let size = extents
        .iter()
        .try_fold(1_i64, |size, extent| size.checked_mul(*extent))?;
    if names.is_empty() || size > MOST {
        return None;
    }
    let at = |coordinates: &[i64]| {
        let place = |name: &str| {
            let index = names.iter().position(|known| known == name)?;
            coordinates.get(index).copied()
        };
        value(expr, &place)
    };
    // Each variable alone gives a mode; the sum of the modes has to be the whole.
    let mut modes: Vec<Layout> = Vec::new();
    for (index, extent) in extents.iter().enumerate() {
        let alone: Vec<i64> = (0..*extent)
            .map(|number| {
                let mut coordinates = vec![0; extents.len()];
                *coordinates.get_mut(index)? = number;
                at(&coordinates)
            })
            .collect::<Option<_>>()?;
        modes.push(layout_of(&alone).ok()?);
    }
    for whole in 0..size {
        let (mut rest, mut coordinates) = (whole, Vec::with_capacity(extents.len()));
        for extent in &extents {
            coordinates.push(rest % extent);
            rest /= extent;
        }
        let sum = modes
            .iter()
            .zip(&coordinates)
            .try_fold(0_i64, |sum, (mode, number)| {
                sum.checked_add(mode.eval_number(*number).ok()?)
            });
        if sum.is_none() || sum != at(&coordinates) {
            return None;
        }
    }
    let layout = match modes.as_slice() {
        [only] => only.clone(),
        modes => {
            let all =
                |of: &dyn Fn(&Layout) -> String| modes.iter().map(of).collect::<Vec<_>>().join(",");
            let shapes = all(&|mode| mode.shape().to_string());
            let strides = all(&|mode| mode.stride().to_string());
            format!("({shapes}):({strides})").parse().ok()?
        }
    };
    let call = format!("{}({})", proved(&layout)?, names.join(", "));
    Some(Rewrite {
        title: format!("Replace {} with the layout {layout}", expr.span.text(text)),
        kind: Kind::Infer,
        edit: Edit {
            span: expr.span,
            new_text: call,
        },
        name: expr.span,
    })
}

/// The variables of an expression, as they come.
fn variables(expr: &Expr, names: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Binary(_, left, right) => {
            variables(left, names);
            variables(right, names);
        }
        _ => {
            if let Some(name) = expr.as_plain_name()
                && !names.iter().any(|known| known == name)
            {
                names.push(name.to_owned());
            }
        }
    }
}

fn operators(expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::Binary(_, left, right) => 1 + operators(left) + operators(right),
        _ => 0,
    }
}

/// The value of an expression of integers and variables. Numbers are not negative, so that quotients
/// and bits are as everywhere.
fn value(expr: &Expr, variable: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let found = match &expr.kind {
        ExprKind::Int(value) => *value,
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (value(left, variable)?, value(right, variable)?);
            match op {
                BinaryOp::Add => left.checked_add(right)?,
                BinaryOp::Mul => left.checked_mul(right)?,
                BinaryOp::Div => left.checked_div(right)?,
                BinaryOp::Rem => left.checked_rem(right)?,
                BinaryOp::Shl => {
                    left.checked_mul(1_i64.checked_shl(u32::try_from(right).ok()?)?)?
                }
                BinaryOp::Shr => left.checked_shr(u32::try_from(right).ok()?)?,
                BinaryOp::BitAnd => left & right,
                BinaryOp::BitOr => left | right,
                BinaryOp::BitXor => left ^ right,
                _ => return None,
            }
        }
        _ => variable(expr.as_plain_name()?)?,
    };
    (0..=i64::from(i32::MAX)).contains(&found).then_some(found)
}

#[cfg(test)]
mod tests {
    use cute_analysis::{Alone, SourceFile, analyse};
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    /// The text after the rewrite at a place, if there is one that holds.
    fn rewritten(text: &str, at: &str) -> Option<String> {
        let analysed = |text: &str| {
            let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
            let file = SourceFile::analysed("test.cu", text, syntax.lower(text));
            let analysis = analyse(&file, &Alone, &Options::default());
            (analysis, syntax.lower(text))
        };
        let (before, unit) = analysed(text);
        let found = rewrites(&before, &unit, text, text.find(at).unwrap());
        let found = found.first()?;
        let mut edited = text.to_owned();
        edited.replace_range(
            found.edit.span.start..found.edit.span.end,
            &found.edit.new_text,
        );
        assert!(found.holds(&before, &analysed(&edited).0), "{edited}");
        Some(edited)
    }

    #[test]
    fn a_table_is_the_layout_with_its_offsets() {
        let text = "using namespace cute;\nvoid f(int i) {\n  \
                    constexpr int order[8] = {0, 4, 1, 5, 2, 6, 3, 7};\n  int x = order[i + 1];\n}\n";
        let edited = rewritten(text, "order").unwrap();
        assert!(
            edited.contains(
                "constexpr auto order = make_layout(make_shape(Int<2>{}, Int<4>{}), make_stride(Int<4>{}, Int<1>{}));\n  int x = order(i + 1);"
            ),
            "{edited}"
        );
        // Used as an array, it stays one.
        let other = text.replace("order[i + 1]", "*order");
        assert_eq!(rewritten(&other, "order"), None);
        // No layout has these.
        let other = text.replace("3, 7}", "3, 8}");
        assert_eq!(rewritten(&other, "order"), None);
    }

    #[test]
    fn an_index_of_loop_variables_is_a_layout_of_them() {
        let text = "using namespace cute;\nvoid f(float* p) {\n  \
                    for (int i = 0; i < 8; ++i) {\n    for (int j = 0; j < 16; j++) {\n      \
                    p[(i % 4) * 32 + i / 4 + j * 2] = 0;\n    }\n  }\n}\n";
        let edited = rewritten(text, "% 4").unwrap();
        assert!(
            edited.contains(
                "p[make_layout(make_shape(make_shape(Int<4>{}, Int<2>{}), Int<16>{}), make_stride(make_stride(Int<32>{}, Int<1>{}), Int<2>{}))(i, j)]"
            ),
            "{edited}"
        );
        // Not the sum of the terms of each variable; an end that is known only at run time; a variable that jumps.
        for (from, to) in [("+ j * 2", "^ j"), ("i < 8", "i < n"), ("] = 0", "] = i++")] {
            let other = text.replace(from, to);
            assert_eq!(rewritten(&other, "% 4"), None, "{other}");
        }
    }
}
