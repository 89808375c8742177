//! Parts of memory that are checked once: the views of `cuda-oxide` (`cuda_device::view`), and what loops go over.

use tree_sitter_cute::tree::{Expr, ExprKind, Item, ItemKind, Path, Segment, UnaryOp};

use super::super::Walker;
use super::super::held::{Held, Local, Pointer, Ty};
use super::super::options::Maybe;
use super::name_of;
use crate::access::terms::{IntKind, Operator, TermId};
use crate::access::{AccessKind, Guard};

/// Numbers of an array that a loop goes over, each known by its pass.
const NUMBERS: usize = 32;

/// A part of memory, or a place in a grid.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::interpret::accesses) enum View {
    /// `MatrixView32`: rows of a length.
    Matrix { start: Pointer, row: TermId },
    /// Elements at a distance from each other: `RowView32`, `ColView32`, `slice.iter()`. Without a start there are none.
    Strip {
        start: Option<Pointer>,
        step: TermId,
        length: TermId,
        /// Whether a loop over it reads the elements, rather than giving their places.
        is_read: bool,
    },
    /// `ThreadCoord2D32`: the row and the column of a thread in its grid.
    Coordinates { row: TermId, column: TermId },
    /// Elements of a thread, by row and column: `StaticTileMut32`, `RuntimeTileMut32`.
    Tile { start: Pointer, row: TermId },
    /// Elements of a thread in a row: `StaticViewMut32`, `ThreadRunMut32`.
    Run { start: Pointer, length: TermId },
    /// `zip`: two things together.
    Pair(Box<View>, Box<View>),
    /// `enumerate`: with its number.
    Numbered(Box<View>),
    /// Numbers that are written one by one: `[1, 5, 9]`.
    Numbers(Vec<TermId>),
}

