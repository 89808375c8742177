//! Resources of a streaming multiprocessor that an instance of a kernel takes.

use std::fmt::Write as _;

use cute_hardware::multiprocessor::BARRIER_BYTES;
use cute_hardware::multiprocessor::{Demand, Limit, Multiprocessor, REGISTERS_OF_A_THREAD};
use tree_sitter_cute::tree::Span;

use super::counts::{Accumulator, atom, copy_count, tma_count};
use super::launches::{self, LaunchBounds, RegisterRole};
use super::regions::{self, Region};
use super::stored::Stored;
use super::{Cost, Costs, Move, Seen, fragments};
use crate::finding::{Finding, Number, Severity};
use crate::origin::{Place, Root};
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::trace::{ActionKind, SharedLayout, SharedObject, SharedPart};
use crate::value::Value;
use crate::vocabulary::number;

/// Resources of one instance of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// The function.
    pub function: String,
    /// Its name in the source.
    pub span: Span,
    /// The instance of it, where there are several.
    pub instance: Option<String>,
    /// Whether it is a kernel (`__global__`).
    pub is_kernel: bool,
    /// The first architecture that has all its instructions, ten times the compute capability; `None`
    /// where every one has them.
    pub architecture: Option<u16>,
    /// Objects in shared memory.
    pub shared: Vec<SharedCost>,
    /// Variables that own registers.
    pub fragments: Vec<FragmentCost>,
    /// The most registers of fragments that are declared at once, and the declaration where.
    pub peak: Option<(i64, Span)>,
    /// Warp groups with the registers that they request by `setmaxnreg`.
    pub roles: Vec<RegisterRole>,
    /// The numbers of `__launch_bounds__`.
    pub launch_bounds: Option<LaunchBounds>,
    /// Accumulators in tensor memory.
    pub regions: Vec<Region>,
    /// Columns of tensor memory that are allocated.
    pub allocated: Option<i64>,
    /// The launches of the function.
    pub launches: Vec<LaunchCost>,
}

/// An object in shared memory.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedCost {
    /// Its name.
    pub name: String,
    /// The place of the expression that makes it.
    pub span: Span,
    /// Whether its bytes are requested at launch.
    pub is_dynamic: bool,
    /// Its bytes, or why they are not known.
    pub size: Result<i64, Reason>,
    /// Its data, in order.
    pub buffers: Vec<BufferCost>,
    /// Its barriers.
    pub barriers: Vec<BufferCost>,
    /// Bytes that hold nothing.
    pub padding: i64,
    /// Bytes up to the end of its last member: a launch need not ask for the padding behind it.
    pub end: i64,
    /// The alignment of the whole.
    align: i64,
    /// The start of places in it.
    root: Root,
}

/// A member of an object in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferCost {
    /// The members that lead to it, `tensors.A`.
    pub name: String,
    /// Its bytes.
    pub bytes: i64,
    /// Number of equal tiles of a pipeline in it, where that is known.
    pub stages: Option<i64>,
}

/// A variable that owns registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentCost {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its registers.
    pub cost: Accumulator,
}

/// A launch of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchCost {
    /// The launching expression.
    pub span: Span,
    /// Threads of a CTA in each direction.
    pub block: Option<[i64; 3]>,
    /// CTAs of a cluster in each direction.
    pub cluster: Option<[i64; 3]>,
    /// CTAs of the grid, as an expression.
    pub grid: String,
    /// Bytes of dynamic shared memory.
    pub bytes: Option<i64>,
}

/// Number of CTAs resident on one multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// CTAs.
    pub ctas: i64,
    /// The resource that limits them.
    pub limit: Limit,
}

impl Budget {
    /// The budget at its new place.
    pub(crate) fn moved(&self, to: Move<'_>) -> Option<Self> {
        let mut budget = self.clone();
        budget.span = to(self.span)?;
        for object in &mut budget.shared {
            object.move_to(to)?;
        }
        for fragment in &mut budget.fragments {
            fragment.span = to(fragment.span)?;
        }
        for region in &mut budget.regions {
            region.span = to(region.span)?;
        }
        for launch in &mut budget.launches {
            launch.span = to(launch.span)?;
        }
        if let Some((_, at)) = &mut budget.peak {
            *at = to(*at)?;
        }
        Some(budget)
    }

