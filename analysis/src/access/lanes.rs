//! The values of terms for all threads of a block, with the symbols that only the running program knows.

use std::rc::Rc;
use std::sync::Arc;

use cute_algebra::symbol::Expression;

use super::alike::Alike;
use super::describe::WARP;
use super::numbers::on_numbers;
use super::terms::{IntKind, Operator, SymbolId, SymbolKind, Term, TermId, Terms};
use super::text;
use crate::hash::HashMap;

/// Why a choice between two values has no value.
pub(super) const COMPARISON: &str = "a comparison with what only the running program knows";

/// Why some of the bits of a symbol have no value.
pub(super) const BITS: &str = "the bits of a run-time number";

/// Why an unsigned number has no value: it may have begun anew.
pub(super) const BELOW_ZERO: &str = "an unsigned number may be below 0 here";

/// Why a number that is too large has no value.
pub(super) const BEYOND: &str = "a number beyond 63 bits";

/// The value of a term for one thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    /// A number.
    Known(i64),
    /// A number in terms of symbols that are the same for all threads of the block; a symbol of one warp has its number.
    Open(Arc<Expression>),
    /// Not known, and why.
    Unknown(Arc<str>),
}

impl Cell {
    /// It as an expression; `None` where it is not known.
    pub(crate) fn expression(&self) -> Option<Expression> {
        match self {
            Self::Known(value) => Some(Expression::known(*value)),
            Self::Open(expression) => Some(Expression::clone(expression)),
            Self::Unknown(_) => None,
        }
    }

    fn of(expression: Option<Expression>) -> Self {
        match expression {
            Some(expression) => match expression.as_known() {
                Some(value) => Self::Known(value),
                None => Self::Open(Arc::new(expression)),
            },
            None => Self::Unknown("its symbolic terms are too many".into()),
        }
    }
}

/// The values of a term for all threads.
#[derive(Debug)]
pub(crate) enum Column {
    /// The same for all.
    One(Cell),
    /// One for each thread.
    Each(Vec<Cell>),
}

impl Column {
    /// The value for one thread.
    pub(crate) fn at(&self, thread: usize) -> &Cell {
        const NOTHING: &Cell = &Cell::Known(0);
        match self {
            Self::One(cell) => cell,
            Self::Each(cells) => cells.get(thread).unwrap_or(NOTHING),
        }
    }
}

/// Numbers for symbols.
pub(crate) type Fixed = HashMap<SymbolId, i64>;

/// Replacements of symbols.
pub(crate) type Names = HashMap<SymbolId, Expression>;

/// The values of terms for the threads of one block.
pub(crate) struct Lanes<'t> {
    terms: &'t Terms,
    block: [i64; 3],
    threads: usize,
    fixed: Fixed,
    names: &'t Names,
    columns: HashMap<TermId, Rc<Column>>,
    /// Values that were computed.
    pub(crate) work: usize,
}

impl<'t> Lanes<'t> {
    /// For blocks of this size, with these numbers for symbols.
    pub(crate) fn new(terms: &'t Terms, block: [i64; 3], fixed: Fixed, names: &'t Names) -> Self {
        let threads = usize::try_from(block.iter().product::<i64>()).unwrap_or(0);
        Self {
            terms,
            block,
            threads,
            fixed,
            names,
            columns: HashMap::default(),
            work: 0,
        }
    }

    /// Threads of the block.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The values of a term for all threads.
    pub(crate) fn column(&mut self, id: TermId) -> Rc<Column> {
        let is_known = |id: TermId| self.columns.contains_key(&id);
        let needed = self.terms.parts_but(id, is_known);
        for id in needed {
            let column = self.computed(id);
            self.columns.insert(id, Rc::new(column));
        }
        self.known(id)
    }

    fn known(&self, id: TermId) -> Rc<Column> {
        self.columns.get(&id).map_or_else(
            || Rc::new(Column::One(Cell::Unknown("it was not computed".into()))),
            Rc::clone,
        )
    }

