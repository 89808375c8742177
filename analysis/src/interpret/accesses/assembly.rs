//! Loads, stores and copies that are written as instructions of PTX, with computed addresses: the operands in brackets.

use std::sync::Arc;

use tree_sitter_cute::tree::Expr;

use super::Walker;
use super::held::{Count, Held, Pointer, Ty};
use crate::access::terms::{IntKind, Operator};
use crate::access::{AccessKind, AccessSpace, INDEX};

/// Bytes of a row of a matrix that a lane of `ldmatrix` names (PTX ISA, "ldmatrix").
const ROW: i64 = 16;

/// An operand in brackets, `[%1+16]`: the place of the operand, and the bytes added.
struct Bracket {
    operand: usize,
    more: i64,
}

/// An access of an instruction.
struct Found {
    kind: AccessKind,
    space: AccessSpace,
    bytes: i64,
    at: Bracket,
}

impl<'u> Walker<'_, 'u> {
    /// `asm("..." : outputs : inputs)`.
    pub(super) fn assembly(&mut self, expr: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        let values = self.values(args);
        let template = template(self.it.program.slice(expr.span));
        for found in accesses(&template, &|place| self.constant(values.get(place))) {
            let held = values.get(found.at.operand).cloned();
            let place = self.addressed(held, &found);
            self.met(expr.span, found.kind, &place, None);
        }
        self.forget_passed(args);
        self.unseen();
        Held::Other("assembly is not followed".into(), None)
    }

    /// The number of an operand that is a constant.
    fn constant(&self, held: Option<&Held<'u>>) -> Option<i64> {
        match held {
            Some(Held::Int(term)) => self.out.terms.as_number(*term),
            _ => None,
        }
    }

    /// The place that an operand in brackets is the address of.
    fn addressed(&mut self, held: Option<Held<'u>>, found: &Found) -> Result<Pointer, Arc<str>> {
        let byte = Ty::Int(IntKind::new(8, false));
        let held = match held {
            Some(Held::Int(term)) if self.has_address(term) => self.as_pointer(term, byte.clone()),
            Some(held) => held,
            None => return Err("an operand of assembly".into()),
        };
        let pointer = match held {
            Held::Pointer(pointer) => pointer,
            other => return Err(other.reason()),
        };
        let is_there = pointer
            .memory
            .as_ref()
            .is_some_and(|memory| memory.space == found.space);
        if !is_there {
            return Err("assembly names other memory than its operand".into());
        }
        let more = self.terms().number(found.at.more, INDEX);
        let offset = self.terms().binary(Operator::Add, pointer.offset, more);
        Ok(Pointer {
            offset,
            target: Ty::Array(Box::new(byte), Some(Count::Known(found.bytes))),
            ..pointer
        })
    }
}

/// The strings of the template of an assembly statement, one after the other.
fn template(text: &str) -> String {
    let mut found = String::new();
    let mut is_inside = false;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, is_inside) {
            ('\\', true) => {
                // `\n` and `\t` are blanks.
                letters.next();
                found.push(' ');
            }
            ('"', _) => is_inside = !is_inside,
            // The operands.
            (':', false) => break,
            (letter, true) => found.push(letter),
            _ => {}
        }
    }
    found
}

/// The accesses of the instructions of a template.
fn accesses(template: &str, constant: &dyn Fn(usize) -> Option<i64>) -> Vec<Found> {
    let mut found = Vec::new();
    for instruction in template.split([';', '{', '}']) {
        let instruction = instruction.trim();
        // Only some threads execute it.
        if instruction.starts_with('@') {
            return Vec::new();
        }
        let Some((name, operands)) = instruction.split_once(char::is_whitespace) else {
            continue;
        };
        found.extend(
            of_instruction(name, operands, constant)
                .into_iter()
                .flatten(),
        );
    }
    // An instruction with a list of registers in braces is apart from its address.
    if found.is_empty() {
        found.extend(with_list(template));
    }
    found
}

