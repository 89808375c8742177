//! Instructions of PTX in assembly statements, by their names: which of them other threads may notice.

/// Instructions that compute in registers, of one thread or of a warp, and hints to caches (PTX ISA, "Instruction Set").
const COMPUTES: &[&str] = &[
    "abs",
    "add",
    "addc",
    "and",
    "applypriority",
    "bfe",
    "bfi",
    "bfind",
    "brev",
    "clz",
    "copysign",
    "cos",
    "createpolicy",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "isspacep",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "match",
    "max",
    "min",
    "mma",
    "mov",
    "movmatrix",
    "mul",
    "mul24",
    "neg",
    "not",
    "or",
    "popc",
    "prefetch",
    "prefetchu",
    "prmt",
    "rcp",
    "redux",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "subc",
    "tanh",
    "vote",
    "xor",
];

/// Words of loads and stores that other threads may wait for.
const ORDERING: &[&str] = &["acquire", "async", "mmio", "relaxed", "release", "volatile"];

/// The strings of the template of an assembly statement, one after the other.
pub(crate) fn template(text: &str) -> String {
    let mut found = String::new();
    let (mut is_inside, mut has_begun) = (false, false);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, is_inside) {
            ('\\', true) => {
                // `\n` and `\t` are blanks.
                letters.next();
                found.push(' ');
            }
            ('"', _) => {
                is_inside = !is_inside;
                has_begun = true;
            }
            // The operands of C++, and those of Rust.
            (':' | ',', false) if has_begun => break,
            (letter, true) => found.push(letter),
            _ => {}
        }
    }
    found
}

/// An instruction of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction<'t> {
    /// Its name with the words behind it, `bar.sync`.
    pub(crate) name: &'t str,
    /// The operands, as they are written.
    pub(crate) operands: &'t str,
    /// Whether a predicate decides if it is performed.
    pub(crate) is_predicated: bool,
}

/// The instructions of a template; directives and lists of registers are none.
pub(crate) fn instructions(template: &str) -> impl Iterator<Item = Instruction<'_>> {
    let pieces = template.split([';', '{', '}']);
    pieces.filter_map(|piece| {
        let mut is_predicated = false;
        let mut rest = piece.trim_start();
        loop {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, behind) = rest.split_at_checked(end)?;
            // A predicate or a label is before the instruction.
            let is_predicate = word.starts_with('@');
            if !is_predicate && !word.ends_with(':') {
                return word
                    .starts_with(|letter: char| letter.is_ascii_lowercase())
                    .then_some(Instruction {
                        name: word,
                        operands: behind.trim(),
                        is_predicated,
                    });
            }
            is_predicated |= is_predicate;
            rest = behind.trim_start();
        }
    })
}

/// The numbers of the operands of an instruction that are given from outside, in order: 0, 2 of `[%0], 4, %2`.
pub(crate) fn places(operands: &str) -> Vec<usize> {
    let of_operand = |operand: &str| {
        let written = operand.trim().trim_matches(['[', ']']);
        written.trim().strip_prefix('%')?.parse().ok()
    };
    operands.split(',').filter_map(of_operand).collect()
}

/// The number of the first operand that is an address: 1 of `%0, [%1]`.
pub(crate) fn address(operands: &str) -> Option<usize> {
    let (_, behind) = operands.split_once('[')?;
    let (address, _) = behind.split_once(']')?;
    address.trim().strip_prefix('%')?.parse().ok()
}

/// The names of the instructions of a template.
pub(crate) fn names(template: &str) -> impl Iterator<Item = &str> {
    instructions(template).map(|instruction| instruction.name)
}

/// Whether an instruction changes nothing but registers and global memory, and no thread waits for it.
pub(crate) fn computes(name: &str) -> bool {
    let words: Vec<&str> = name.split('.').collect();
    match words.as_slice() {
        ["ld" | "ldu" | "st", rest @ ..] => rest.contains(&"global") && !is_ordering(rest),
        [first, ..] => COMPUTES.contains(first),
        [] => false,
    }
}

/// Whether an instruction works for its own thread or warp: nothing waits for it, and it waits for no other warp.
pub(crate) fn is_alone(name: &str) -> bool {
    let words: Vec<&str> = name.split('.').collect();
    match words.as_slice() {
        ["ld" | "ldu" | "st", rest @ ..] => {
            !is_ordering(rest) && !rest.contains(&"shared::cluster")
        }
        ["ldmatrix" | "stmatrix", ..] => true,
        ["cp", "async", what, ..] => {
            matches!(
                *what,
                "ca" | "cg" | "commit_group" | "wait_all" | "wait_group"
            )
        }
        _ => computes(name),
    }
}

/// Whether an instruction stores to memory.
pub(crate) fn stores(name: &str) -> bool {
    let words: Vec<&str> = name.split('.').collect();
    matches!(
        words.as_slice(),
        ["st" | "stmatrix", ..] | ["cp", "async", "ca" | "cg", ..]
    )
}

/// Whether an instruction is a fence: it orders what its thread does, and waits for none.
pub(crate) fn is_fence(name: &str) -> bool {
    matches!(name.split('.').next(), Some("fence" | "membar"))
}

fn is_ordering(words: &[&str]) -> bool {
    words.iter().any(|word| ORDERING.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_names_behind_predicates_and_labels() {
        let text = r#"asm volatile("{\n.reg .pred p;\nLOOP:\n@p bra DONE;\nmma.sync.aligned {%0, %1}, {%2};\n}" :: "r"(x))"#;
        let template = template(text);
        let found: Vec<&str> = names(&template).collect();
        assert_eq!(found, ["bra", "mma.sync.aligned"]);
    }

    #[test]
    fn barriers_and_arrivals_are_not_alone() {
        for name in [
            "bar.sync",
            "barrier.cluster.wait",
            "cp.async.bulk.shared",
            "cp.async.mbarrier.arrive.noinc",
            "ld.acquire.gpu.global.u32",
            "mbarrier.arrive.shared",
            "st.async.shared::cluster",
        ] {
            assert!(!is_alone(name), "{name}");
        }
        for name in [
            "cp.async.cg.shared.global",
            "ldmatrix.sync.aligned.x4",
            "st.shared.u32",
        ] {
            assert!(is_alone(name) && !computes(name), "{name}");
        }
    }
}