impl<'u> Walker<'_, 'u> {
    /// A function that makes a view, or the place of a thread.
    pub(super) fn view(
        &mut self,
        path: &'u Path,
        expr: &'u Expr,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let class = path.segments.iter().rev().nth(1);
        let class = class.map_or("", |class| class.name.name.as_str());
        let name = path.last()?.name.name.as_str();
        match (class, name, args) {
            (_, "coord_2d_u32", [_]) => {
                let (row, column) = (self.along(1, expr)?, self.along(0, expr)?);
                let terms = self.terms();
                let row = terms.convert(row, IntKind::UNSIGNED);
                let column = terms.convert(column, IntKind::UNSIGNED);
                Some(view(View::Coordinates { row, column }))
            }
            (_, "index_1d_u32", [_]) => {
                let index = self.along(0, expr)?;
                Some(Held::Int(self.terms().convert(index, IntKind::UNSIGNED)))
            }
            ("MatrixView32", "new", [slice, row]) => {
                let Held::Pointer(start) = self.value(slice) else {
                    return None;
                };
                let row = self.term(row);
                Some(view(View::Matrix { start, row }))
            }
            ("RowView32" | "ColView32", "empty", []) => {
                let zero = self.terms().number(0, IntKind::UNSIGNED);
                Some(view(View::Strip {
                    start: None,
                    step: zero,
                    length: zero,
                    is_read: true,
                }))
            }
            ("LocalIndex32", "new", [index]) => {
                let term = self.term(index);
                let extent = path.segments.iter().rev().nth(1)?.args.as_deref()?;
                let extent = self.term(extent.first()?);
                let text = self.text(expr.span);
                Some(self.below((term, extent), text, Held::Int(term)))
            }
            ("LocalIndex32", "constant", []) => {
                let [index] = path.last()?.args.as_deref()? else {
                    return None;
                };
                Some(Held::Int(self.term(index)))
            }
            _ => None,
        }
    }

    /// A method of a view.
    pub(super) fn method_of_view(
        &mut self,
        expr: &'u Expr,
        (of, member): (View, &'u Segment),
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        match (of, member.name.name.as_str(), args) {
            (View::Coordinates { row, .. }, "row", [])
            | (View::Matrix { row, .. }, "stride", []) => Some(Held::Int(row)),
            (View::Coordinates { column, .. }, "col", []) => Some(Held::Int(column)),
            (View::Matrix { start, row }, "row", [index, length]) => {
                let (index, length) = (self.term(index), self.term(length));
                let first = self.product_of(index, row);
                let one = self.terms().number(1, IntKind::UNSIGNED);
                Some(self.strip(expr, (start, first), (one, length)))
            }
            (View::Matrix { start, row }, "col", [index, length]) => {
                let (index, length) = (self.term(index), self.term(length));
                Some(self.strip(expr, (start, index), (row, length)))
            }
            (View::Strip { length, .. } | View::Run { length, .. }, "len", []) => {
                Some(Held::Int(length))
            }
            (
                View::Strip {
                    start,
                    step,
                    length,
                    ..
                },
                "get",
                [index],
            ) => {
                let term = self.term(index);
                let text = self.text(expr.span);
                let condition = self.terms().binary(Operator::Less, term, length);
                let element = self.element_at(start?, step, term);
                let held = match element {
                    Held::Pointer(place) => {
                        self.under_guard(condition, &text, |it| it.load(expr.span, Ok(place)))
                    }
                    other => other,
                };
                Some(Held::Maybe(Box::new(Maybe {
                    condition,
                    text,
                    held,
                })))
            }
            (View::Tile { start, row }, "at" | "at_const", args) => {
                let [down, across] = self.local_indices(member, args)?;
                let first = self.product_of(down, row);
                let terms = self.terms();
                let across = terms.convert(across, IntKind::UNSIGNED_LONG);
                let at = terms.binary(Operator::Add, first, across);
                Some(self.stepped(start, at, false))
            }
            (View::Run { start, length }, "at", [index]) => {
                let term = self.term(index);
                let text = self.text(expr.span);
                let element = self.stepped(start, term, false);
                Some(self.below((term, length), text, element))
            }
            (View::Run { start, .. }, "at_const", []) => {
                let [index] = member.args.as_deref()? else {
                    return None;
                };
                let index = self.term(index);
                Some(self.stepped(start, index, false))
            }
            (strip @ View::Strip { .. }, "iter" | "into_iter" | "iter_mut" | "copied", []) => {
                Some(view(strip))
            }
            (one, "zip", [other]) => {
                let other = self.iterated(other)?;
                Some(view(View::Pair(Box::new(one), Box::new(other))))
            }
            (one @ View::Strip { .. }, "zip_exact", [other]) => {
                let text = self.text(expr.span);
                let other = self.iterated(other)?;
                let lengths = (length_of(&one)?, length_of(&other)?);
                let pair = View::Pair(Box::new(one), Box::new(other));
                let condition = self.terms().binary(Operator::Equal, lengths.0, lengths.1);
                Some(Held::Maybe(Box::new(Maybe {
                    condition,
                    text,
                    held: view(pair),
                })))
            }
            (of, "enumerate", []) => Some(view(View::Numbered(Box::new(of)))),
            _ => None,
        }
    }

    /// A method of a slice that gives a view of it: a loop goes over it, or it is the part of a thread.
    pub(super) fn view_of_slice(
        &mut self,
        expr: &'u Expr,
        (slice, member): (&Pointer, &'u Segment),
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        match (member.name.name.as_str(), args) {
            ("iter" | "iter_mut", []) if slice.memory.is_some() => {
                Some(view(self.all_of(slice.clone())))
            }
            ("tile_2d32" | "tile_2d32_rt", [coordinates]) => {
                let Held::View(coordinates) = self.value(coordinates) else {
                    return None;
                };
                let View::Coordinates { row, column } = *coordinates else {
                    return None;
                };
                let extents = self.extents_of(slice)?;
                let [rows, columns, ..] = extents.as_slice() else {
                    return None;
                };
                let (rows, columns) = (*rows, *columns);
                let stride = match extents.get(2) {
                    Some(stride) => *stride,
                    // The slice has it.
                    None => self.of_slice(&format!("{}.row_stride", name_of(slice))),
                };
                let (down, across) = (self.product_of(row, rows), self.product_of(column, columns));
                let first = self.product_of(down, stride);
                let first = self.terms().binary(Operator::Add, first, across);
                let start = match self.stepped(slice.clone(), first, false) {
                    Held::Pointer(start) => start,
                    other => return Some(other),
                };
                let tile = view(View::Tile { start, row: stride });
                Some(self.checked(expr, tile, (across, stride)))
            }
            ("tile_thread32" | "thread_run32", [thread]) => {
                let thread = self.term(thread);
                let extents = self.extents_of(slice)?;
                let extent = *extents.first()?;
                let first = self.product_of(thread, extent);
                let length = self.length(slice);
                let start = match self.stepped(slice.clone(), first, false) {
                    Held::Pointer(start) => start,
                    other => return Some(other),
                };
                let run = view(View::Run {
                    start,
                    length: extent,
                });
                Some(self.checked(expr, run, (first, length)))
            }
            ("element_thread32", [thread]) => {
                let thread = self.term(thread);
                let length = self.length(slice);
                let text = self.text(expr.span);
                let element = self.stepped(slice.clone(), thread, false);
                Some(self.below((thread, length), text, element))
            }
            _ => None,
        }
    }

    /// The numbers of the index space of a slice of the kernel: `RowMajorTiles<4, 4, 128>`.
    fn extents_of(&mut self, slice: &Pointer) -> Option<Vec<TermId>> {
        let kernel = self.declared.kernel;
        let named = |param: &&'u tree_sitter_cute::tree::Binding| {
            let name = param.name.as_ref();
            name.is_some_and(|name| name.name == name_of(slice))
        };
        let ty = kernel.params.iter().find(named)?.ty.as_ref()?;
        let space = ty.as_path()?.last()?.args.as_deref()?.get(1)?;
        let args = space.as_path()?.last()?.args.as_deref()?;
        Some(args.iter().map(|arg| self.term(arg)).collect())
    }

    /// A part of a matrix, if it is inside: that is not followed.
    fn strip(
        &mut self,
        expr: &'u Expr,
        (start, first): (Pointer, TermId),
        (step, length): (TermId, TermId),
    ) -> Held<'u> {
        let start = match self.stepped(start, first, false) {
            Held::Pointer(start) => start,
            other => return other,
        };
        let held = view(View::Strip {
            start: Some(start),
            step,
            length,
            is_read: true,
        });
        let text = self.text(expr.span);
        let condition = self.unknown(&format!("whether `{text}` has a value"), IntKind::BOOL);
        Held::Maybe(Box::new(Maybe {
            condition,
            text,
            held,
        }))
    }

    /// An option that has a value at most where `left < right`.
    fn checked(
        &mut self,
        expr: &'u Expr,
        held: Held<'u>,
        (left, right): (TermId, TermId),
    ) -> Held<'u> {
        let text = self.text(expr.span);
        let open = self.unknown(&format!("whether `{text}` has a value"), IntKind::BOOL);
        let terms = self.terms();
        let below = terms.binary(Operator::Less, left, right);
        let condition = terms.binary(Operator::Both, below, open);
        Held::Maybe(Box::new(Maybe {
            condition,
            text,
            held,
        }))
    }

    /// A product in 64 bits.
    fn product_of(&mut self, left: TermId, right: TermId) -> TermId {
        let terms = self.terms();
        let left = terms.convert(left, IntKind::UNSIGNED_LONG);
        let right = terms.convert(right, IntKind::UNSIGNED_LONG);
        terms.binary(Operator::Mul, left, right)
    }

    fn element_at(&mut self, start: Pointer, step: TermId, index: TermId) -> Held<'u> {
        let at = self.product_of(index, step);
        self.stepped(start, at, false)
    }

    /// The two indices of `at(row, column)` or `at_const::<ROW, COLUMN>()`.
    fn local_indices(&mut self, member: &'u Segment, args: &'u [Expr]) -> Option<[TermId; 2]> {
        let written = match args {
            [] => member.args.as_deref()?,
            args => args,
        };
        let [down, across] = written else { return None };
        Some([self.term(down), self.term(across)])
    }

    /// The view that a loop takes its elements from.
    pub(in crate::interpret::accesses) fn iterated(&mut self, expr: &'u Expr) -> Option<View> {
        if let Some(written) = self.numbers_in(expr) {
            return Some(written);
        }
        match self.value(expr) {
            Held::View(found) => Some(*found),
            Held::Pointer(slice) if slice.memory.is_some() => Some(self.all_of(slice)),
            _ => None,
        }
    }

    /// `[1, 5, 9]`, `[1, 5, 9].iter().enumerate()`, and the same of an array by its name.
    fn numbers_in(&mut self, expr: &'u Expr) -> Option<View> {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf, inner)
                if matches!(inner.kind, ExprKind::Braced(_)) =>
            {
                self.numbers_in(inner)
            }
            ExprKind::Call(callee, args) if args.is_empty() => {
                let ExprKind::Member { object, member, .. } = &callee.kind else {
                    return None;
                };
                match member.name.name.as_str() {
                    "iter" | "into_iter" | "copied" | "cloned" => self.numbers_in(object),
                    "enumerate" => Some(View::Numbered(Box::new(self.numbers_in(object)?))),
                    _ => None,
                }
            }
            ExprKind::Braced(items) if (1..=NUMBERS).contains(&items.len()) => {
                let values = self.values(items);
                all_numbers(values.iter()).map(View::Numbers)
            }
            _ => {
                // A reference to an element may change it, in C++.
                let name = expr.as_plain_name().filter(|_| self.it.is_rust())?;
                let content = self.find(name)?.content.as_ref()?;
                let is_flat = content.extents.len() == 1 && content.elements.len() <= NUMBERS;
                let elements = content.elements.iter().map(|local| &local.held);
                all_numbers(elements).filter(|_| is_flat).map(View::Numbers)
            }
        }
    }

    /// The elements of a slice in order.
    fn all_of(&mut self, slice: Pointer) -> View {
        let step = self.terms().number(1, IntKind::UNSIGNED_LONG);
        let length = self.length(&slice);
        View::Strip {
            start: Some(slice),
            step,
            length,
            is_read: false,
        }
    }

    /// Whether there is one more element, before a pass.
    pub(in crate::interpret::accesses) fn goes_on(
        &mut self,
        over: &View,
        trip: TermId,
        text: &str,
    ) -> Option<TermId> {
        let length = match over.numbers() {
            Some(count) => self.terms().number(count, IntKind::LONG),
            None => length_of(over)?,
        };
        let terms = self.terms();
        let length = terms.convert(length, IntKind::LONG);
        let condition = terms.binary(Operator::Less, trip, length);
        self.course.guards.push(Guard {
            condition,
            text: text.into(),
            exit: None,
        });
        Some(condition)
    }

    /// Declares the names of a pass over something.
    pub(in crate::interpret::accesses) fn declare_elements(
        &mut self,
        (over, trip): (View, TermId),
        range: &'u Expr,
        items: &'u [Item],
    ) {
        let held = self.content(over, trip, range);
        let mut parts = Vec::new();
        leaves(held, &mut parts);
        if parts.len() != items.len() {
            // A part has no name.
            return items.iter().for_each(|item| self.declare_of_range(item));
        }
        for (item, held) in items.iter().zip(parts) {
            if let ItemKind::Binding(binding) = &item.kind
                && let Some(name) = &binding.name
            {
                let ty = held.ty(&self.out.terms).unwrap_or(Ty::Auto);
                self.declare(&name.name, Local::new(held, ty));
            }
        }
    }

    /// The element of a pass.
    fn content(&mut self, over: View, trip: TermId, range: &'u Expr) -> Held<'u> {
        match over {
            View::Strip {
                start: Some(start),
                step,
                is_read,
                ..
            } => match self.element_at(start, step, trip) {
                Held::Pointer(place) if is_read => self.load(range.span, Ok(place)),
                held => held,
            },
            View::Pair(one, other) => {
                let one = self.content(*one, trip, range);
                let other = self.content(*other, trip, range);
                self.tuple_of(vec![one, other])
            }
            View::Numbered(inner) => {
                let number = self.terms().convert(trip, IntKind::UNSIGNED_LONG);
                let inner = self.content(*inner, trip, range);
                self.tuple_of(vec![Held::Int(number), inner])
            }
            View::Numbers(numbers) => self.number_of_pass(&numbers, trip),
            _ => Held::Other("an element of a range".into(), None),
        }
    }

    /// One of some numbers, by the pass.
    fn number_of_pass(&mut self, numbers: &[TermId], trip: TermId) -> Held<'u> {
        let mut rest = numbers.iter().rev();
        let Some(last) = rest.next() else {
            return Held::Other("an element of a range".into(), None);
        };
        let mut held = *last;
        for (place, number) in numbers.iter().enumerate().rev().skip(1) {
            let terms = self.terms();
            let place = terms.number(i64::try_from(place).unwrap_or(i64::MAX), IntKind::LONG);
            let is_it = terms.binary(Operator::Equal, trip, place);
            held = terms.select(is_it, *number, held);
        }
        Held::Int(held)
    }

    /// The one view under a condition, else the other.
    pub(in crate::interpret::accesses) fn joined_views(
        &mut self,
        condition: TermId,
        then: View,
        otherwise: View,
    ) -> Held<'u> {
        match (then, otherwise) {
            (
                View::Strip {
                    start: one,
                    step,
                    length: then,
                    is_read,
                },
                View::Strip {
                    start: other,
                    step: other_step,
                    length: otherwise,
                    ..
                },
            ) => {
                let length = self.terms().select(condition, then, otherwise);
                let (start, step) = match (one, other) {
                    (Some(one), None) => (Some(one), step),
                    (None, other) => (other, other_step),
                    (Some(one), Some(other)) => {
                        let joined =
                            self.joined(condition, Held::Pointer(one), Held::Pointer(other));
                        let step = self.terms().select(condition, step, other_step);
                        match joined {
                            Held::Pointer(start) => (Some(start), step),
                            other => return other,
                        }
                    }
                };
                view(View::Strip {
                    start,
                    step,
                    length,
                    is_read,
                })
            }
            _ => Held::Other("which value it has depends on a condition".into(), None),
        }
    }

    /// `place.write(value)` of an element of a view.
    pub(super) fn written(
        &mut self,
        expr: &'u Expr,
        (place, value): (Pointer, &'u Expr),
    ) -> Held<'u> {
        self.value(value);
        self.met(expr.span, AccessKind::Store, &Ok(place), None);
        Held::Other("a store".into(), None)
    }
}

