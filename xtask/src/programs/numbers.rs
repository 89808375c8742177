//! Integers of all types: promoted, converted, divided, compared. The generator computes with them, so that no program
//! overflows or divides by zero.

use super::random::Random;
use super::source::Writer;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Type {
    name: &'static str,
    bits: u32,
    is_signed: bool,
}

const fn ty(name: &'static str, bits: u32, is_signed: bool) -> Type {
    Type {
        name,
        bits,
        is_signed,
    }
}

const INT: Type = ty("int", 32, true);
const BOOL: Type = ty("bool", 1, false);
const TYPES: &[Type] = &[
    INT,
    INT,
    ty("unsigned", 32, false),
    ty("long", 64, true),
    ty("size_t", 64, false),
    ty("short", 16, true),
    ty("unsigned short", 16, false),
    ty("signed char", 8, true),
    ty("uint8_t", 8, false),
    ty("int64_t", 64, true),
    BOOL,
];

impl Type {
    fn converted(self, value: i128) -> i128 {
        if self == BOOL {
            return i128::from(value != 0);
        }
        let rest = value.rem_euclid(1 << self.bits);
        if self.is_signed && rest >= 1 << (self.bits - 1) {
            rest - (1 << self.bits)
        } else {
            rest
        }
    }

    fn promoted(self) -> Self {
        if self.bits < 32 { INT } else { self }
    }

    fn common(self, other: Self) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        let rank = |ty: Self| (ty.bits, !ty.is_signed);
        if rank(a) >= rank(b) { a } else { b }
    }
}

/// An expression with its value.
#[derive(Clone, Debug)]
struct Expr {
    text: String,
    ty: Type,
    value: i128,
}

fn literal(random: &mut Random) -> Expr {
    let value = if random.one_in(6) {
        random.between(0, 70_000)
    } else {
        random.between(0, 9)
    };
    let (suffix, ty) = [
        ("", INT),
        ("", INT),
        ("u", ty("unsigned", 32, false)),
        ("L", ty("long", 64, true)),
        ("ul", ty("unsigned long", 64, false)),
    ][random.between(0, 4) as usize];
    Expr {
        text: format!("{value}{suffix}"),
        ty,
        value: value.into(),
    }
}

fn expr(random: &mut Random, known: &[Expr], depth: u32) -> Expr {
    if depth == 0 || random.one_in(4) {
        return if known.is_empty() || random.one_in(3) {
            literal(random)
        } else {
            known[random.between(0, known.len() as i64 - 1) as usize].clone()
        };
    }
    for _ in 0..8 {
        if let Some(made) = compound(random, known, depth) {
            return made;
        }
    }
    literal(random)
}

fn compound(random: &mut Random, known: &[Expr], depth: u32) -> Option<Expr> {
    let a = expr(random, known, depth - 1);
    match random.between(0, 9) {
        0 => {
            let ty = a.ty.promoted();
            let value = ty.converted(-a.value);
            let fits = !ty.is_signed || value == -a.value;
            fits.then(|| Expr {
                text: format!("(-({}))", a.text),
                ty,
                value,
            })
        }
        1 => {
            let ty = a.ty.promoted();
            Some(Expr {
                text: format!("(~({}))", a.text),
                ty,
                value: ty.converted(!a.value),
            })
        }
        2 => {
            let to = TYPES[random.between(0, TYPES.len() as i64 - 1) as usize];
            let text = match random.between(0, 2) {
                0 => format!("static_cast<{}>({})", to.name, a.text),
                1 => format!("(({})({}))", to.name, a.text),
                _ if to.name.contains(' ') => format!("(({})({}))", to.name, a.text),
                _ => format!("{}({})", to.name, a.text),
            };
            Some(Expr {
                text,
                ty: to,
                value: to.converted(a.value),
            })
        }
        3 => {
            let (b, c) = (
                expr(random, known, depth - 1),
                expr(random, known, depth - 1),
            );
            let ty = if b.ty == c.ty {
                b.ty
            } else {
                b.ty.common(c.ty)
            };
            let taken = if a.value != 0 { &b } else { &c };
            Some(Expr {
                text: format!("(({}) ? ({}) : ({}))", a.text, b.text, c.text),
                ty,
                value: ty.converted(taken.value),
            })
        }
        _ => {
            let b = expr(random, known, depth - 1);
            binary(random, &a, &b)
        }
    }
}

fn binary(random: &mut Random, a: &Expr, b: &Expr) -> Option<Expr> {
    let op = random.pick(&[
        "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&",
        "||", "+", "-", "*", "/", "%",
    ]);
    let text = format!("({} {op} {})", a.text, b.text);
    if matches!(op, "<<" | ">>") {
        let ty = a.ty.promoted();
        if !(0..i128::from(ty.bits)).contains(&b.value) || a.value < 0 {
            return None;
        }
        let value = if op == "<<" {
            a.value.checked_shl(b.value as u32)?
        } else {
            a.value >> b.value
        };
        let fits = ty.converted(value) == value;
        return (fits || !ty.is_signed).then(|| Expr {
            text,
            ty,
            value: ty.converted(value),
        });
    }
    if matches!(op, "&&" | "||") {
        let (x, y) = (a.value != 0, b.value != 0);
        let value = if op == "&&" { x && y } else { x || y };
        return Some(Expr {
            text,
            ty: BOOL,
            value: value.into(),
        });
    }
    let ty = a.ty.common(b.ty);
    let (x, y) = (ty.converted(a.value), ty.converted(b.value));
    let truth = match op {
        "<" => Some(x < y),
        "<=" => Some(x <= y),
        ">" => Some(x > y),
        ">=" => Some(x >= y),
        "==" => Some(x == y),
        "!=" => Some(x != y),
        _ => None,
    };
    if let Some(truth) = truth {
        return Some(Expr {
            text,
            ty: BOOL,
            value: truth.into(),
        });
    }
    let value = match op {
        "+" => x + y,
        "-" => x - y,
        "*" => x.checked_mul(y)?,
        "/" => x.checked_div(y)?,
        "%" => x.checked_rem(y)?,
        "&" => x & y,
        "|" => x | y,
        _ => x ^ y,
    };
    let fits = ty.converted(value) == value;
    (fits || !ty.is_signed).then(|| Expr {
        text,
        ty,
        value: ty.converted(value),
    })
}

/// Constants, each made of those before it, and their `sizeof` and `decltype`.
pub(super) fn arithmetic(writer: &mut Writer<'_>) {
    let in_function = writer.one_in(2);
    if in_function {
        writer.run();
    }
    let mut known: Vec<Expr> = Vec::new();
    for _ in 0..writer.between(3, 7) {
        let made = expr(writer.random, &known, 3);
        let to = TYPES[writer.between(0, TYPES.len() as i64 - 1) as usize];
        let to = if writer.one_in(4) { made.ty } else { to };
        let name = writer.probe(to.name, &made.text);
        known.push(Expr {
            text: name,
            ty: to,
            value: to.converted(made.value),
        });
    }
    let last = expr(writer.random, &known, 2);
    writer.probe("size_t", &format!("sizeof({})", last.text));
    let other = TYPES[writer.between(0, TYPES.len() as i64 - 1) as usize];
    let same = format!(
        "std::is_same_v<decltype({} + 0), {}>",
        last.text, other.name
    );
    writer.probe("bool", &same);
    if in_function {
        writer.end();
    }
}
