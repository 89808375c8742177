//! Arrays of shared memory without bank conflicts: rows that are padded, or columns that are xored with the row, in the
//! declaration, at all accesses, and in the bytes that launches request.
//!
//! An edit moves elements: the one at an offset is at another one. It is right where every access, at each thread and
//! pass, is to the moved place of its element. That is compared on the offsets before and after.

use cute_algebra::Swizzle;
use cute_algebra::symbol::Expression;
use cute_hardware::memory::banks::{BANKS, WORD_BYTES};
use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Path, Span};

use super::Search;
use super::arrays::{SharedArray, Subscript, accesses_of, factors, number_of};
use super::candidates::Candidate;
use super::spelling;
use crate::access::Access;
use crate::fact::Analysis;
use crate::finding::{Edit, Finding, Remedy};
use crate::limits;
use crate::walk;

/// Bytes by which a row may become longer.
const PADS: [i64; 5] = [4, 8, 16, 32, 64];
/// The index of the bytes of dynamic shared memory in `<<<grid, block, bytes>>>`.
const BYTES: usize = 2;

/// The new place of the element at an offset, in elements.
#[derive(Debug, Clone, Copy)]
enum Moved {
    /// Each row is longer.
    Padded { row: i64, by: i64 },
    /// Bits of the row are xored into the column. Swizzled offsets repeat after a number of elements.
    Xored { swizzle: Swizzle, period: i64 },
}

impl Moved {
    /// The same of one instance of a kernel, whose rows may have another length.
    fn of_instance(self, access: &Access) -> Self {
        match (self, &*access.lengths) {
            (Self::Padded { by, .. }, [_, .., row]) => Self::Padded { row: *row, by },
            (other, _) => other,
        }
    }

    fn number(self, offset: i64) -> Option<i64> {
        if offset < 0 {
            return None;
        }
        match self {
            Self::Padded { row, by } => {
                offset.checked_add(offset.checked_div(row)?.checked_mul(by)?)
            }
            Self::Xored { swizzle, .. } => Some(swizzle.apply(offset)),
        }
    }

    /// The new offset of one with symbols, which are to be whole rows or periods.
    fn offset(self, offset: &Expression) -> Option<Expression> {
        let constant = offset
            .substitute(&|_| Some(Expression::known(0)))?
            .as_known()?;
        let symbols = offset.sub(&Expression::known(constant))?;
        let moved = match self {
            Self::Padded { row, by } => {
                let rows = whole(&symbols, row)?;
                rows.scale(row.checked_add(by)?)?
            }
            Self::Xored { period, .. } => {
                whole(&symbols, period)?;
                symbols
            }
        };
        moved.add(&Expression::known(self.number(constant)?))
    }

    /// Whether elements that follow each other still do.
    fn keeps_together(self, offset: &Expression, count: i64) -> bool {
        let together = |first: Expression| {
            (1..count).all(|step| {
                let next = offset.add(&Expression::known(step));
                next.and_then(|next| self.offset(&next)) == first.add(&Expression::known(step))
            })
        };
        count == 1 || self.offset(offset).is_some_and(together)
    }
}

/// A number that is a multiple, divided.
fn whole(number: &Expression, by: i64) -> Option<Expression> {
    let quotient = number.quotient(&Expression::known(by))?;
    (quotient.scale(by)? == *number).then_some(quotient)
}