    fn computed(&mut self, id: TermId) -> Column {
        let kind = self.terms.kind(id);
        match self.terms.term(id) {
            Term::Number(value) => Column::One(Cell::Known(*value)),
            Term::Unknown(why) => Column::One(Cell::Unknown(Arc::clone(why))),
            Term::Symbol(symbol) => self.symbol(*symbol),
            Term::Not(inner) => self.mapped(id, &[*inner], &|cells| match cells {
                [Cell::Known(value)] => Cell::Known(i64::from(*value == 0)),
                _ => unknown_of(cells),
            }),
            Term::Convert(inner) => {
                let from = self.terms.kind(*inner);
                self.mapped(id, &[*inner], &|cells| match cells {
                    [cell] => converted(cell, from, kind),
                    _ => unknown_of(cells),
                })
            }
            Term::Binary(operator, a, b) => {
                let (operator, of) = (*operator, self.terms.kind(*a));
                self.mapped(id, &[*a, *b], &|cells| match cells {
                    [a, b] => binary(operator, a, b, of),
                    _ => unknown_of(cells),
                })
            }
            Term::Select(condition, then, otherwise) => {
                if let Some(switch) = self.switch(*condition) {
                    return self.mapped(id, &[*then, *otherwise], &|cells| match cells {
                        [then, otherwise] => switched(&switch, then, otherwise),
                        _ => unknown_of(cells),
                    });
                }
                self.mapped(id, &[*condition, *then, *otherwise], &|cells| match cells {
                    [Cell::Known(0), _, otherwise] => Cell::clone(otherwise),
                    [Cell::Known(_), then, _] => Cell::clone(then),
                    [_, then, otherwise] if then == otherwise => Cell::clone(then),
                    _ => unknown_of(cells),
                })
            }
        }
    }

    /// A condition that is the same for all threads and that only the running program knows: 1 where it holds, else 0; and
    /// the other way round.
    fn switch(&self, condition: TermId) -> Option<(Expression, Expression)> {
        let column = self.known(condition);
        let Column::One(Cell::Open(_) | Cell::Unknown(_)) = &*column else {
            return None;
        };
        if self.terms.unknown_in(condition).is_some() {
            return None;
        }
        let (inner, negated) = match self.terms.term(condition) {
            Term::Not(inner) => (*inner, true),
            _ => (condition, false),
        };
        let text = text::of(self.terms, inner);
        let text = match self.terms.as_symbol(inner) {
            Some(_) => text,
            None => format!("({text})"),
        };
        let holds = Expression::symbol(&text, 0);
        let fails = Expression::symbol(&format!("(!{text})"), 0);
        Some(if negated {
            (fails, holds)
        } else {
            (holds, fails)
        })
    }

    fn symbol(&self, id: SymbolId) -> Column {
        if let Some(value) = self.fixed.get(&id) {
            return Column::One(Cell::Known(*value));
        }
        if let Some(name) = self.names.get(&id) {
            return Column::One(Cell::of(Some(name.clone())));
        }
        let Some(symbol) = self.terms.symbol(id) else {
            return Column::One(Cell::Unknown("a symbol of nothing".into()));
        };
        let of_axis = |axis: usize| self.block.get(axis).copied().unwrap_or(1);
        match symbol.kind {
            SymbolKind::BlockSize(axis) => Column::One(Cell::Known(of_axis(axis))),
            SymbolKind::Thread(axis) => {
                let before: i64 = self.block.iter().take(axis).product();
                let extent = of_axis(axis);
                let threads = i64::try_from(self.threads).unwrap_or(0);
                let index = |thread: i64| Cell::Known(thread / before.max(1) % extent.max(1));
                Column::Each((0..threads).map(index).collect())
            }
            SymbolKind::Trip(_) | SymbolKind::Uniform | SymbolKind::Head => {
                let expression = Expression::symbol(&symbol.name, symbol.least);
                Column::One(Cell::of(Some(expression)))
            }
            SymbolKind::OfWarp => self.of_warps(&symbol.name, symbol.least),
        }
    }

