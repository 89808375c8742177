//! The instructions of a template of assembly, by their names and operands (PTX ISA, "Instruction Set").

use cute_hardware::descriptor::Generation;

use crate::access::{AccessKind, AccessSpace, GroupStep};

/// Bytes of a row of a matrix that a lane of `ldmatrix` names (PTX ISA, "ldmatrix").
pub(in crate::interpret::accesses) const ROW: i64 = 16;

/// Lanes that name a row of one matrix.
pub(in crate::interpret::accesses) const LANES_OF_MATRIX: i64 = 8;

/// An operand in brackets, `[%1+16]`: the register, and the bytes added.
pub(super) struct Bracket<'t> {
    pub(super) name: &'t str,
    pub(super) more: i64,
}

/// An access of an instruction.
pub(super) struct Found<'t> {
    pub(super) kind: AccessKind,
    /// The memory; nothing where any is meant.
    pub(super) space: Option<AccessSpace>,
    pub(super) bytes: i64,
    pub(super) at: Bracket<'t>,
    /// The lanes that name an address, the lowest ones; nothing where all do.
    pub(super) lanes: Option<i64>,
    /// Whether it arrives later.
    pub(super) is_asynchronous: bool,
}

/// An instruction: `@p ld.global.v4.f32 {%0, %1, %2, %3}, [%4]`.
pub(super) struct Instruction<'t> {
    /// The parts of its name.
    words: Vec<&'t str>,
    operands: Vec<&'t str>,
    /// Whether only some threads execute it.
    pub(super) is_predicated: bool,
}

/// The instructions of a template. Braces in an instruction hold a list of registers, others a scope.
pub(super) fn all(template: &str) -> Vec<Instruction<'_>> {
    let mut found = Vec::new();
    let (mut start, mut in_list) = (0, false);
    let mut end = |from: usize, to: usize| {
        found.extend(Instruction::read(
            template.get(from..to).unwrap_or_default(),
        ));
    };
    for (at, letter) in template.char_indices() {
        let is_empty = template
            .get(start..at)
            .is_none_or(|text| text.trim().is_empty());
        match letter {
            '{' if !is_empty => in_list = true,
            '}' if in_list => in_list = false,
            '{' | '}' | ';' => {
                end(start, at);
                (start, in_list) = (at + 1, false);
            }
            _ => {}
        }
    }
    end(start, template.len());
    found
}

