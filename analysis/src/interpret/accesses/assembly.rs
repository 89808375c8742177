//! Instructions of PTX in a kernel: their loads, stores and copies with computed addresses, and the values that they move
//! from one register to another.

pub(super) mod instruction;

use std::collections::BTreeMap;
use std::sync::Arc;

use tree_sitter_cute::tree::Expr;

use self::instruction::{Bracket, Found, Instruction};
use super::held::{Count, Held, Pointer, Ty};
use super::{AXES, Walker};
use crate::access::alike::WARP;
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};
use crate::access::{AccessKind, Guard, INDEX};
use crate::ptx;
use crate::walk;

/// Special registers that are the same for all threads of a block (PTX ISA, "Special Registers").
const OF_BLOCK: &[&str] = &[
    "cluster_ctaid",
    "cluster_ctarank",
    "cluster_nctaid",
    "cluster_nctarank",
    "clusterid",
    "gridid",
    "nclusterid",
    "nsmid",
    "smid",
];

/// The values of registers, by their names in the template.
type Registers<'u> = BTreeMap<String, Held<'u>>;

impl<'u> Walker<'_, 'u> {
    /// `asm("..." : outputs : inputs)`.
    pub(super) fn assembly(&mut self, expr: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        let mut registers = Registers::new();
        for (index, arg) in args.iter().enumerate() {
            let held = match walk::written_by_assembly(arg) {
                Some(output) => match self.part(output).map(|local| local.held.clone()) {
                    Some(held @ (Held::Int(_) | Held::Pointer(_))) => held,
                    _ => Held::Other("an operand of assembly".into(), None),
                },
                None => self.value(arg),
            };
            registers.insert(format!("%{index}"), held);
        }
        let template = self.template_of(expr);
        let instructions = instruction::all(&template);
        let goes_straight = !instructions.iter().any(Instruction::is_jump);
        for instruction in &instructions {
            let Some((generation, operands)) = instruction.of_tensor_cores() else {
                continue;
            };
            for operand in operands {
                if let Some(Held::Int(term)) = registers.get(*operand) {
                    self.describes(expr.span, generation, *term);
                }
            }
        }
        let mut unseen = ptx::names(&template)
            .filter(|name| ptx::stores(name))
            .count();
        for instruction in &instructions {
            let stored = self.instruction(expr, instruction, &mut registers, goes_straight);
            unseen = unseen.saturating_sub(stored);
        }
        for (index, arg) in args.iter().enumerate() {
            if let Some(output) = walk::written_by_assembly(arg) {
                let held = registers.remove(&format!("%{index}"));
                let held = held.filter(|_| goes_straight);
                let nothing = || Held::Other("assembly is not followed".into(), None);
                self.store(output, held.unwrap_or_else(nothing));
            }
        }
        if template.is_empty() || !ptx::names(&template).all(ptx::is_alone) {
            self.unseen();
        }
        self.out.is_unseen |= unseen > 0;
        Held::Other("assembly is not followed".into(), None)
    }

    /// The template of an assembly statement. In the expansion of a macro it is where the macro is defined.
    fn template_of(&self, expr: &Expr) -> String {
        let own = ptx::template(self.it.program.slice(expr.span));
        match self.expanded {
            // Of several statements, which one is meant is not known.
            Some(text) if own.is_empty() && text.matches("asm").count() == 1 => ptx::template(text),
            _ => own,
        }
    }

    /// One instruction: what it does to memory, and to registers. The number of its stores that are kept.
    fn instruction(
        &mut self,
        expr: &'u Expr,
        instruction: &Instruction<'_>,
        registers: &mut Registers<'u>,
        goes_straight: bool,
    ) -> usize {
        let constant = |name: &str| match registers.get(name) {
            Some(Held::Int(term)) => self.out.terms.as_number(*term),
            _ => None,
        };
        let found = instruction.accesses(&constant);
        let step = instruction.group_step(&constant);
        let is_store = |found: &&Found<'_>| found.kind == AccessKind::Store;
        let stored = found.iter().filter(is_store).count();
        let guards = self.course.guards.len();
        if instruction.is_predicated || !goes_straight {
            let condition = self.unknown("a predicate of assembly", IntKind::BOOL);
            self.course.guards.push(Guard {
                condition,
                text: "a predicate of assembly".into(),
                exit: None,
            });
        }
        let mut loaded = None;
        for found in found {
            if let Some(lanes) = found.lanes {
                self.only_lanes(expr, lanes);
            }
            let place = self.addressed(registers, &found);
            if found.kind == AccessKind::Store && found.is_asynchronous {
                self.copies(expr.span, &place);
            } else {
                self.met(expr.span, found.kind, &place, None);
            }
            if found.kind == AccessKind::Load {
                loaded = Some(place);
            }
        }
        if let Some(step) = step {
            self.grouped(expr.span, step);
        }
        self.course.guards.truncate(guards);
        let moved = instruction.moved().filter(|_| !instruction.is_predicated);
        if let Some((to, from)) = moved {
            let held = self.operand(expr, from, registers);
            registers.insert(to.to_owned(), held);
            return stored;
        }
        if let Some((to, from, lane)) = instruction.of_one_lane()
            && let Held::Int(term) = self.operand(expr, from, registers)
            && !instruction.is_predicated
        {
            let lane = match lane.map(|lane| self.operand(expr, lane, registers)) {
                Some(Held::Int(lane)) => Some(lane),
                _ => None,
            };
            let name = self.text(expr.span);
            let value = self.of_warp(term, lane, &name);
            registers.insert(to.to_owned(), Held::Int(value));
            return stored;
        }
        let why = match &loaded {
            Some(_) => format!("`{}` is loaded and differs by thread", self.text(expr.span)),
            None => "assembly is not followed".to_owned(),
        };
        for name in instruction.written() {
            if let Some(known) = registers.get_mut(name) {
                *known = Held::Other(why.as_str().into(), None);
            }
        }
        if let (Some(Ok(place)), Some(to)) = (&loaded, instruction.loads_into()) {
            let alike = self.out.terms.alike(place.offset);
            if let Some(alike) = alike.filter(|_| !instruction.is_predicated) {
                let name = self.text(expr.span);
                let symbol =
                    self.terms()
                        .fresh_from(&name, alike.kind(), IntKind::UNSIGNED, super::LEAST);
                registers.insert(to.to_owned(), Held::Int(symbol));
            }
        }
        stored
    }

    /// The lowest lanes of a warp are here, and no others.
    pub(super) fn only_lanes(&mut self, expr: &'u Expr, lanes: i64) {
        let Some(lane) = self.lane(expr) else { return };
        let terms = self.terms();
        let lanes_term = terms.number(lanes, IntKind::UNSIGNED);
        let condition = terms.binary(Operator::Less, lane, lanes_term);
        self.course.guards.push(Guard {
            condition,
            text: format!("lane < {lanes}").into(),
            exit: None,
        });
    }

    /// The number of a thread in its warp.
    pub(super) fn lane(&mut self, expr: &'u Expr) -> Option<TermId> {
        let rank = self.rank("threadIdx", "blockDim", expr)?;
        let terms = self.terms();
        let warp = terms.number(WARP, IntKind::UNSIGNED);
        Some(terms.binary(Operator::Rem, rank, warp))
    }

    /// The value of an operand: a register, a special one, or a number.
    fn operand(&mut self, expr: &'u Expr, name: &str, registers: &Registers<'u>) -> Held<'u> {
        if let Some(held) = registers.get(name) {
            return held.clone();
        }
        if let Ok(number) = name.parse() {
            return self.number(number, IntKind::LONG);
        }
        self.special(expr, name)
            .unwrap_or_else(|| Held::Other("assembly is not followed".into(), None))
    }

    /// `%%laneid`, `%%tid.x`, `%%cluster_ctarank`.
    fn special(&mut self, expr: &'u Expr, name: &str) -> Option<Held<'u>> {
        let name = name.strip_prefix("%%")?;
        let (stem, axis) = name.split_once('.').unwrap_or((name, "x"));
        let axis = AXES.iter().position(|own| *own == axis)?;
        let builtin = match stem {
            "laneid" => return Some(Held::Int(self.lane(expr)?)),
            "tid" => "threadIdx",
            "ntid" => "blockDim",
            "ctaid" => "blockIdx",
            "nctaid" => "gridDim",
            _ if OF_BLOCK.contains(&stem) => {
                let kind = IntKind::UNSIGNED;
                let terms = self.terms();
                let own = format!("%{name}");
                return Some(Held::Int(terms.shared(&own, SymbolKind::Uniform, kind, 0)));
            }
            _ => return None,
        };
        self.builtin(builtin, axis, expr)
    }

    /// The place that an operand in brackets is the address of.
    fn addressed(
        &mut self,
        registers: &Registers<'u>,
        found: &Found<'_>,
    ) -> Result<Pointer, Arc<str>> {
        let byte = Ty::Int(IntKind::new(8, false));
        let Bracket { name, more } = &found.at;
        let held = match registers.get(*name).cloned() {
            Some(Held::Int(term)) if self.may_be_address(term) => {
                self.as_pointer(term, byte.clone())
            }
            Some(Held::Int(term)) => {
                let why = self.out.terms.unknown_in(term);
                let why = why.unwrap_or_else(|| "a number as an address".into());
                Held::Other(why, None)
            }
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
            .is_some_and(|memory| found.space.is_none_or(|space| memory.space == space));
        if !is_there {
            return Err("assembly names other memory than its operand".into());
        }
        let more = self.terms().number(*more, INDEX);
        let offset = self.terms().binary(Operator::Add, pointer.offset, more);
        Ok(Pointer {
            offset,
            target: Ty::Array(Box::new(byte), Some(Count::Known(found.bytes))),
            ..pointer
        })
    }
}
