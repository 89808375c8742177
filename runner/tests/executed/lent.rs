//! Instructions of our kernels that the machine lacks: each becomes a call of a PTX function that is made of
//! instructions which the machine has, and that is compared with the numbers of Rust separately. The other
//! instructions, the parameters, the labels and the addresses stay those of the text.

use std::collections::BTreeSet;

use cute_runner::job::Launch;

use crate::text::{Module, Statement};

/// The arithmetic that is lent, by opcode without its type.
pub(crate) const ARITHMETIC: [&str; 4] = ["div", "rem", "shr", "xor"];

/// The module in instructions of the machine; nothing where something of it cannot be lent.
pub(crate) fn lent(text: &str, launch: Launch, lacking: &BTreeSet<String>) -> Option<String> {
    let module = Module::of(text);
    let mut calls = BTreeSet::new();
    let mut body = declarations(launch);
    for statement in module.body() {
        let statement = &with_decimal_numbers(statement);
        if statement.opcode == ".reg" || !lacking.contains(&statement.form()) {
            body.push(statement.clone());
            continue;
        }
        let mut instead = replaced(statement, launch, &mut calls)?;
        if let Some(first) = instead.first_mut() {
            first.label.clone_from(&statement.label);
        }
        // A guard skips one instruction.
        if statement.guard.is_some() {
            return None;
        }
        body.extend(instead);
    }
    let functions: String = calls
        .iter()
        .map(|(name, bits)| function(name, *bits))
        .collect();
    Some(module.with_body(&functions, &body))
}

fn declarations(launch: Launch) -> Vec<Statement> {
    let mut found = Vec::new();
    if launch.shared_bytes > 0 {
        let shared = format!(".b8 smem[{}]", launch.shared_bytes);
        found.push(Statement::new(".shared", &[&shared]));
    }
    for bits in [32, 64] {
        found.push(Statement::new(
            ".reg",
            &[&format!(".b{bits} %lent{bits}_<2>")],
        ));
        for name in ["left", "right", "result"] {
            found.push(Statement::new(
                ".param",
                &[&format!(".b{bits} lent_{name}{bits}")],
            ));
        }
    }
    found
}

/// The machine reads decimal numbers only.
fn with_decimal_numbers(statement: &Statement) -> Statement {
    let mut statement = statement.clone();
    for operand in &mut statement.operands {
        if let Some(digits) = operand.strip_prefix("0x") {
            *operand = i64::from_str_radix(digits, 16).unwrap().to_string();
        }
    }
    statement
}

/// The statements for one that the machine lacks.
fn replaced(
    statement: &Statement,
    launch: Launch,
    calls: &mut BTreeSet<(String, u32)>,
) -> Option<Vec<Statement>> {
    let (name, modifiers) = statement.opcode.split_once('.')?;
    match (name, statement.operands.as_slice()) {
        (_, [to, left, right]) if ARITHMETIC.contains(&name) => {
            let bits = if modifiers.ends_with("64") { 64 } else { 32 };
            calls.insert((name.to_owned(), bits));
            Some(call(name, bits, to, left, right))
        }
        ("mov", [to, special]) => {
            let value = match special.as_str() {
                "%nctaid.x" => launch.blocks.to_string(),
                // Nothing is timed here.
                "%clock64" => "0".to_owned(),
                _ => return None,
            };
            Some(vec![Statement::new(&statement.opcode, &[to, &value])])
        }
        // Hints to a cache change no value.
        ("ld", [to, from]) => {
            let opcode = statement.opcode.replace(".nc.L1::no_allocate", "");
            Some(parts(&opcode, to, from, true))
        }
        ("st", [to, from]) => Some(parts(&statement.opcode, from, to, false)),
        _ => None,
    }
}

/// One access for each register of a vector.
fn parts(opcode: &str, registers: &str, address: &str, is_load: bool) -> Vec<Statement> {
    let opcode = opcode.replace(".v2", "").replace(".v4", "");
    let bytes = if opcode.ends_with("64") { 8 } else { 4 };
    let base = address.trim_matches(['[', ']']);
    let list = registers.trim_matches(['{', '}']).split(',').map(str::trim);
    list.enumerate()
        .map(|(place, register)| {
            let address = match place {
                0 => format!("[{base}]"),
                _ => format!("[{base}+{}]", place * bytes),
            };
            if is_load {
                Statement::new(&opcode, &[register, &address])
            } else {
                Statement::new(&opcode, &[&address, register])
            }
        })
        .collect()
}

/// A call of a function that is lent.
fn call(name: &str, bits: u32, to: &str, left: &str, right: &str) -> Vec<Statement> {
    let (mov, st, ld) = (
        format!("mov.b{bits}"),
        format!("st.param.b{bits}"),
        format!("ld.param.b{bits}"),
    );
    let registers = [format!("%lent{bits}_0"), format!("%lent{bits}_1")];
    let [into_left, into_right, result] =
        ["left", "right", "result"].map(|name| format!("lent_{name}{bits}"));
    vec![
        Statement::new(&mov, &[&registers[0], left]),
        Statement::new(&mov, &[&registers[1], right]),
        Statement::new(&st, &[&format!("[{into_left}]"), &registers[0]]),
        Statement::new(&st, &[&format!("[{into_right}]"), &registers[1]]),
        Statement::new(
            "call",
            &[
                &format!("({result})"),
                &format!("lent_{name}{bits}"),
                &format!("({into_left}, {into_right})"),
            ],
        ),
        Statement::new(&ld, &[to, &format!("[{result}]")]),
    ]
}