impl<'t> Instruction<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let mut text = text.trim();
        // A label.
        if let Some((label, rest)) = text.split_once(char::is_whitespace)
            && label.ends_with(':')
        {
            text = rest.trim_start();
        }
        let is_predicated = text.starts_with('@');
        if is_predicated {
            text = text.split_once(char::is_whitespace)?.1.trim_start();
        }
        let end = text
            .find(|c: char| c.is_whitespace() || c == '{')
            .unwrap_or(text.len());
        let (name, operands) = text.split_at_checked(end)?;
        (!name.is_empty()).then(|| Self {
            words: name.split('.').collect(),
            operands: split(operands),
            is_predicated,
        })
    }

    /// Whether another instruction than the next one may follow.
    pub(super) fn is_jump(&self) -> bool {
        matches!(
            self.words.as_slice(),
            ["bra" | "brx" | "call" | "ret" | "exit", ..]
        )
    }

    /// The operands of a product of the tensor cores, some of which are matrix descriptors.
    pub(super) fn of_tensor_cores(&self) -> Option<(Generation, &[&'t str])> {
        let generation = match self.words.as_slice() {
            ["wgmma", "mma_async", ..] => Generation::Wgmma,
            ["tcgen05", "mma", ..] => Generation::Tcgen05,
            _ => return None,
        };
        Some((generation, &self.operands))
    }

    /// The registers of a move: to, from. The value stays the same.
    pub(super) fn moved(&self) -> Option<(&'t str, &'t str)> {
        let is_move = matches!(
            self.words.as_slice(),
            ["mov", "b32" | "u32" | "s32" | "b64" | "u64" | "s64"]
                | ["cvta", "u64" | "u32"]
                | ["cvta", "to", "shared" | "global", "u64" | "u32"]
                | ["cvt", "u32", "u64"]
                | ["cvt", "u64", "u32"]
        );
        match self.operands.as_slice() {
            [to, from] if is_move && is_register(to) && !from.starts_with('{') => Some((to, from)),
            _ => None,
        }
    }

    /// The registers of an exchange that gives all lanes of a warp the number of one: to, from.
    pub(super) fn of_one_lane(&self) -> Option<(&'t str, &'t str, Option<&'t str>)> {
        match (self.words.as_slice(), self.operands.as_slice()) {
            (["shfl", "sync", "idx", "b32"], [to, from, lane, clamp, ..]) if is_register(to) => {
                // The bound of segments that are whole warps.
                let is_whole = matches!(*clamp, "31" | "0x1f" | "0x1F");
                Some((to, from, is_whole.then_some(lane)))
            }
            _ => None,
        }
    }

    /// The register into which it loads one number of 32 bits.
    pub(super) fn loads_into(&self) -> Option<&'t str> {
        let is_number = matches!(self.words.last(), Some(&("b32" | "u32" | "s32")));
        match (self.words.first(), self.operands.as_slice()) {
            (Some(&"ld"), [to, _]) if is_number && is_register(to) => Some(to),
            _ => None,
        }
    }

    /// The registers that it writes: the first operand has them, where it is not an address.
    pub(super) fn written(&self) -> Vec<&'t str> {
        let first = self.operands.first().filter(|it| !it.starts_with('['));
        let names = first.into_iter().flat_map(|operand| {
            operand.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '%' | '$')))
        });
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The step of the groups of asynchronous copies of its thread (PTX ISA, "cp.async").
    pub(super) fn group_step(&self, constant: &dyn Fn(&str) -> Option<i64>) -> Option<GroupStep> {
        match self.words.as_slice() {
            ["cp", "async", "commit_group"] => Some(GroupStep::Close),
            ["cp", "async", "wait_all"] => Some(GroupStep::WaitForAll),
            ["cp", "async", "wait_group"] => {
                let open = self.operands.first();
                let open = open.and_then(|open| constant(open).or_else(|| open.parse().ok()));
                Some(open.map_or(GroupStep::Unknown, GroupStep::Wait))
            }
            _ => None,
        }
    }

    /// Its accesses of memory.
    pub(super) fn accesses(&self, constant: &dyn Fn(&str) -> Option<i64>) -> Vec<Found<'t>> {
        self.found(constant).unwrap_or_default()
    }

    fn found(&self, constant: &dyn Fn(&str) -> Option<i64>) -> Option<Vec<Found<'t>>> {
        let operand = |index: usize| self.operands.get(index).copied();
        match self.words.as_slice() {
            ["cp", "async", "ca" | "cg", rest @ ..] if rest.contains(&"global") => {
                let bytes = operand(2)?;
                let bytes = constant(bytes).or_else(|| bytes.parse().ok())?;
                let of = |kind, space, at| {
                    Some(Found {
                        kind,
                        space: Some(space),
                        bytes,
                        at: bracket(at)?,
                        lanes: None,
                        is_asynchronous: true,
                    })
                };
                let mut found = vec![of(AccessKind::Store, AccessSpace::Shared, operand(0)?)?];
                // With fewer bytes to read, zeros are stored.
                if self.operands.len() == 3 {
                    found.push(of(AccessKind::Load, AccessSpace::Global, operand(1)?)?);
                }
                Some(found)
            }
            ["ld", ..] => Some(vec![self.plain(AccessKind::Load, operand(1)?)?]),
            ["st", ..] => Some(vec![self.plain(AccessKind::Store, operand(0)?)?]),
            ["red", ..] => Some(vec![self.plain(AccessKind::Atomic, operand(0)?)?]),
            ["atom", ..] => Some(vec![self.plain(AccessKind::Atomic, operand(1)?)?]),
            ["ldmatrix", rest @ ..] if rest.contains(&"b16") => {
                self.matrices(AccessKind::Load, operand(1)?)
            }
            ["stmatrix", rest @ ..] if rest.contains(&"b16") => {
                self.matrices(AccessKind::Store, operand(0)?)
            }
            _ => None,
        }
    }

    /// Each lane of one, two or four groups of eight names a row.
    fn matrices(&self, kind: AccessKind, address: &'t str) -> Option<Vec<Found<'t>>> {
        let matrices = match *self.words.iter().find(|word| word.starts_with('x'))? {
            "x1" => 1,
            "x2" => 2,
            "x4" => 4,
            _ => return None,
        };
        Some(vec![Found {
            kind,
            space: Some(AccessSpace::Shared),
            bytes: ROW,
            at: bracket(address)?,
            lanes: (matrices < 4).then_some(matrices * LANES_OF_MATRIX),
            is_asynchronous: false,
        }])
    }

    /// A plain load or store: its type and the length of its vector say the bytes.
    fn plain(&self, kind: AccessKind, address: &'t str) -> Option<Found<'t>> {
        let has = |word: &str| self.words.contains(&word);
        // The memory of another CTA is not that of the operand; parameters and local memory are none.
        let is_elsewhere = has("shared::cluster")
            || has("async")
            || has("param")
            || has("local")
            || has("const")
            || has("multimem");
        let space = match (has("global"), has("shared") || has("shared::cta")) {
            _ if is_elsewhere => return None,
            (true, false) => Some(AccessSpace::Global),
            (false, true) => Some(AccessSpace::Shared),
            (false, false) => None,
            (true, true) => return None,
        };
        let bits: i64 = self.words.last()?.get(1..)?.parse().ok()?;
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
            lanes: None,
            is_asynchronous: false,
        })
    }
}

/// The operands of an instruction; commas in braces and brackets are inside of one.
fn split(operands: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0_usize, 0);
    let mut found = Vec::new();
    for (at, letter) in operands.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(operands.get(start..at).unwrap_or_default().trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = operands.get(start..).unwrap_or_default().trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}

/// Whether an operand is one register.
fn is_register(operand: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '$');
    !operand.is_empty() && operand.chars().all(is_letter)
}

/// `[%1]`, `[%1+16]`, `[%1 + 16]`
fn bracket(operand: &str) -> Option<Bracket<'_>> {
    let inner = operand.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, more) = match inner.split_once('+') {
        Some((name, more)) => (name, more.trim().parse().ok()?),
        None => (inner, 0),
    };
    Some(Bracket {
        name: name.trim(),
        more,
    })
}
