//! The accesses of a kernel, computed for all threads of a block: the layout that they are, and their cost for a warp.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cute_algebra::symbol::Expression;
use cute_hardware::memory::{global_cost, shared_wavefronts};

use super::lanes::{BELOW_ZERO, BEYOND, BITS, COMPARISON, Cell, Fixed, Lanes, Names};
use super::layout::{Found as LayoutFound, layout_of};
use super::terms::{Operator, SymbolId, SymbolKind, Term, TermId, Terms};
use super::{AccessCost, AccessMap, AccessSpace, BlockFrom, Memory, Met, Walked, text};
use crate::limits;

/// Lanes of a warp.
pub(super) const WARP: usize = 32;
/// Bytes to which the start of memory, and the part that is the same for a block, are taken to be aligned: a line.
const LINE: i64 = 128;

/// The numbers of symbols in one pass of some loops.
pub(super) type Pass = BTreeMap<SymbolId, i64>;

/// An access at one pass of the loops around it.
pub(super) struct At {
    /// The numbers of the passes.
    pub(super) pass: Pass,
    /// The offset of each thread, in units.
    pub(super) offsets: Vec<Cell>,
    /// Whether each thread takes part; nothing where this is known only at run time.
    pub(super) active: Vec<Option<bool>>,
}

/// An access with its offset in units of some bytes.
pub(super) type Offset<'m> = (&'m Met, i64, Option<TermId>);

/// The offset in elements of the memory, where all of it is whole elements; else in bytes.
pub(super) fn in_units(met: &Met, terms: &mut Terms) -> (i64, Option<TermId>) {
    let Ok((memory, address)) = &met.address else {
        return (met.bytes.max(1), None);
    };
    for size in [memory.element, met.size].into_iter().flatten() {
        let bytes = terms.as_number(size);
        if bytes.is_none_or(|bytes| bytes > 0)
            && let Some(offset) = divided(*address, size, terms)
        {
            // 0: the offset counts elements whose size is not known.
            return (bytes.unwrap_or(0), Some(offset));
        }
    }
    (1, Some(*address))
}

/// A number of bytes in elements of a size, where each part of it is a multiple: the size is a number or a symbol.
fn divided(id: TermId, size: TermId, terms: &mut Terms) -> Option<TermId> {
    let unit = terms.as_number(size);
    if unit == Some(1) {
        return Some(id);
    }
    // Parts come before the terms made of them.
    let mut quotients: BTreeMap<TermId, Option<TermId>> = BTreeMap::new();
    for part in terms.arithmetic_of(id) {
        let kind = terms.kind(part);
        let of = |part: &TermId| quotients.get(part).copied().flatten();
        let quotient = match (terms.term(part).clone(), unit) {
            _ if part == size => Some(terms.number(1, kind)),
            (Term::Number(value), Some(unit)) => {
                (value % unit == 0).then(|| terms.number(value / unit, kind))
            }
            (Term::Number(value), None) => (value == 0).then_some(part),
            (Term::Binary(operator @ (Operator::Add | Operator::Sub), a, b), _) => {
                let both = of(&a).zip(of(&b));
                both.map(|(a, b)| terms.binary(operator, a, b))
            }
            // One factor is the multiple.
            (Term::Binary(Operator::Mul, a, b), _) => {
                let number = of(&b).filter(|_| terms.as_number(b).is_some());
                match (number, of(&a), of(&b)) {
                    (Some(b), _, _) | (None, None, Some(b)) => {
                        Some(terms.binary(Operator::Mul, a, b))
                    }
                    (None, Some(a), _) => Some(terms.binary(Operator::Mul, a, b)),
                    (None, None, None) => None,
                }
            }
            (Term::Select(condition, then, otherwise), _) => {
                let both = of(&then).zip(of(&otherwise));
                both.map(|(then, otherwise)| terms.select(condition, then, otherwise))
            }
            (Term::Convert(inner), _) if terms.keeps_value(part, inner) => {
                of(&inner).map(|inner| terms.convert(inner, kind))
            }
            _ => None,
        };
        quotients.insert(part, quotient);
    }
    quotients.get(&id).copied().flatten()
}

/// The names of the passes of loops: `k0` is a counter, `(k0/8)` that of a counter in steps of 8.
pub(super) fn names_of_trips(walked: &Walked) -> Names {
    let mut names = Names::default();
    for repeat in &walked.loops {
        if let Some((name, 0, step @ 1..)) = &repeat.counter {
            let symbol = Expression::symbol(&in_steps(name, *step), 0);
            names.insert(repeat.trip, symbol);
        }
    }
    names
}