impl Search<'_> {
    /// A padding and a swizzle of the array of a plain access with bank conflicts.
    pub(super) fn without_conflicts(&mut self, finding: &Finding) -> Option<Vec<Remedy>> {
        if finding.rule != "bank-conflict" {
            return None;
        }
        let array = SharedArray::of(finding, self.before, self.file.unit())?;
        let mut found = Vec::new();
        let padded = self.padded(finding, &array);
        let xored = self.xored(finding, &array);
        for family in [padded, xored] {
            for (moved, candidate) in family {
                if self.budget == 0 || self.options.stop.is_wanted() {
                    return Some(found);
                }
                self.budget -= 1;
                let first = array.accesses.first()?;
                let moves = |after: &Analysis, _: &_, _: Span| {
                    let now = accesses_of(after, first);
                    let mut pairs = array.accesses.iter().zip(&now);
                    now.len() == array.accesses.len()
                        && pairs.all(|(before, now)| is_moved(moved, before, now) == Some(true))
                };
                if self.is_proved(&candidate.edits, finding, &moves) {
                    found.push(Remedy {
                        title: candidate.title.unwrap_or_default(),
                        edits: candidate.edits,
                        preferred: found.is_empty(),
                    });
                    break;
                }
            }
        }
        Some(found)
    }

    fn padded(&self, finding: &Finding, array: &SharedArray<'_>) -> Vec<(Moved, Candidate)> {
        let element = element_of(array);
        let mut found = Vec::new();
        for row in self.rows(finding, array) {
            for bytes in PADS {
                let by = bytes / element;
                if by * element != bytes {
                    continue;
                }
                let each = [true, false].into_iter();
                let each = each.filter_map(|by_factor| {
                    let edits = self.edits_of_padding(array, row, by, by_factor)?;
                    let title = format!(
                        "Pad the rows of `{}`: {row} → {} elements",
                        array.name,
                        row + by
                    );
                    Some((Moved::Padded { row, by }, titled(title, edits)))
                });
                found.extend(each);
            }
        }
        found
    }

    /// The lengths that rows may have: as declared, else the factors in subscripts.
    fn rows(&self, finding: &Finding, array: &SharedArray<'_>) -> Vec<i64> {
        if let [_, .., (_, row)] = array.lengths.as_slice() {
            return vec![*row];
        }
        let mut found: Vec<i64> = Vec::new();
        let blamed = |subscript: &&Subscript<'_>| finding.span.contains(subscript.span.start);
        let (first, rest): (Vec<_>, Vec<_>) = array.subscripts.iter().partition(blamed);
        for index in first.iter().chain(&rest).flat_map(|it| &it.indices) {
            for factor in factors(index) {
                if let Some(row) = number_of(factor, self.before)
                    && row > 1
                    && !found.contains(&row)
                {
                    found.push(row);
                }
            }
        }
        found
    }

    /// Longer rows. Of a flat array, the factors of subscripts change, or whole subscripts.
    fn edits_of_padding(
        &self,
        array: &SharedArray<'_>,
        row: i64,
        by: i64,
        by_factor: bool,
    ) -> Option<Vec<Edit>> {
        let text = self.file.text();
        if let [_, .., (last, _)] = array.lengths.as_slice() {
            return by_factor.then(|| vec![longer(last, row, by, text)]);
        }
        let mut edits = Vec::new();
        for index in array.subscripts.iter().filter_map(|it| it.indices.first()) {
            let rows: Vec<&Expr> = factors(index)
                .into_iter()
                .filter(|factor| number_of(factor, self.before) == Some(row))
                .collect();
            if by_factor && !rows.is_empty() {
                let each = rows.iter();
                edits.extend(each.map(|factor| as_factor(longer(factor, row, by, text), factor)));
            } else {
                let more = in_rows(&grouped(index, text), row, by);
                edits.push(replaced(
                    index,
                    format!("{} + {more}", summand(index, text)),
                ));
            }
        }
        match array.lengths.as_slice() {
            [(length, elements)] => {
                let more = elements.checked_div(row)?.checked_mul(by)?;
                let edit = longer(length, *elements, more, text);
                // `SharedArray<f32, N>`: only a block may be a sum.
                edits.push(match (self.options.host, &length.kind) {
                    (Host::Rust, ExprKind::Name(_)) => Edit {
                        new_text: format!("{{ {} }}", edit.new_text),
                        ..edit
                    },
                    _ => edit,
                });
            }
            _ => edits.extend(self.longer_launches(array, row, by)?),
        }
        edits.sort_by_key(|edit| edit.span.start);
        Some(edits)
    }

    /// The launches of the kernel with more bytes; nothing if the kernel is used in another way, too.
    fn longer_launches(&self, array: &SharedArray<'_>, row: i64, by: i64) -> Option<Vec<Edit>> {
        let kernel = &array.accesses.first()?.function;
        let (mut edits, mut launched, mut named) = (Vec::new(), 0, 0);
        let text = self.file.text();
        walk::expressions(&self.file.unit().items, &mut |expr| match &expr.kind {
            ExprKind::Launch { callee, config, .. } if is_of(callee, kernel) => {
                launched += 1;
                if let Some(bytes) = config.get(BYTES) {
                    let more = in_rows(&grouped(bytes, text), row, by);
                    edits.push(replaced(
                        bytes,
                        format!("{} + {more}", summand(bytes, text)),
                    ));
                }
            }
            _ if is_of(expr, kernel) => named += 1,
            _ => {}
        });
        (launched > 0 && edits.len() == launched && named == launched).then_some(edits)
    }

    fn xored(&self, finding: &Finding, array: &SharedArray<'_>) -> Vec<(Moved, Candidate)> {
        let element = element_of(array);
        let widest = array.accesses.iter().map(|access| access.bytes).max();
        let widest = widest.unwrap_or(0).max(element);
        let mut found = Vec::new();
        for row in self.rows(finding, array) {
            let base = (widest / element).max(1).ilog2();
            let most = (BANKS * WORD_BYTES / widest.max(WORD_BYTES)).max(1).ilog2();
            if row.count_ones() != 1 {
                continue;
            }
            for bits in (1..=most).rev().filter(|bits| bits + base <= row.ilog2()) {
                let each = array.subscripts.iter();
                let edits = each.filter_map(|it| self.xored_index(&it.indices, row, bits, base));
                let edits: Vec<Edit> = edits.collect();
                let [of_bits, of_base] = [bits, base].map(i64::from);
                let shift = i64::from(row.ilog2()) - of_base;
                let Ok(swizzle) = Swizzle::new(of_bits, of_base, shift) else {
                    continue;
                };
                let title = format!(
                    "Xor the columns of `{}` with their rows: {}",
                    array.name,
                    spelling::swizzle(swizzle)
                );
                let period = row << bits;
                found.push((Moved::Xored { swizzle, period }, titled(title, edits)));
            }
        }
        found
    }

    fn xored_index(&self, indices: &[&Expr], row: i64, bits: u32, base: u32) -> Option<Edit> {
        let text = self.file.text();
        let (last, outer) = indices.split_last()?;
        let rows = 1_i64 << bits;
        let of_row = match outer.last() {
            Some(outer) => format!("{} % {rows}", grouped(outer, text)),
            None => format!("{} / {row} % {rows}", grouped(last, text)),
        };
        let bits = if base == 0 {
            of_row
        } else {
            format!("({of_row} << {base})")
        };
        Some(replaced(last, format!("{} ^ {bits}", grouped(last, text))))
    }
}

