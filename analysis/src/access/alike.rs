//! Terms that are the same for all threads of a block or of a warp.
//!
//! Of warps this holds in blocks whose rows are whole warps (`blockDim.x % 32 == 0`): [`Lanes`](super::lanes::Lanes) has
//! no value of a warp's number for others.

use super::numbers::Operator;
use super::terms::{SymbolKind, Term, TermId, Terms};
use crate::hash::HashMap;

/// Lanes of a warp.
pub(crate) const WARP: i64 = 32;

/// The threads for which a value is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alike {
    /// All threads of a block.
    Block,
    /// The threads of each warp; other warps may have another one.
    Warp,
}

impl Alike {
    /// The kind of a number that only the running program knows.
    pub(crate) fn kind(self) -> SymbolKind {
        match self {
            Self::Block => SymbolKind::Uniform,
            Self::Warp => SymbolKind::OfWarp,
        }
    }
}

/// The numbers that a term has in the lanes of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    /// Any.
    #[default]
    Any,
    /// A multiple of 32, the same for all lanes, plus the lane.
    Lane,
    /// One number.
    Same,
    /// One number, a multiple of 32.
    Rows,
}

/// The known properties of a term in every warp.
#[derive(Debug, Clone, Copy, Default)]
struct InWarp {
    form: Form,
    /// It is not below 0.
    natural: bool,
}

impl InWarp {
    fn is_same(self) -> bool {
        matches!(self.form, Form::Same | Form::Rows)
    }

    fn is_rows(self) -> bool {
        self.form == Form::Rows
    }

    fn is_lane(self) -> bool {
        self.form == Form::Lane
    }
}

impl Terms {
    /// The threads for which a term is the same; `None` where lanes of a warp differ, or something in it is not known.
    pub(crate) fn alike(&self, id: TermId) -> Option<Alike> {
        if self.unknown_in(id).is_some() {
            return None;
        }
        if !self.varies(id) {
            return Some(Alike::Block);
        }
        self.is_of_warp(id).then_some(Alike::Warp)
    }

    /// Whether a term is the same for all lanes of a warp.
    pub(crate) fn is_of_warp(&self, id: TermId) -> bool {
        let mut known: HashMap<TermId, InWarp> = HashMap::default();
        // Each term comes behind its parts.
        for part in self.parts_of(id) {
            let found = self.in_warp(part, &known);
            known.insert(part, found);
        }
        known.get(&id).is_some_and(|found| found.is_same())
    }

    fn in_warp(&self, id: TermId, known: &HashMap<TermId, InWarp>) -> InWarp {
        let of = |id: &TermId| known.get(id).copied().unwrap_or_default();
        let kind = self.kind(id);
        match self.term(id) {
            Term::Number(value) => InWarp {
                form: if value % WARP == 0 {
                    Form::Rows
                } else {
                    Form::Same
                },
                natural: *value >= 0,
            },
            Term::Symbol(symbol) => self.symbol(*symbol).map_or_else(InWarp::default, |symbol| {
                let form = match symbol.kind {
                    SymbolKind::Thread(0) => Form::Lane,
                    SymbolKind::BlockSize(0) => Form::Rows,
                    _ => Form::Same,
                };
                InWarp {
                    form,
                    natural: symbol.least >= 0,
                }
            }),
            Term::Unknown(_) => InWarp::default(),
            Term::Not(inner) => InWarp {
                form: if of(inner).is_same() {
                    Form::Same
                } else {
                    Form::Any
                },
                natural: true,
            },
            Term::Convert(inner) => {
                let (inner, from) = (of(inner), self.kind(*inner));
                InWarp {
                    // The low bits of a number are the same in any type of 8 bits and more.
                    form: match inner.form {
                        Form::Lane if kind.bits < 8 => Form::Any,
                        Form::Rows if kind.bits < 8 => Form::Same,
                        form => form,
                    },
                    natural: !kind.signed || inner.natural && kind.bits >= from.bits.min(32),
                }
            }
            Term::Select(condition, then, otherwise) => {
                let (condition, then, otherwise) = (of(condition), of(then), of(otherwise));
                InWarp {
                    form: match (then.form, otherwise.form) {
                        _ if !condition.is_same() => Form::Any,
                        (a, b) if a == b => a,
                        _ if then.is_same() && otherwise.is_same() => Form::Same,
                        _ => Form::Any,
                    },
                    natural: then.natural && otherwise.natural,
                }
            }
            Term::Binary(operator, a, b) => {
                let (a, b, number) = (of(a), of(b), self.as_number(*b));
                InWarp {
                    form: form(*operator, a, b, number),
                    natural: !kind.signed || is_natural(*operator, a, b),
                }
            }
        }
    }
}