fn in_steps(name: &str, step: i64) -> String {
    if step == 1 {
        name.to_owned()
    } else {
        format!("({name}/{step})")
    }
}

pub(super) struct Describer<'w> {
    walked: &'w Walked,
    names: &'w Names,
    block: Option<([i64; 3], BlockFrom)>,
    /// By the numbers of symbols.
    lanes: BTreeMap<Pass, Lanes<'w>>,
    /// The passes of loops, by their place.
    passes: BTreeMap<usize, Option<Vec<Pass>>>,
    /// Loops with known passes that all threads of a block make.
    joint: BTreeSet<usize>,
    work: usize,
}

impl<'w> Describer<'w> {
    /// Of a kernel with blocks of a size, and who says it.
    pub(super) fn new(
        walked: &'w Walked,
        names: &'w Names,
        block: Option<([i64; 3], BlockFrom)>,
    ) -> Self {
        Self {
            walked,
            names,
            block,
            lanes: BTreeMap::new(),
            passes: BTreeMap::new(),
            joint: BTreeSet::new(),
            work: 0,
        }
    }

    /// The walk of the kernel.
    pub(super) fn walked(&self) -> &'w Walked {
        self.walked
    }

    /// The size of a block, and who says it.
    pub(super) fn block(&self) -> Option<([i64; 3], BlockFrom)> {
        self.block
    }

    /// The size of a block whose threads exist, where the order of its accesses is known.
    pub(super) fn threads_of_launch(&self) -> Option<[i64; 3]> {
        let (block, from) = self.block?;
        let exists = from.is_certain();
        (exists && !self.walked.order.is_open).then_some(block)
    }

    /// Counts values that were computed.
    pub(super) fn works(&mut self, values: usize) {
        self.work += values;
    }

    /// Whether so much was computed that the rest is left out.
    pub(super) fn is_spent(&self) -> bool {
        self.work > limits::ACCESS_WORK
    }

    /// The map of an access, with the values computed for it.
    pub(super) fn map(
        &mut self,
        met: &Met,
        unit: i64,
        offset: Option<TermId>,
    ) -> Result<(AccessMap, Vec<At>), Arc<str>> {
        let offset = match (&met.address, offset) {
            (Err(reason), _) => return Err(Arc::clone(reason)),
            (Ok(_), Some(offset)) => offset,
            (Ok(_), None) => return Err("its address is not known".into()),
        };
        let mut map = AccessMap {
            expression: text::of(&self.walked.terms, offset),
            block: self.block,
            layout: None,
            base: None,
            loops: Vec::new(),
            guards: Vec::new(),
            cost: None,
        };
        let Some((block, _)) = self.block else {
            return self.as_expression(met, offset, map);
        };
        if self.work > limits::ACCESS_WORK {
            return Err("the accesses of this kernel take too much work".into());
        }
        let loops = self.modes(met, offset, block);
        let mut passes = vec![Pass::new()];
        for (_, of_loop) in &loops {
            passes = of_loop
                .iter()
                .flat_map(|pass| {
                    passes.iter().map(move |outer| {
                        let mut all = outer.clone();
                        all.extend(pass.iter().map(|(symbol, value)| (*symbol, *value)));
                        all
                    })
                })
                .collect();
        }
        let seen: Vec<At> = passes
            .into_iter()
            .map(|pass| self.at(met, offset, pass))
            .collect();
        match check(&seen) {
            // `min(i, n - 1)` has no layout, and still it is known.
            Err(reason) if [COMPARISON, BITS, BEYOND, BELOW_ZERO].contains(&&*reason) => {
                return self.as_expression(met, offset, map);
            }
            result => result?,
        }
        // No thread comes here.
        let mut active = seen.iter().flat_map(|at| &at.active);
        if active.all(|active| *active == Some(false))
            && let Some(reason) = self.walked.terms.unknown_in(offset)
        {
            return Err(reason);
        }
        map.guards = self.open_guards(met, &seen);
        let extents = |loops: &[(usize, Vec<Pass>)]| {
            let mut groups = vec![block.to_vec()];
            let trips = loops
                .iter()
                .map(|(_, passes)| vec![i64::try_from(passes.len()).unwrap_or(0)]);
            groups.extend(trips);
            groups
        };
        map.cost = cost(met, unit, &seen);
        let layout = self
            .table(offset, &seen)
            .and_then(|table| layout_of(&table, &extents(&loops)));
        match layout {
            Some(layout) => {
                map.loops = loops
                    .iter()
                    .map(|(index, passes)| {
                        (
                            self.name_of_loop(*index),
                            i64::try_from(passes.len()).unwrap_or(0),
                        )
                    })
                    .collect();
                self.put(&mut map, layout);
            }
            None if !loops.is_empty() => {
                // One pass at a time: the loops' counters are symbols.
                let one = [self.at(met, offset, Pass::new())];
                let groups = extents(&[]);
                if check(&one).is_ok()
                    && let Some(table) = self.table(offset, &one)
                    && let Some(layout) = layout_of(&table, &groups)
                {
                    self.put(&mut map, layout);
                }
            }
            None => {}
        }
        Ok((map, seen))
    }

    /// The map of an access that has no numbers for threads: its offset as an expression, where all in it is known.
    fn as_expression(
        &self,
        met: &Met,
        offset: TermId,
        mut map: AccessMap,
    ) -> Result<(AccessMap, Vec<At>), Arc<str>> {
        if let Some(reason) = self.walked.terms.unknown_in(offset) {
            return Err(reason);
        }
        let guards = met.guards.iter();
        map.guards = guards.map(|guard| guard.text.to_string()).collect();
        Ok((map, Vec::new()))
    }

    /// The offsets of all threads at all passes. The number of a warp has one name in all warps: the layout is that of the
    /// threads, and each warp adds its own number.
    fn table(&mut self, offset: TermId, seen: &[At]) -> Option<Vec<Expression>> {
        let terms = &self.walked.terms;
        let mut names = self.names.clone();
        for id in terms.symbols_of(offset) {
            let symbol = terms.symbol(id);
            if let Some(symbol) = symbol.filter(|symbol| symbol.kind == SymbolKind::OfWarp) {
                names.insert(id, Expression::symbol(&symbol.name, symbol.least));
            }
        }
        if names.len() == self.names.len() {
            return table(seen);
        }
        let (block, _) = self.block?;
        let mut all = Vec::new();
        for at in seen {
            let fixed = at.pass.iter().map(|(symbol, value)| (*symbol, *value));
            let mut lanes = Lanes::new(terms, block, fixed.collect(), &names);
            let column = lanes.column(offset);
            for thread in 0..lanes.threads() {
                all.push(column.at(thread).expression()?);
            }
            self.work += lanes.work;
        }
        Some(all)
    }

    fn put(&self, map: &mut AccessMap, found: LayoutFound) {
        let mut base = found.base;
        for repeat in &self.walked.loops {
            if let Some((name, 0, step @ 2..)) = &repeat.counter {
                let counter = Expression::symbol(name, 0);
                base = base
                    .restored(&in_steps(name, *step), *step, &counter)
                    .unwrap_or(base);
            }
        }
        map.layout = Some(found.layout);
        map.base = Some(base);
    }

    fn name_of_loop(&self, index: usize) -> String {
        let repeat = self.walked.loops.get(index);
        let counter = repeat.and_then(|repeat| repeat.counter.as_ref());
        match (counter, repeat) {
            (Some((name, _, _)), _) => name.to_string(),
            (None, Some(repeat)) => self
                .walked
                .terms
                .symbol(repeat.trip)
                .map(|symbol| symbol.name.to_string())
                .unwrap_or_default(),
            (None, None) => String::new(),
        }
    }

    /// The loops whose passes are known and that the address depends on, the innermost first, as many as a table has room for.
    fn modes(&mut self, met: &Met, offset: TermId, block: [i64; 3]) -> Vec<(usize, Vec<Pass>)> {
        let symbols = self.walked.terms.symbols_of(offset);
        // The many accesses of a large kernel have smaller tables.
        let room = if self.work < limits::ACCESS_WORK / 4 {
            limits::ACCESS_TABLE
        } else {
            limits::ACCESS_TABLE / 4
        };
        let mut entries = block.iter().product::<i64>().max(1);
        let mut found = Vec::new();
        for index in met.loops.iter().rev() {
            let Some(repeat) = self.walked.loops.get(*index) else {
                continue;
            };
            let of_loop = repeat.followed.iter().map(|(symbol, _, _)| *symbol);
            if !of_loop
                .chain([repeat.trip])
                .any(|symbol| symbols.contains(&symbol))
            {
                continue;
            }
            let Some(passes) = self.passes(*index, block) else {
                continue;
            };
            let trips = i64::try_from(passes.len()).unwrap_or(i64::MAX);
            if passes.is_empty() || entries.saturating_mul(trips) > room {
                continue;
            }
            entries *= trips;
            found.push((*index, passes));
        }
        found
    }

    /// The passes of a loop, where they are known and depend on no other loop.
    pub(super) fn passes(&mut self, index: usize, block: [i64; 3]) -> Option<Vec<Pass>> {
        if let Some(known) = self.passes.get(&index) {
            return known.clone();
        }
        let found = self.compute_passes(index, block);
        self.passes.insert(index, found.clone());
        found
    }

    fn compute_passes(&mut self, index: usize, block: [i64; 3]) -> Option<Vec<Pass>> {
        let repeat = self.walked.loops.get(index)?;
        let condition = repeat.condition?;
        let mut fixed = Fixed::default();
        for (symbol, first, _) in &repeat.followed {
            let mut lanes = Lanes::new(&self.walked.terms, block, fixed.clone(), self.names);
            if let Cell::Known(value) = lanes.column(*first).at(0) {
                fixed.insert(*symbol, *value);
            }
        }
        let mut passes = Vec::new();
        let mut is_joint = true;
        for trip in 0..=limits::ACCESS_PASSES {
            fixed.insert(repeat.trip, trip);
            let mut lanes = Lanes::new(&self.walked.terms, block, fixed.clone(), self.names);
            let goes_on = lanes.column(condition);
            let mut goes = 0;
            for thread in 0..lanes.threads() {
                match goes_on.at(thread) {
                    Cell::Known(value) => goes += usize::from(*value != 0),
                    Cell::Open(_) | Cell::Unknown(_) => return None,
                }
            }
            self.work += lanes.work;
            if goes == 0 {
                if is_joint && !passes.is_empty() {
                    self.joint.insert(index);
                }
                return Some(passes);
            }
            is_joint &= goes == lanes.threads();
            passes.push(
                fixed
                    .iter()
                    .map(|(symbol, value)| (*symbol, *value))
                    .collect(),
            );
            let mut next = Fixed::default();
            for (symbol, _, following) in &repeat.followed {
                if fixed.contains_key(symbol)
                    && let Cell::Known(value) = lanes.column(*following).at(0)
                {
                    next.insert(*symbol, *value);
                }
            }
            fixed = next;
        }
        None
    }

    pub(super) fn lanes_of(&mut self, pass: &Pass) -> Option<&mut Lanes<'w>> {
        let (block, _) = self.block?;
        let (terms, names) = (&self.walked.terms, self.names);
        if self.lanes.len() > limits::ACCESS_KEPT_PASSES {
            self.lanes.clear();
        }
        Some(self.lanes.entry(pass.clone()).or_insert_with(|| {
            let fixed = pass.iter().map(|(symbol, value)| (*symbol, *value));
            Lanes::new(terms, block, fixed.collect(), names)
        }))
    }

    fn at(&mut self, met: &Met, offset: TermId, pass: Pass) -> At {
        let guards = self.deciding(met, &pass);
        let mut work = 0;
        let (mut offsets, mut active) = (Vec::new(), Vec::new());
        if let Some(lanes) = self.lanes_of(&pass) {
            let before = lanes.work;
            let column = lanes.column(offset);
            offsets = (0..lanes.threads())
                .map(|thread| column.at(thread).clone())
                .collect();
            active = vec![Some(true); offsets.len()];
            for guard in guards {
                let column = lanes.column(guard);
                for (thread, active) in active.iter_mut().enumerate() {
                    *active = match (column.at(thread), *active) {
                        (_, Some(false)) | (Cell::Known(0), _) => Some(false),
                        (Cell::Known(_), active) => active,
                        (Cell::Open(_) | Cell::Unknown(_), _) => None,
                    };
                }
            }
            work = lanes.work - before;
        }
        self.work += work + offsets.len();
        At {
            pass,
            offsets,
            active,
        }
    }

    /// The conditions that decide which threads come to an access, at a pass of some loops. All threads make the passes of
    /// a joint loop: where a pass says nothing of it, the condition to go on holds.
    fn deciding(&mut self, met: &Met, pass: &Pass) -> Vec<TermId> {
        let mut holding: Vec<TermId> = Vec::new();
        if let Some((block, _)) = self.block {
            for index in &met.loops {
                let Some(repeat) = self.walked.loops.get(*index) else {
                    continue;
                };
                let is_open = !pass.contains_key(&repeat.trip);
                if is_open && self.passes(*index, block).is_some() && self.joint.contains(index) {
                    holding.extend(repeat.condition);
                }
            }
        }
        let guards = met.guards.iter().map(|guard| guard.condition);
        guards
            .filter(|condition| !holding.contains(condition))
            .collect()
    }

    /// The conditions that are not known of all threads.
    fn open_guards(&mut self, met: &Met, seen: &[At]) -> Vec<String> {
        let mut open: Vec<String> = Vec::new();
        for guard in &met.guards {
            let is_open = seen.iter().any(|at| {
                if !self.deciding(met, &at.pass).contains(&guard.condition) {
                    return false;
                }
                let Some(lanes) = self.lanes_of(&at.pass) else {
                    return true;
                };
                let column = lanes.column(guard.condition);
                (0..lanes.threads()).any(|thread| !matches!(column.at(thread), Cell::Known(_)))
            });
            if is_open && !open.iter().any(|known| **known == *guard.text) {
                open.push(guard.text.to_string());
            }
        }
        open
    }
}