/// A function that is lent, in instructions that the machine has.
pub(crate) fn function(name: &str, bits: u32) -> String {
    let code = match (name, bits) {
        ("xor", _) => exclusive_or(bits),
        ("shr", 32) => SHIFT_OF_32.to_owned(),
        ("shr", _) => SHIFT_OF_64.to_owned(),
        ("div", _) => long_division(bits, "%d2"),
        ("rem", _) => long_division(bits, "%d3"),
        _ => panic!("{name} is not lent"),
    };
    format!(
        ".visible .func (.param .b{bits} result) lent_{name}{bits}(.param .b{bits} left, .param .b{bits} right)\n{{\n\
         .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>; .local .b64 cell;\n{code}ret;\n}}\n"
    )
}

/// The bits of either less those of both.
fn exclusive_or(bits: u32) -> String {
    let register = if bits == 64 { "%d" } else { "%r" };
    format!(
        "ld.param.b{bits} {register}0, [left]; ld.param.b{bits} {register}1, [right];
or.b{bits} {register}2, {register}0, {register}1; and.b{bits} {register}3, {register}0, {register}1;
sub.u{bits} {register}4, {register}2, {register}3; st.param.b{bits} [result], {register}4;
"
    )
}

/// The upper half of 64 bits, whose lower half takes what is shifted out.
const SHIFT_OF_32: &str = "ld.param.b32 %r0, [left]; ld.param.b32 %r1, [right];
sub.u32 %r2, 32, %r1; cvt.u64.u32 %d0, %r0; cvt.u64.u32 %d1, %r2;
shl.b64 %d0, %d0, %d1; st.local.b64 [cell], %d0; ld.local.b32 %r3, [cell+4]; st.param.b32 [result], %r3;
";

/// The same for each half; from 32 on the upper half is the lower one first.
const SHIFT_OF_64: &str = "ld.param.b64 %d0, [left]; ld.param.b64 %d1, [right];
st.local.b64 [cell], %d0; ld.local.b32 %r0, [cell]; ld.local.b32 %r1, [cell+4]; cvt.u32.u64 %r2, %d1;
setp.lt.u32 %p0, %r2, 32; @%p0 bra SHORT;
mov.b32 %r0, %r1; mov.b32 %r1, 0; sub.u32 %r2, %r2, 32;
SHORT: sub.u32 %r3, 32, %r2; cvt.u64.u32 %d2, %r3; cvt.u64.u32 %d3, %r0; cvt.u64.u32 %d4, %r1;
shl.b64 %d3, %d3, %d2; shl.b64 %d4, %d4, %d2;
st.local.b64 [cell], %d3; ld.local.b32 %r4, [cell+4];
st.local.b64 [cell], %d4; ld.local.b32 %r5, [cell]; ld.local.b32 %r6, [cell+4];
or.b32 %r4, %r4, %r5; st.local.b32 [cell], %r4; st.local.b32 [cell+4], %r6;
ld.local.b64 %d5, [cell]; st.param.b64 [result], %d5;
";

/// Digit by digit from the highest: the quotient in `%d2`, the remainder in `%d3`.
fn long_division(bits: u32, result: &str) -> String {
    let (read, write) = if bits == 64 {
        (
            "ld.param.b64 %d0, [left]; ld.param.b64 %d1, [right];".to_owned(),
            format!("st.param.b64 [result], {result};"),
        )
    } else {
        (
            "ld.param.b32 %r0, [left]; ld.param.b32 %r1, [right]; cvt.u64.u32 %d0, %r0; cvt.u64.u32 %d1, %r1; \
             shl.b64 %d0, %d0, 32;"
                .to_owned(),
            format!("cvt.u32.u64 %r2, {result}; st.param.b32 [result], %r2;"),
        )
    };
    format!(
        "{read} mov.b64 %d2, 0; mov.b64 %d3, 0; mov.b32 %r3, 0;
NEXT: setp.ge.u32 %p0, %r3, {bits}; @%p0 bra END;
shl.b64 %d2, %d2, 1; shl.b64 %d3, %d3, 1; and.b64 %d4, %d0, {}; setp.eq.u64 %p1, %d4, 0; @%p1 bra ZERO;
or.b64 %d3, %d3, 1;
ZERO: shl.b64 %d0, %d0, 1; add.u32 %r3, %r3, 1; setp.lt.u64 %p1, %d3, %d1; @%p1 bra NEXT;
sub.u64 %d3, %d3, %d1; or.b64 %d2, %d2, 1; bra NEXT;
END: {write}
",
        i64::MIN
    )
}
