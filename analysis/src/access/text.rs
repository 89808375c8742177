//! Terms as C++ writes them.

use std::fmt::Write as _;

use super::terms::{IntKind, Operator, Term, TermId, Terms};
use crate::limits;

/// The precedence of an operator, as in C++.
fn strength(operator: Operator) -> u8 {
    match operator {
        Operator::Mul | Operator::Div | Operator::Rem => 10,
        Operator::Add | Operator::Sub => 9,
        Operator::Shl | Operator::Shr => 8,
        Operator::Less | Operator::LessEqual => 7,
        Operator::Equal | Operator::NotEqual => 6,
        Operator::And => 5,
        Operator::Xor => 4,
        Operator::Or => 3,
        Operator::Both => 2,
        Operator::Either => 1,
        Operator::Min | Operator::Max | Operator::High => 11,
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Mul => "*",
        Operator::Div => "/",
        Operator::Rem => "%",
        Operator::Add => " + ",
        Operator::Sub => " - ",
        Operator::Shl => " << ",
        Operator::Shr => " >> ",
        Operator::Less => " < ",
        Operator::LessEqual => " <= ",
        Operator::Equal => " == ",
        Operator::NotEqual => " != ",
        Operator::And => " & ",
        Operator::Xor => " ^ ",
        Operator::Or => " | ",
        Operator::Both => " && ",
        Operator::Either => " || ",
        Operator::Min => "min",
        Operator::Max => "max",
        Operator::High => "__umulhi",
    }
}

/// A term as C++ writes it, without the conversions that change nothing; a long one is cut, and has its number.
pub(crate) fn of(terms: &Terms, id: TermId) -> String {
    let mut written = String::new();
    write(terms, id, 0, &mut written);
    if written.contains('…') {
        written.push_str(&id.index().to_string());
    }
    written
}

fn write(terms: &Terms, id: TermId, around: u8, out: &mut String) {
    if out.len() > limits::ACCESS_TEXT {
        if !out.ends_with('…') {
            out.push('…');
        }
        return;
    }
    if let Some(name) = terms.said(id) {
        out.push_str(name);
        return;
    }
    match terms.term(id) {
        Term::Number(value) => out.push_str(&value.to_string()),
        Term::Symbol(symbol) => {
            if let Some(symbol) = terms.symbol(*symbol) {
                out.push_str(&symbol.name);
            }
        }
        Term::Unknown(_) => out.push('?'),
        Term::Convert(inner) => match (terms.kind(id), terms.as_number(*inner)) {
            // A number beyond 63 bits.
            (IntKind::UNSIGNED_LONG, Some(below @ ..0)) => {
                out.push_str(&below.cast_unsigned().to_string());
            }
            (kind, _) if kind.bits >= 32 => write(terms, *inner, around, out),
            (kind, _) => {
                let sign = if kind.signed { "" } else { "u" };
                let _ = write!(out, "({sign}int{}_t)", kind.bits);
                write(terms, *inner, 12, out);
            }
        },
        Term::Not(inner) => {
            out.push('!');
            write(terms, *inner, 12, out);
        }
        Term::Select(condition, then, otherwise) => {
            out.push('(');
            write(terms, *condition, 1, out);
            out.push_str(" ? ");
            write(terms, *then, 1, out);
            out.push_str(" : ");
            write(terms, *otherwise, 1, out);
            out.push(')');
        }
        Term::Binary(operator, a, b) if operator.is_call() => {
            out.push_str(sign(*operator));
            out.push('(');
            write(terms, *a, 0, out);
            out.push_str(", ");
            write(terms, *b, 0, out);
            out.push(')');
        }
        Term::Binary(operator, a, b) => {
            let own = strength(*operator);
            // `a & b + c` reads as another thing than it is to most people.
            let bitwise = (3..9).contains(&own) && around > 0 && around != own;
            let inside = own < around || bitwise;
            if inside {
                out.push('(');
            }
            write(terms, *a, own, out);
            out.push_str(sign(*operator));
            write(terms, *b, own + 1, out);
            if inside {
                out.push(')');
            }
        }
    }
}
