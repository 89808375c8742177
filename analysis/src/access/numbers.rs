//! Operators on numbers, as C++ has them.

use super::terms::{IntKind, Operator};

/// An operator on numbers of a type; `None` where C++ leaves it open or we do not hold the result.
pub(crate) fn on_numbers(operator: Operator, a: i64, b: i64, kind: IntKind) -> Option<i64> {
    let truth = |truth: bool| Some(i64::from(truth));
    let exact = match operator {
        Operator::Add => a.checked_add(b)?,
        Operator::Sub => a.checked_sub(b)?,
        Operator::Mul => a.checked_mul(b)?,
        Operator::Div => a.checked_div(b)?,
        Operator::Rem => a.checked_rem(b)?,
        Operator::Shl => {
            let by = u32::try_from(b).ok().filter(|by| *by < kind.bits)?;
            let wide = i128::from(a) << by;
            if kind.signed {
                i64::try_from(wide).ok()?
            } else {
                i64::try_from(wide & ((1_i128 << kind.bits) - 1)).ok()?
            }
        }
        Operator::Shr => a >> u32::try_from(b).ok().filter(|by| *by < kind.bits)?,
        Operator::And => a & b,
        Operator::Or => a | b,
        Operator::Xor => a ^ b,
        Operator::Min => a.min(b),
        Operator::Max => a.max(b),
        Operator::Less => return truth(a < b),
        Operator::LessEqual => return truth(a <= b),
        Operator::Equal => return truth(a == b),
        Operator::NotEqual => return truth(a != b),
        Operator::Both => return truth(a != 0 && b != 0),
        Operator::Either => return truth(a != 0 || b != 0),
    };
    let held = kind.converted(exact)?;
    // A signed number that does not fit is undefined, an unsigned one begins anew.
    (!kind.signed || held == exact).then_some(held)
}