    /// Threads of a CTA, where all launches agree.
    pub fn threads(&self) -> Option<i64> {
        let mut counts = self
            .launches
            .iter()
            .map(|launch| launch.block.map(|[x, y, z]| x * y * z));
        let first = counts.next()??;
        counts.all(|other| other == Some(first)).then_some(first)
    }

    /// Bytes of shared memory of a CTA; nothing where those of an object are not known.
    pub fn shared_bytes(&self) -> Option<i64> {
        self.shared.iter().try_fold(0_i64, |sum, object| {
            sum.checked_add(*object.size.as_ref().ok()?)
        })
    }

    /// Registers that fragments hold at once, as they are declared. The compiler may keep fewer: it loads a part of a
    /// fragment when it needs it.
    pub fn registers(&self) -> i64 {
        self.peak.map_or(0, |(registers, _)| registers)
    }

    /// The most registers that a thread may have: the request of its warp group, or the rest that the launch bounds
    /// leave.
    pub fn registers_allowed(&self) -> i64 {
        let asked = self.roles.iter().map(|role| role.registers).max();
        let bounded = self
            .launch_bounds
            .map_or(REGISTERS_OF_A_THREAD, LaunchBounds::registers);
        let Some(asked) = asked else {
            return bounded;
        };
        match self.launch_bounds.and_then(LaunchBounds::obeys_roles) {
            Some(true) => asked,
            Some(false) => bounded,
            None => asked.max(bounded),
        }
    }

    /// The registers that all warp groups hold together, where the request of each is known.
    pub fn registers_of_roles(&self) -> Option<i64> {
        launches::registers_of_roles(&self.roles, self.threads()?)
    }

    /// Bytes of shared memory that every launch takes at least: with its requests besides the visible objects. Nothing
    /// where that is not known.
    fn launched_bytes(&self) -> Option<i64> {
        let seen = self.shared_bytes()?;
        let is_dynamic = |object: &&SharedCost| object.is_dynamic;
        let dynamic = self.shared.iter().filter(is_dynamic);
        let dynamic: i64 = dynamic.filter_map(|object| object.size.as_ref().ok()).sum();
        let mut asked = self.launches.iter().map(|launch| launch.bytes);
        let least = asked.try_fold(i64::MAX, |least, bytes| Some(least.min(bytes?)));
        match least {
            Some(least) if !self.launches.is_empty() => {
                (seen - dynamic).checked_add(dynamic.max(least))
            }
            _ => (dynamic > 0).then_some(seen),
        }
    }

    /// The most CTAs that are resident; nothing where threads or shared memory are not known. The number of registers
    /// that the compiler takes is unknown: they limit where `setmaxnreg` says it.
    pub fn occupancy(&self, multiprocessor: Multiprocessor) -> Option<Occupancy> {
        let threads = self.threads()?;
        let demand = Demand {
            threads,
            shared: self.launched_bytes()?,
            // Where setmaxnreg is obeyed registers move between warps; the sum is at least that of the launch.
            registers: self
                .registers_of_roles()
                .filter(|_| self.launch_bounds.and_then(LaunchBounds::obeys_roles) == Some(true))
                .map_or(0, |all| (all + threads - 1) / threads.max(1)),
            columns: self.allocated.unwrap_or(0),
        };
        let (ctas, limit) = multiprocessor.resident(demand);
        Some(Occupancy { ctas, limit })
    }

    /// Pairs of regions of tensor memory that have columns in common.
    pub fn overlaps(&self) -> Vec<(&Region, &Region)> {
        let mut found = Vec::new();
        for (index, one) in self.regions.iter().enumerate() {
            for other in self.regions.iter().skip(index + 1) {
                if one.overlaps(other) {
                    found.push((one, other));
                }
            }
        }
        found
    }
}

impl SharedCost {
    /// An object of which only the sizes of its members are known.
    pub(super) fn of_members(stored: &Stored) -> Self {
        let covered: i64 = stored.members.iter().map(|(_, bytes)| bytes).sum();
        let mut cost = Self {
            name: stored.name.clone(),
            span: stored.span,
            is_dynamic: stored.is_dynamic,
            size: stored.size.clone(),
            buffers: Vec::new(),
            barriers: Vec::new(),
            padding: 0,
            end: 0,
            align: stored.align.max(1),
            root: Root::Variable(stored.span),
        };
        if let Ok(size) = &stored.size {
            cost.end = *size;
            if covered > 0 {
                cost.padding = (*size - covered).max(0);
            }
        }
        let members = stored.members.iter().filter(|(_, bytes)| *bytes > 0);
        cost.buffers = members
            .map(|(name, bytes)| BufferCost {
                name: name.clone(),
                bytes: *bytes,
                stages: None,
            })
            .collect();
        cost
    }

