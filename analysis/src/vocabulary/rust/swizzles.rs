//! Swizzles in the conventions of other libraries.

use cute_algebra::Swizzle;

use super::super::call::number;
use super::super::{Call, Evaluated, Problem};
use crate::convention::{Convention, ForeignSwizzle};
use crate::reason::Reason;
use crate::value::Value;

/// The swizzle of three constants in a convention; an illegal one is refused.
pub(super) fn foreign(call: &Call<'_>, constants: &[Value], convention: Convention) -> Evaluated {
    let written: Option<Vec<i64>> = constants.iter().map(number).collect();
    let Some([bits, base, shift]) = written.as_deref() else {
        for constant in constants {
            super::argument(constant)?;
        }
        return Err(call.takes("three constants"));
    };
    let relative = convention
        .relative_shift(*base, *shift)
        .ok_or(Problem::Unknown(Reason::Refused("overflow", "".into())))?;
    Ok(Value::ForeignSwizzle(Box::new(ForeignSwizzle {
        convention,
        written: [*bits, *base, *shift],
        swizzle: Swizzle::new(*bits, *base, relative)?,
    })))
}