    /// A number of each warp, where rows are whole warps: the warps' numbers are separate symbols.
    fn of_warps(&self, name: &str, least: i64) -> Column {
        if !self.has_whole_rows() {
            let why = "a number of one warp, in blocks whose rows are not whole warps";
            return Column::One(Cell::Unknown(why.into()));
        }
        let mut cells = Vec::with_capacity(self.threads);
        for warp in 0..self.threads.div_ceil(WARP) {
            let own = Expression::symbol(&format!("{name}@warp{warp}"), least);
            let lanes = WARP.min(self.threads - cells.len());
            cells.extend(std::iter::repeat_n(Cell::of(Some(own)), lanes));
        }
        Column::Each(cells)
    }

    /// Whether each row of the block is a number of warps.
    fn has_whole_rows(&self) -> bool {
        let [row, ..] = self.block;
        usize::try_from(row).is_ok_and(|row| row % WARP == 0)
    }

    /// A number that is the same for all threads, or those of a warp, and that is not looked into.
    fn opaque(&self, id: TermId, alike: Alike) -> Column {
        let text = text::of(self.terms, id);
        // A conversion that changes nothing is not written.
        let mut written = id;
        while let Term::Convert(inner) = self.terms.term(written) {
            written = *inner;
        }
        let name = match self.terms.term(written) {
            Term::Binary(operator, _, _) if !operator.is_call() => format!("({text})"),
            _ => text,
        };
        let least = self.terms.kind(id).least();
        match alike {
            Alike::Block => Column::One(Cell::of(Some(Expression::symbol(&name, least)))),
            Alike::Warp => self.of_warps(&name, least),
        }
    }

    /// A column from others. A value that is the same for all threads and cannot be computed is a separate symbol.
    fn mapped(&mut self, id: TermId, parts: &[TermId], of: &dyn Fn(&[&Cell]) -> Cell) -> Column {
        let columns: Vec<Rc<Column>> = parts.iter().map(|part| self.known(*part)).collect();
        let at = |thread: usize| {
            let cells: Vec<&Cell> = columns.iter().map(|column| column.at(thread)).collect();
            of(&cells)
        };
        if columns
            .iter()
            .all(|column| matches!(**column, Column::One(_)))
        {
            self.work += 1;
            let cell = at(0);
            let is_open = |column: &Rc<Column>| !matches!(column.at(0), Cell::Unknown(_));
            let kind = self.terms.kind(id);
            // A number that is known and has no place in our integers.
            let is_beyond = matches!(self.terms.term(id), Term::Convert(_))
                && columns
                    .iter()
                    .all(|column| matches!(column.at(0), Cell::Known(_)));
            if matches!(cell, Cell::Unknown(_))
                && !is_beyond
                && columns.iter().all(is_open)
                && kind != IntKind::BOOL
                && self.terms.unknown_in(id).is_none()
            {
                return self.opaque(id, Alike::Block);
            }
            // A result of these operators on numbers that are not below 0 is not below 0.
            if let (Cell::Open(expression), Term::Binary(operator, a, b)) =
                (&cell, self.terms.term(id))
                && !kind.signed
                && !matches!(operator, Operator::Sub)
                && !is_natural(expression)
                && [a, b].into_iter().all(|part| {
                    let part = self.known(*part);
                    part.at(0)
                        .expression()
                        .is_some_and(|part| is_natural(&part))
                })
            {
                return self.opaque(id, Alike::Block);
            }
            return Column::One(cell);
        }
        self.work += self.threads;
        let cells: Vec<Cell> = (0..self.threads).map(at).collect();
        if self.terms.kind(id) != IntKind::BOOL
            && is_beyond_forms(&cells, &columns)
            && self.has_whole_rows()
            && self.terms.alike(id).is_some()
        {
            return self.opaque(id, Alike::Warp);
        }
        Column::Each(cells)
    }
}

/// Whether some value is not known only because it has no form in terms of the symbols that it is made of.
fn is_beyond_forms(cells: &[Cell], columns: &[Rc<Column>]) -> bool {
    let mut found = false;
    for (thread, cell) in cells.iter().enumerate() {
        if !matches!(cell, Cell::Unknown(_)) {
            continue;
        }
        let mut parts = columns.iter().map(|column| column.at(thread));
        if parts.clone().any(|part| matches!(part, Cell::Unknown(_)))
            || !parts.any(|part| matches!(part, Cell::Open(_)))
        {
            return false;
        }
        found = true;
    }
    found
}