    /// Adds bytes behind it that hold nothing, up to where the next object begins.
    pub(super) fn pad(&mut self, bytes: i64) {
        if let Ok(size) = &mut self.size {
            *size += bytes;
            self.padding += bytes;
        }
    }

    /// Puts it at its new place; `None` where that is no more.
    pub(super) fn move_to(&mut self, to: Move<'_>) -> Option<()> {
        self.span = to(self.span)?;
        if let Root::Variable(declared) = &mut self.root {
            *declared = to(*declared)?;
        }
        Some(())
    }

    /// The most stages with which the object has at most `limit` bytes; nothing where its buffers do not all have the
    /// same number.
    pub fn most_stages(&self, limit: i64) -> Option<i64> {
        let size = *self.size.as_ref().ok()?;
        let mut counts = self.buffers.iter().filter_map(|buffer| buffer.stages);
        let stages = counts.next()?;
        if stages < 1 || counts.any(|other| other != stages) {
            return None;
        }
        // A buffer that no visible copy fills may have as many stages.
        let may_be_staged =
            |buffer: &BufferCost| buffer.stages.is_none() && buffer.bytes % stages == 0;
        if stages > 1 && self.buffers.iter().any(may_be_staged) {
            return None;
        }
        let staged: i64 = self
            .buffers
            .iter()
            .chain(&self.barriers)
            .filter(|part| part.stages == Some(stages))
            .map(|part| part.bytes)
            .sum();
        let each = staged / stages;
        let fixed = size - self.padding - staged;
        let total = |stages: i64| {
            let bytes = fixed + each * stages;
            (bytes + self.align - 1) / self.align * self.align
        };
        if each == 0 || total(1) > limit {
            return None;
        }
        // Alignment between members may cost a little more: the largest count that fits without.
        (1..=limit / each + 1)
            .take_while(|stages| total(*stages) <= limit)
            .last()
    }
}

/// The resources of a function; nothing where it is not a kernel and has no shared memory.
pub(super) fn budget(seen: &Seen<'_, '_>) -> Option<Budget> {
    let run = seen.run;
    if !run.is_kernel() && run.shared.is_empty() {
        return None;
    }
    let fragments = fragments::fragments(seen);
    let peak = fragments::peak(&fragments);
    Some(Budget {
        function: run.function.name.name.clone(),
        span: run.function.name.span,
        instance: seen.instance(),
        is_kernel: run.is_kernel(),
        architecture: architecture(seen),
        shared: run
            .shared
            .iter()
            .map(|object| shared(seen, object))
            .collect(),
        fragments: fragments
            .into_iter()
            .map(|fragment| FragmentCost {
                name: seen.written(fragment.name).to_owned(),
                span: fragment.name,
                cost: fragment.cost,
            })
            .collect(),
        peak,
        roles: launches::roles(seen),
        launch_bounds: launches::bounds(seen),
        regions: regions::regions(seen),
        allocated: regions::allocated(seen),
        launches: run
            .launches
            .iter()
            .map(|launch| LaunchCost {
                span: launch.span,
                block: three(&launch.block),
                cluster: launch.cluster.as_ref().and_then(three),
                grid: launch.grid.to_string(),
                bytes: number(&launch.bytes),
            })
            .collect(),
    })
}

/// Notes the meaning of the bytes of `sizeof(SharedStorage<..>)`, for the kernel that keeps it.
pub(super) fn explain_sizes(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for (span, record) in &seen.run.constants.sizes {
        let object = costs
            .budgets
            .iter()
            .flat_map(|budget| &budget.shared)
            .find(|object| object.root == Root::Record(*record));
        let mut around = seen.declared.initialised_around(*span);
        let holder = around.find(|(declared, _)| declared.start < span.start);
        if let (Some(object), Some((declared, _))) = (object, holder) {
            let note = seen.note(declared, Cost::Shared(object.clone()));
            if !costs.notes.contains(&note) {
                costs.notes.push(note);
            }
        }
    }
}