/// Why the offset of a thread that may take part is not known.
fn check(seen: &[At]) -> Result<(), Arc<str>> {
    for at in seen {
        for (cell, active) in at.offsets.iter().zip(&at.active) {
            if let (Cell::Unknown(reason), true) = (cell, *active != Some(false)) {
                return Err(Arc::clone(reason));
            }
        }
    }
    Ok(())
}

/// The offsets of all threads at all passes.
fn table(seen: &[At]) -> Option<Vec<Expression>> {
    let all = seen.iter().flat_map(|at| &at.offsets);
    all.map(Cell::expression).collect()
}

/// The cost of an access for the worst warp; nothing where that of a warp is not known.
fn cost(met: &Met, unit: i64, seen: &[At]) -> Option<AccessCost> {
    let (memory, _) = met
        .address
        .as_ref()
        .ok()
        .filter(|_| met.bytes > 0 && unit > 0)?;
    let mut worst: Option<AccessCost> = None;
    // Where the alignment of any warp is assumed, another one may be the worst.
    let mut is_assumed = false;
    for at in seen {
        let warps = at.offsets.chunks(WARP).zip(at.active.chunks(WARP));
        for (warp, (offsets, active)) in warps.enumerate() {
            if active.iter().all(|active| *active == Some(false)) {
                continue;
            }
            let mut found = cost_of_warp(memory, met.bytes, unit, (offsets, active))?;
            found.warp = i64::try_from(warp).unwrap_or(0);
            is_assumed |= found.is_aligned_by_assumption;
            if worst.is_none_or(|worst| is_worse(&found, &worst)) {
                worst = Some(found);
            }
        }
    }
    worst.map(|worst| AccessCost {
        is_aligned_by_assumption: is_assumed,
        ..worst
    })
}