/// `holds ? then : otherwise`, where one of the two symbols is 1, and the other is 0.
fn switched((holds, fails): &(Expression, Expression), then: &Cell, otherwise: &Cell) -> Cell {
    if then == otherwise {
        return then.clone();
    }
    let (Some(first), Some(second)) = (then.expression(), otherwise.expression()) else {
        return unknown_of(&[then, otherwise]);
    };
    let more = |from: &Expression, to: &Expression, switch: &Expression| {
        let difference = to.sub(from)?;
        from.add(&switch.mul(&difference)?)
    };
    // The smaller one and the summand on top of it: that no sum is below 0 can be seen.
    let falls = first
        .sub(&second)
        .and_then(|difference| difference.bounds().1);
    Cell::of(if falls.is_some_and(|most| most <= 0) {
        more(&first, &second, fails)
    } else {
        more(&second, &first, holds)
    })
}

fn unknown_of(cells: &[&Cell]) -> Cell {
    let first = cells.iter().find(|cell| matches!(cell, Cell::Unknown(_)));
    first.map_or_else(
        || Cell::Unknown("it depends on what only the running program knows".into()),
        |cell| Cell::clone(cell),
    )
}

/// Whether no value is below 0.
fn is_natural(expression: &Expression) -> bool {
    expression.bounds().0.is_some_and(|least| least >= 0)
}

fn converted(cell: &Cell, from: IntKind, to: IntKind) -> Cell {
    match cell {
        Cell::Known(value) => match to.converted(*value) {
            Some(value) => Cell::Known(value),
            None => Cell::Unknown(BEYOND.into()),
        },
        Cell::Open(expression) => {
            if !from.signed && to.bits > from.bits && !is_natural(expression) {
                // Below 0 it would have begun anew before it was made wider.
                return Cell::Unknown(BELOW_ZERO.into());
            }
            if to.bits >= 32 {
                return cell.clone();
            }
            let (least, most) = expression.bounds();
            let fits =
                |bound: Option<i64>| bound.is_some_and(|bound| to.converted(bound) == Some(bound));
            if to != IntKind::BOOL && fits(least) && fits(most) {
                cell.clone()
            } else {
                Cell::Unknown("a symbol in a narrow type".into())
            }
        }
        Cell::Unknown(_) => cell.clone(),
    }
}

fn binary(operator: Operator, a: &Cell, b: &Cell, kind: IntKind) -> Cell {
    match (operator, a, b) {
        (_, Cell::Known(a), Cell::Known(b)) => {
            return match on_numbers(operator, *a, *b, kind) {
                Some(value) => Cell::Known(value),
                None => Cell::Unknown("its arithmetic overflows".into()),
            };
        }
        (Operator::Both, Cell::Known(0), _) | (Operator::Both, _, Cell::Known(0)) => {
            return Cell::Known(0);
        }
        (Operator::Either, Cell::Known(1), _) | (Operator::Either, _, Cell::Known(1)) => {
            return Cell::Known(1);
        }
        (Operator::Both | Operator::Either, Cell::Known(_), other)
        | (Operator::Both | Operator::Either, other, Cell::Known(_)) => return other.clone(),
        _ => {}
    }
    let (Some(left), Some(right)) = (a.expression(), b.expression()) else {
        return unknown_of(&[a, b]);
    };
    let sum = match operator {
        Operator::Add => left.add(&right),
        Operator::Sub => left.sub(&right),
        Operator::Mul => left.mul(&right),
        Operator::Shl => match b {
            Cell::Known(by @ 0..32) => left.scale(1 << by),
            _ => return open(operator),
        },
        _ => return of_naturals(operator, (&left, a), (&right, b), kind),
    };
    Cell::of(sum)
}