/// Shared memory that no GPU has.
pub(super) fn over_capacity(seen: &Seen<'_, '_>) -> Option<Finding> {
    // Only a launch asks for memory; the requests of a class of the source do not matter.
    if !seen.run.is_kernel() {
        return None;
    }
    // Without instructions that say it, any machine may be meant.
    let needed = architecture(seen).unwrap_or(0);
    exceeding(&budget(seen)?, needed, seen.run.target.map(|it| it.number))
}

/// Shared memory that no machine from the first one on has that is needed, or that the target has not.
pub(super) fn exceeding(budget: &Budget, needed: u16, target: Option<u16>) -> Option<Finding> {
    // Code for an architecture may run on later ones; more than any of them has is too much.
    let limit = Multiprocessor::all()
        .iter()
        .filter_map(|machine| match target {
            // A build for one machine may ask for all that it has.
            Some(target) => (machine.number == target).then_some(machine.oversized_of_a_cta),
            None => (machine.number >= needed).then_some(machine.shared_of_a_cta),
        })
        .max()?;
    let bytes = budget.shared_bytes()?;
    let behind: i64 = budget
        .shared
        .iter()
        .filter(|object| object.is_dynamic)
        .map(|object| object.size.as_ref().map_or(0, |size| size - object.end))
        .sum();
    if bytes - behind <= limit {
        return None;
    }
    let largest = budget
        .shared
        .iter()
        .max_by_key(|object| object.size.clone().unwrap_or(0))?;
    let mut message =
        format!("{bytes} bytes of shared memory exceed the {limit} that a CTA can have");
    if let Some(most) = largest.most_stages(limit) {
        // Writing to a String cannot fail.
        let _ = write!(message, "\n{most} stages would fit");
    }
    Some(Finding {
        numbers: vec![
            ("bytes".to_owned(), Number::Integer(bytes)),
            ("capacity".to_owned(), Number::Integer(limit)),
        ],
        instance: budget.instance.clone(),
        ..Finding::new(
            "smem-exceeds-capacity",
            Severity::Error,
            largest.span,
            message,
        )
    })
}

/// The newest architecture that an instruction of the function needs.
fn architecture(seen: &Seen<'_, '_>) -> Option<u16> {
    seen.run
        .actions
        .iter()
        .flat_map(|action| action.values.iter())
        .filter_map(|value| match value {
            Value::TiledMma(mma) => Some(mma.atom().architecture.number),
            Value::ThrMma(thread) => Some(thread.mma.atom().architecture.number),
            value => atom(value).map(|atom| atom.atom.architecture.number),
        })
        .chain(
            seen.run
                .reached(ActionKind::AllocateColumns)
                .map(|_| FIRST_WITH_TENSOR_MEMORY),
        )
        .max()
        .filter(|number| *number > 70)
}

/// The first architecture with tensor memory.
pub(super) const FIRST_WITH_TENSOR_MEMORY: u16 = 100;

/// The three numbers of a `dim3`, or one for all of x.
pub(crate) fn three(value: &Value) -> Option<[i64; 3]> {
    match value {
        Value::Tuple(items) => {
            let mut numbers = [1; 3];
            for (number, item) in numbers.iter_mut().zip(items) {
                *number = item.as_int()?.value()?;
            }
            Some(numbers)
        }
        Value::Int(int) => Some([int.value()?, 1, 1]),
        _ => None,
    }
}