impl View {
    /// The count of numbers that are written one by one.
    fn numbers(&self) -> Option<i64> {
        match self {
            Self::Numbers(numbers) => i64::try_from(numbers.len()).ok(),
            Self::Numbered(inner) => inner.numbers(),
            _ => None,
        }
    }
}

/// The terms of values that are all integers.
fn all_numbers<'h, 'u: 'h>(values: impl Iterator<Item = &'h Held<'u>>) -> Option<Vec<TermId>> {
    values
        .map(|held| match held {
            Held::Int(term) => Some(*term),
            _ => None,
        })
        .collect()
}

/// The elements of tuples inside of tuples.
fn leaves<'u>(held: Held<'u>, found: &mut Vec<Held<'u>>) {
    match held {
        Held::Parts(parts) if parts.ty.is_none() => {
            let members = parts.members.into_values();
            members.for_each(|local| leaves(local.held, found));
        }
        held => found.push(held),
    }
}

fn view<'u>(of: View) -> Held<'u> {
    Held::View(Box::new(of))
}

/// The number of elements, where a loop may go over it.
fn length_of(of: &View) -> Option<TermId> {
    match of {
        View::Strip { length, .. } => Some(*length),
        View::Pair(one, _) => length_of(one),
        View::Numbered(inner) => length_of(inner),
        _ => None,
    }
}