/// The operators that depend on the sign of a number, or on its bits.
fn of_naturals(
    operator: Operator,
    (left, a): (&Expression, &Cell),
    (right, b): (&Expression, &Cell),
    kind: IntKind,
) -> Cell {
    let natural = is_natural(left) && is_natural(right);
    if !kind.signed && !natural {
        return Cell::Unknown(BELOW_ZERO.into());
    }
    match operator {
        Operator::Div => natural_or_named(left.quotient(right), natural, (left, "/", right)),
        Operator::Rem => natural_or_named(left.remainder(right), natural, (left, "%", right)),
        Operator::Min => Cell::of(left.minimum(right)),
        Operator::Max => Cell::of(left.maximum(right)),
        Operator::Shr => match b {
            Cell::Known(by @ 0..62) if natural => {
                Cell::of(left.quotient(&Expression::known(1 << by)))
            }
            _ => open(operator),
        },
        Operator::And | Operator::Or | Operator::Xor => match (a, b) {
            (Cell::Open(_), Cell::Known(mask)) => bits(operator, left, *mask, kind),
            (Cell::Known(mask), Cell::Open(_)) => bits(operator, right, *mask, kind),
            _ => open(operator),
        },
        Operator::Less => compared(right.sub(left), 1, operator),
        Operator::LessEqual => compared(right.sub(left), 0, operator),
        Operator::Equal | Operator::NotEqual => {
            let Some(difference) = left.sub(right) else {
                return open(operator);
            };
            let is_equal = match (difference.as_known(), difference.bounds()) {
                (Some(number), _) => number == 0,
                (_, (Some(least), _)) if least > 0 => false,
                (_, (_, Some(most))) if most < 0 => false,
                _ => return open(operator),
            };
            Cell::Known(i64::from(is_equal == (operator == Operator::Equal)))
        }
        _ => open(operator),
    }
}

/// The quotient or remainder of two numbers that are not below 0 is not below 0: where its form does not say so, it is a symbol.
fn natural_or_named(
    found: Option<Expression>,
    natural: bool,
    (left, sign, right): (&Expression, &str, &Expression),
) -> Cell {
    match found {
        Some(found) if natural && !is_natural(&found) => {
            let name = format!("(({left}) {sign} ({right}))");
            Cell::of(Some(Expression::symbol(&name, 0)))
        }
        found => Cell::of(found),
    }
}

/// The truth of a difference being at least this much.
fn compared(difference: Option<Expression>, least: i64, operator: Operator) -> Cell {
    match difference.map(|difference| difference.bounds()) {
        Some((Some(low), _)) if low >= least => Cell::Known(1),
        Some((_, Some(high))) if high < least => Cell::Known(0),
        _ => open(operator),
    }
}

/// A number with symbols and a mask: the bits above the mask has to be a multiple.
fn bits(operator: Operator, left: &Expression, mask: i64, kind: IntKind) -> Cell {
    if !is_natural(left) {
        return open(operator);
    }
    // `x & ~31`: the cleared bits.
    let cleared = if kind.signed {
        !mask
    } else {
        !mask & 0xffff_ffff
    };
    if operator == Operator::And
        && (0..=0xffff_ffff).contains(&cleared)
        && (cleared + 1) & cleared == 0
        && (mask < 0 || mask > cleared)
    {
        let rest = left.remainder(&Expression::known(cleared + 1));
        return Cell::of(rest.and_then(|rest| left.sub(&rest)));
    }
    if !(0..1 << 32).contains(&mask) {
        return open(operator);
    }
    let modulus = (mask + 1) as u64;
    let Ok(modulus) = i64::try_from(modulus.next_power_of_two()) else {
        return open(operator);
    };
    let Some(rest) = left.remainder(&Expression::known(modulus)) else {
        return open(operator);
    };
    match (operator, rest.as_known()) {
        (Operator::And, None) if mask + 1 == modulus => Cell::of(Some(rest)),
        (Operator::And, Some(low)) => Cell::Known(low & mask),
        (Operator::Or, Some(low)) => Cell::of(left.add(&Expression::known((low | mask) - low))),
        (Operator::Xor, Some(low)) => Cell::of(left.add(&Expression::known((low ^ mask) - low))),
        _ => open(operator),
    }
}

fn open(operator: Operator) -> Cell {
    let why = match operator {
        Operator::And | Operator::Or | Operator::Xor | Operator::Shl | Operator::Shr => BITS,
        _ => COMPARISON,
    };
    Cell::Unknown(why.into())
}