/// Bytes of an element: of the smallest step of its accesses.
fn element_of(array: &SharedArray<'_>) -> i64 {
    let units = array.accesses.iter().map(|access| access.unit);
    units.min().unwrap_or(1).max(1)
}

/// Whether an access is, at each thread and pass, to the moved place of its elements.
fn is_moved(moved: Moved, before: &Access, after: &Access) -> Option<bool> {
    let (old, new) = (before.map.as_ref().ok()?, after.map.as_ref().ok()?);
    let entries = old.entries()?;
    if before.bytes != after.bytes || entries != new.entries()? || entries > limits::ACCESS_COMPARED
    {
        return None;
    }
    let moved = moved.of_instance(before);
    let element = before.unit.min(after.unit);
    let in_elements = |unit: i64| (unit % element == 0).then_some(unit / element);
    if element < 1 {
        // The size of an element is not known.
        return None;
    }
    let (count, steps) = (in_elements(before.bytes)?, in_elements(before.unit)?);
    let steps_now = in_elements(after.unit)?;
    for index in 0..entries {
        let at = old.offset(index)?.scale(steps)?;
        let now = new.offset(index)?.scale(steps_now)?;
        if moved.offset(&at)? != now || !moved.keeps_together(&at, count) {
            return Some(false);
        }
    }
    Some(true)
}

fn is_of(callee: &Expr, kernel: &str) -> bool {
    let last = callee.as_path().and_then(Path::last);
    last.is_some_and(|last| last.name.name == kernel)
}

fn titled(title: String, edits: Vec<Edit>) -> Candidate {
    Candidate {
        edits,
        title: Some(title),
        legal: None,
    }
}

/// The elements that are added to as many rows as a number has.
fn in_rows(number: &str, row: i64, by: i64) -> String {
    match by {
        1 => format!("{number} / {row}"),
        by => format!("{number} / {row} * {by}"),
    }
}

/// A number with some more.
fn longer(written: &Expr, number: i64, more: i64, text: &str) -> Edit {
    match written.kind {
        ExprKind::Int(_) => replaced(written, (number + more).to_string()),
        _ => replaced(written, format!("{} + {more}", summand(written, text))),
    }
}

/// The edit of a factor that is longer: a sum in parentheses.
fn as_factor(edit: Edit, factor: &Expr) -> Edit {
    match factor.kind {
        ExprKind::Int(_) => edit,
        _ => Edit {
            new_text: format!("({})", edit.new_text),
            ..edit
        },
    }
}

fn replaced(expr: &Expr, new_text: String) -> Edit {
    Edit {
        span: expr.span,
        new_text,
    }
}

/// A summand as it is written, in parentheses where its operator binds less than `+`.
fn summand(expr: &Expr, text: &str) -> String {
    use BinaryOp::{Add, Div, Mul, Rem, Sub};
    match expr.kind {
        ExprKind::Binary(Add | Sub | Mul | Div | Rem, ..) => expr.span.text(text).to_owned(),
        _ => grouped(expr, text),
    }
}

/// An operand as it is written, in parentheses where it is not a name or a number.
fn grouped(expr: &Expr, text: &str) -> String {
    let written = expr.span.text(text);
    match expr.kind {
        ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Member { .. } => written.to_owned(),
        _ => format!("({written})"),
    }
}