/// The form of a result; `number` is the right operand where it is one.
fn form(operator: Operator, a: InWarp, b: InWarp, number: Option<i64>) -> Form {
    let both_same = a.is_same() && b.is_same();
    let both_rows = a.is_rows() && b.is_rows();
    let is_rows = match operator {
        Operator::Mul => both_same && (a.is_rows() || b.is_rows()),
        Operator::Shl => both_same && (a.is_rows() || number >= Some(5)),
        // The bits of the lane are cleared.
        Operator::And => {
            both_same && (a.is_rows() || b.is_rows())
                || a.is_lane() && b.is_rows()
                || a.is_rows() && b.is_lane()
        }
        Operator::Div | Operator::Shr | Operator::High => false,
        _ => both_rows && !operator.is_truth(),
    };
    let is_lane = match operator {
        Operator::Add => a.is_lane() && b.is_rows() || a.is_rows() && b.is_lane(),
        Operator::Sub => a.is_lane() && b.is_rows(),
        Operator::Rem => a.is_lane() && a.natural && b.is_rows(),
        _ => false,
    };
    let is_same = match operator {
        // Below 0 a quotient is rounded up.
        Operator::Div => a.is_lane() && a.natural && b.is_rows() && b.natural,
        Operator::Shr => a.is_lane() && number >= Some(5),
        Operator::Less => a.is_lane() && b.is_rows(),
        Operator::LessEqual => a.is_rows() && b.is_lane(),
        _ => false,
    };
    if is_rows {
        Form::Rows
    } else if is_lane {
        Form::Lane
    } else if both_same || is_same {
        Form::Same
    } else {
        Form::Any
    }
}

/// Whether a result is not below 0.
fn is_natural(operator: Operator, a: InWarp, b: InWarp) -> bool {
    match operator {
        Operator::Sub => false,
        Operator::Rem => a.natural,
        Operator::And => a.natural || b.natural,
        _ => operator.is_truth() || a.natural && b.natural,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::terms::IntKind;

    fn thread(terms: &mut Terms) -> TermId {
        terms.shared("threadIdx.x", SymbolKind::Thread(0), IntKind::UNSIGNED, 0)
    }

    /// Each operator with a number on the right, and whether it is the same for all lanes.
    #[test]
    fn quotients_by_whole_warps_are_the_same_for_all_lanes() {
        let cases = [
            (Operator::Div, 32, true),
            (Operator::Div, 128, true),
            (Operator::Div, 16, false),
            (Operator::Div, 48, false),
            (Operator::Shr, 5, true),
            (Operator::Shr, 4, false),
            (Operator::And, 0x60, true),
            (Operator::And, 0x70, false),
            (Operator::Rem, 32, false),
            (Operator::Less, 128, true),
            (Operator::Less, 100, false),
            (Operator::Mul, 32, false),
            (Operator::Add, 32, false),
        ];
        for (operator, right, expected) in cases {
            let mut terms = Terms::default();
            let thread = thread(&mut terms);
            let number = terms.number(right, IntKind::UNSIGNED);
            let term = terms.binary(operator, thread, number);
            assert_eq!(terms.is_of_warp(term), expected, "{operator:?} {right}");
            // A warp has the same number where the rule says so.
            let values: Vec<_> = (64..96)
                .map(|thread| {
                    super::super::numbers::on_numbers(operator, thread, right, IntKind::UNSIGNED)
                })
                .collect();
            let is_same = values
                .windows(2)
                .all(|pair| matches!(pair, [a, b] if a == b));
            assert!(is_same || !expected, "{operator:?} {right}");
        }
    }

    #[test]
    fn a_signed_quotient_needs_a_number_that_is_not_below_0() {
        let mut terms = Terms::default();
        let thread = thread(&mut terms);
        let thread = terms.convert(thread, IntKind::INT);
        let warp = terms.number(32, IntKind::INT);
        let before = terms.binary(Operator::Sub, thread, warp);
        let quotient = terms.binary(Operator::Div, before, warp);
        // -32 / 32 is -1, and -31 / 32 is 0.
        assert!(!terms.is_of_warp(quotient));
        let quotient = terms.binary(Operator::Div, thread, warp);
        let before = terms.binary(Operator::Sub, quotient, warp);
        assert_eq!(terms.alike(before), Some(Alike::Warp));
        assert_eq!(terms.alike(warp), Some(Alike::Block));
        assert_eq!(terms.alike(thread), None);
    }
}