fn of_instruction(
    name: &str,
    operands: &str,
    constant: &dyn Fn(usize) -> Option<i64>,
) -> Option<Vec<Found>> {
    let words: Vec<&str> = name.split('.').collect();
    let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
    match words.as_slice() {
        ["cp", "async", "ca" | "cg", rest @ ..] if rest.contains(&"global") => {
            let bytes = *operands.get(2)?;
            let bytes = match bytes.strip_prefix('%') {
                Some(place) => constant(place.parse().ok()?)?,
                None => bytes.parse().ok()?,
            };
            // With fewer bytes to read, zeros are stored.
            let whole = operands.len() == 3;
            let mut found = vec![Found {
                kind: AccessKind::Store,
                space: AccessSpace::Shared,
                bytes,
                at: bracket(operands.first()?)?,
            }];
            if whole {
                found.push(Found {
                    kind: AccessKind::Load,
                    space: AccessSpace::Global,
                    bytes,
                    at: bracket(operands.get(1)?)?,
                });
            }
            Some(found)
        }
        ["ld", ..] => Some(vec![plain(&words, AccessKind::Load, operands.last()?)?]),
        ["st", ..] => Some(vec![plain(&words, AccessKind::Store, operands.first()?)?]),
        _ => None,
    }
}

/// `ld.global.v4.f32 {%0, %1, %2, %3}, [%4]` and `st.global.v4.f32 [%0], {%1, ..}`: the only instruction of a template.
fn with_list(template: &str) -> Option<Found> {
    let instruction = template.trim().trim_end_matches(';').trim_end();
    if instruction.contains(';') || instruction.starts_with('@') {
        return None;
    }
    let (name, rest) = instruction.split_once(|c: char| c.is_whitespace() || c == '{')?;
    let words: Vec<&str> = name.split('.').collect();
    let address = rest.get(rest.find('[')?..)?;
    let address = address.get(..=address.find(']')?)?;
    match words.as_slice() {
        ["ld", ..] => plain(&words, AccessKind::Load, address),
        ["st", ..] => plain(&words, AccessKind::Store, address),
        // All lanes name a row.
        ["ldmatrix", rest @ ..] if rest.contains(&"x4") && rest.contains(&"b16") => Some(Found {
            kind: AccessKind::Load,
            space: AccessSpace::Shared,
            bytes: ROW,
            at: bracket(address)?,
        }),
        _ => None,
    }
}

/// A plain load or store: its type and the length of its vector say the bytes.
fn plain(words: &[&str], kind: AccessKind, address: &str) -> Option<Found> {
    let has = |word: &str| words.contains(&word);
    // The memory of another CTA is not that of the operand.
    let is_remote = has("shared::cluster") || has("async");
    let space = match (has("global"), has("shared") || has("shared::cta")) {
        (true, false) => AccessSpace::Global,
        (false, true) if !is_remote => AccessSpace::Shared,
        _ => return None,
    };
    let bits: i64 = words.last()?.get(1..)?.parse().ok()?;
    let vector = match (has("v2"), has("v4"), has("v8")) {
        (true, ..) => 2,
        (_, true, _) => 4,
        (.., true) => 8,
        _ => 1,
    };
    Some(Found {
        kind,
        space,
        bytes: (bits % 8 == 0).then_some(bits / 8 * vector)?,
        at: bracket(address)?,
    })
}

/// `[%1]`, `[%1+16]`, `[%1 + 16]`
fn bracket(operand: &str) -> Option<Bracket> {
    let inner = operand.trim().strip_prefix('[')?.strip_suffix(']')?;
    let inner = inner.trim().strip_prefix('%')?;
    let (place, more) = match inner.split_once('+') {
        Some((place, more)) => (place, more.trim().parse().ok()?),
        None => (inner, 0),
    };
    Some(Bracket {
        operand: place.trim().parse().ok()?,
        more,
    })
}