/// An object in shared memory with its members.
fn shared(seen: &Seen<'_, '_>, object: &SharedObject) -> SharedCost {
    let mut cost = SharedCost {
        name: object.name.to_string(),
        span: object.span,
        is_dynamic: object.is_dynamic,
        size: Ok(0),
        buffers: Vec::new(),
        barriers: Vec::new(),
        padding: 0,
        end: 0,
        align: 1,
        root: object.root.clone(),
    };
    let layout = match &object.layout {
        Ok(layout) => layout,
        Err(reason) => {
            cost.size = Err(reason.clone());
            return cost;
        }
    };
    cost.size = Ok(bytes(layout.size));
    cost.align = bytes(layout.align).max(1);
    let ends = layout.parts.iter();
    let ends = ends.map(|part| bytes(part.offset.saturating_add(part.size)));
    cost.end = ends.max().unwrap_or(0);
    cost.padding = bytes(layout.size.saturating_sub(covered(layout)));
    let mut stages_of_buffers = Vec::new();
    for part in &layout.parts {
        let place = Place {
            root: object.root.clone(),
            path: part.path.clone(),
            index: None,
        };
        let is_barrier = part.is_barrier || is_used_as_barrier(seen, &place);
        let stages = if is_barrier {
            None
        } else {
            stages(seen, &place, part)
        };
        stages_of_buffers.extend(stages);
        let part = BufferCost {
            name: if part.path.is_empty() {
                object.name.to_string()
            } else {
                part.path.join(".")
            },
            bytes: bytes(part.size),
            stages,
        };
        if is_barrier {
            cost.barriers.push(part);
        } else if part.bytes > 0 {
            cost.buffers.push(part);
        }
    }
    // A barrier for each stage.
    if let Some(stages) = stages_of_buffers.first() {
        for barrier in &mut cost.barriers {
            let count = barrier.bytes / BARRIER_BYTES;
            if count > 1 && (count == *stages || count == 2 * *stages) {
                barrier.stages = Some(*stages);
            }
        }
    }
    cost
}

fn bytes(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Bytes that some part covers; those of a union are counted once.
fn covered(layout: &SharedLayout) -> u64 {
    let mut spans: Vec<(u64, u64)> = layout
        .parts
        .iter()
        .map(|part| (part.offset, part.offset.saturating_add(part.size)))
        .collect();
    spans.sort_unstable();
    let mut end = 0;
    let mut sum = 0;
    for (from, to) in spans {
        if to > end {
            sum += to - from.max(end);
            end = to;
        }
    }
    sum
}

fn is_used_as_barrier(seen: &Seen<'_, '_>, place: &Place) -> bool {
    seen.run.actions.iter().any(|action| {
        action
            .barrier
            .as_ref()
            .is_some_and(|barrier| barrier.array() == place.array())
    })
}

/// Number of tiles in a buffer: its bytes by those that one copy fills.
fn stages(seen: &Seen<'_, '_>, place: &Place, part: &SharedPart) -> Option<i64> {
    let size = bytes(part.size);
    let mut filled: Vec<i64> = Vec::new();
    for copy in seen.run.reached(ActionKind::Copy) {
        let Some(Value::Tensor(tensor)) = copy.values.get(2) else {
            continue;
        };
        if !is_in(tensor, place) {
            continue;
        }
        let moved = match tma_count(copy) {
            Some(count) => count.bytes,
            None => copy_count(copy)?.bytes?,
        };
        if !filled.contains(&moved) {
            filled.push(moved);
        }
    }
    match filled.as_slice() {
        [tile] if *tile > 0 && size % tile == 0 => Some(size / tile),
        _ => None,
    }
}

fn is_in(tensor: &Tensor, place: &Place) -> bool {
    tensor
        .engine
        .origin
        .0
        .as_ref()
        .is_some_and(|origin| origin.array() == place.array())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(buffers: &[(i64, Option<i64>)]) -> SharedCost {
        let buffers: Vec<BufferCost> = buffers
            .iter()
            .map(|(bytes, stages)| BufferCost {
                name: "buffer".to_owned(),
                bytes: *bytes,
                stages: *stages,
            })
            .collect();
        let bytes = buffers.iter().map(|buffer| buffer.bytes).sum();
        SharedCost {
            name: "storage".to_owned(),
            span: Span::new(0, 0),
            is_dynamic: true,
            size: Ok(bytes),
            buffers,
            barriers: Vec::new(),
            padding: 0,
            end: bytes,
            align: 16,
            root: Root::Record(0),
        }
    }

    #[test]
    fn how_many_stages_fit_is_said_where_all_that_may_be_staged_is() {
        let both = [(3 * 65_536, Some(3)), (3 * 49_152, Some(3))];
        assert_eq!(storage(&both).most_stages(232_448), Some(2));
        let one = [(3 * 65_536, Some(3)), (3 * 49_152, None)];
        assert_eq!(storage(&one).most_stages(232_448), None);
        let apart = [(3 * 65_536, Some(3)), (32_768, None)];
        assert_eq!(storage(&apart).most_stages(232_448), Some(3));
    }
}