/// More for nothing, or as much with more lanes.
fn is_worse(one: &AccessCost, other: &AccessCost) -> bool {
    let excess = |cost: &AccessCost| cost.count - cost.ideal;
    (excess(one), one.lanes) > (excess(other), other.lanes)
}

fn cost_of_warp(
    memory: &Memory,
    bytes: i64,
    unit: i64,
    (offsets, active): (&[Cell], &[Option<bool>]),
) -> Option<AccessCost> {
    let taking_part = || {
        let pairs = offsets.iter().zip(active);
        pairs.map(|(cell, active)| (*active != Some(false)).then_some(cell))
    };
    let first = taking_part().flatten().next()?.expression()?;
    let constant = first
        .substitute(&|_| Some(Expression::known(0)))
        .and_then(|constant| constant.as_known())
        .unwrap_or(0);
    let common = first.sub(&Expression::known(constant))?;
    let rest = common
        .scale(unit)?
        .remainder(&Expression::known(LINE))
        .and_then(|rest| rest.as_known());
    let mut addresses: Vec<Option<i64>> = Vec::new();
    for cell in taking_part() {
        let Some(cell) = cell else {
            addresses.push(None);
            continue;
        };
        let offset = cell.expression()?.sub(&common)?.as_known()?;
        let address = offset.checked_mul(unit)?.checked_add(rest.unwrap_or(0))?;
        addresses.push(Some(address));
    }
    let lanes = i64::try_from(addresses.iter().flatten().count()).ok()?;
    let (count, ideal) = match memory.space {
        AccessSpace::Shared => {
            let waves = shared_wavefronts(&addresses, bytes).ok()?;
            (waves.waves, waves.ideal)
        }
        AccessSpace::Global => {
            let cost = global_cost(&addresses, bytes);
            (cost.sectors, cost.ideal_sectors())
        }
    };
    Some(AccessCost {
        warp: 0,
        lanes,
        count,
        ideal,
        is_aligned_by_assumption: rest.is_none(),
    })
}
