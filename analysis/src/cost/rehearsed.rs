//! Stages of shared memory that copies fill and others read, in the order of one thread ([`super::rehearsal`]): copies that
//! have not arrived, writes that others may not see yet, reads that others may not have finished, tiles that are lost.

use tree_sitter_cute::tree::{Expr, ExprKind, Span, UnaryOp};

use super::races::{self, Clash};
use super::rehearsal::{self, Event, Followed, View, aliases, followed};
use super::{Costs, Seen, groups, rings, thread_sets};
use crate::access::beyond;
use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashMap;
use crate::tensor::Space;
use crate::trace::{Action, ActionKind};
use crate::value::Value;
use crate::walk;

/// Stages that are taken where none are known.
const STAGES: i64 = 3;
/// Run-time sizes are tried as these numbers of tiles, beyond twice the stages; findings hold for all of them.
const MORE_TILES: [i64; 3] = [1, 2, 6];
/// Sizes of the running program that are counted in elements.
const ELEMENTS: i64 = 64;

/// Looks at the order of asynchronous copies in a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let fills = |copy: &Action<'_>| {
        matches!(copy.values.last(),
            Some(Value::Tensor(tensor)) if tensor.engine.space == Space::Shared)
    };
    if !seen.run.is_kernel() || !seen.run.reached(ActionKind::Copy).any(fills) {
        return;
    }
    let Some(actions) = followed::actions(seen) else {
        return;
    };
    let elements = followed::element_reads(seen);
    let stages = stages(seen);
    let followed = Followed {
        actions: &actions,
        elements: &elements,
        meetings: None,
    };
    let mut common: Option<Vec<Fault<'_, '_>>> = None;
    for more in MORE_TILES {
        let tiles = 2 * stages + more;
        for size in [tiles, tiles * ELEMENTS] {
            let Some(events) = rehearsal::events(seen, followed, size, None) else {
                continue;
            };
            if !goes_round(&events, stages) {
                continue;
            }
            let faults = faults(&events);
            match &mut common {
                Some(known) => {
                    known.retain(|known| faults.iter().any(|fault| fault.is_same(known)));
                }
                None => common = Some(faults),
            }
        }
    }
    for fault in common.unwrap_or_default() {
        let Some(finding) = fault.told(seen) else {
            continue;
        };
        // One counter leads beyond the stages of several tensors.
        let is_of_stages = finding.rule == beyond::STAGES;
        let is_known = |known: &Finding| {
            known.rule == finding.rule && (is_of_stages || known.span == finding.span)
        };
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// The stages of the shared memory that has most of them.
pub(super) fn stages(seen: &Seen<'_, '_>) -> i64 {
    let laid = seen.run.reached(ActionKind::Lay);
    let counts = laid.filter_map(|laid| {
        let Value::Tensor(tensor) = &laid.result else {
            return None;
        };
        let domain = tensor.layout.domain();
        let last = domain.rank().checked_sub(1).filter(|last| *last > 1)?;
        domain.mode(last).ok()?.size().ok()?.value()
    });
    counts.max().unwrap_or(STAGES).clamp(1, MOST_STAGES)
}

/// Stages that are looked at, at most.
const MOST_STAGES: i64 = 16;

/// Whether a thread comes to more copies than there are stages, and reads them.
fn goes_round(events: &[Event<'_, '_>], stages: i64) -> bool {
    let of_kind = |wanted: &dyn Fn(&Event<'_, '_>) -> bool| {
        i64::try_from(events.iter().filter(|event| wanted(event)).count()).unwrap_or(i64::MAX)
    };
    let writes = of_kind(&|event| matches!(event, Event::Write(..)));
    let reads = of_kind(&|event| matches!(event, Event::Read(..)));
    let is_straight = stages == 1 && writes > 0 && reads > 0;
    is_straight || writes > stages && reads > stages
}

/// Something that goes wrong.
#[derive(Debug, Clone, Copy)]
enum Fault<'s, 'u> {
    /// The bytes read may not have arrived: the wait before them leaves their group open.
    Open {
        wait: Option<(&'s Action<'u>, i64)>,
        write: &'s Action<'u>,
        read: &'s Action<'u>,
        /// Groups that are closed behind that of the copy; nothing where it is in none.
        behind: Option<i64>,
        view: View,
    },
    /// Two threads access one stage without a barrier between them.
    Race {
        write: (&'s Action<'u>, &'u Expr),
        read: (&'s Action<'u>, &'u Expr),
        clash: Clash,
    },
    /// A stage behind the last one.
    Outside {
        action: &'s Action<'u>,
        operand: &'u Expr,
        view: View,
    },
    /// A tile is overwritten before anything has read it.
    Lost {
        first: &'s Action<'u>,
        second: &'s Action<'u>,
        view: View,
    },
}

/// Facts about one stage.
#[derive(Default)]
struct Stage<'s, 'u> {
    written: Option<Written<'s, 'u>>,
    /// Reads that no barrier has followed.
    reads: Vec<(&'s Action<'u>, &'u Expr)>,
}

/// The last copy into a stage.
#[derive(Clone, Copy)]
struct Written<'s, 'u> {
    action: &'s Action<'u>,
    operand: &'u Expr,
    tile: Option<i64>,
    at: usize,
    group: Group,
    is_read: bool,
}

/// The progress of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// It is in no group yet.
    None,
    /// In the group of this number.
    Of(i64),
    /// The thread has waited for it.
    Arrived,
    /// All threads of the CTA see it.
    Visible,
}

/// Faults on the way of a thread.
fn faults<'s, 'u>(events: &[Event<'s, 'u>]) -> Vec<Fault<'s, 'u>> {
    let mut way = Way::default();
    for (at, event) in events.iter().enumerate() {
        match *event {
            Event::Commit => way.commit(),
            Event::Wait(action, open) => way.wait(at, action, open),
            Event::Barrier => way.barrier(),
            Event::Write(action, operand, view, tile) => way.write(at, action, operand, view, tile),
            Event::Read(action, operand, view) => way.read(action, operand, view),
            // Kernels with barriers in shared memory do not come here.
            Event::Init(..)
            | Event::Announce(..)
            | Event::Phase(..)
            | Event::Fill(..)
            | Event::Done(..)
            | Event::Meet(..) => {}
        }
    }
    way.found
}

/// The state of the stages on the way of a thread, and the faults so far.
#[derive(Default)]
struct Way<'s, 'u> {
    found: Vec<Fault<'s, 'u>>,
    stages: HashMap<(Span, Option<i64>), Stage<'s, 'u>>,
    /// Groups of copies that are closed.
    closed: i64,
    /// The last wait: which event it is, the action, and how many groups it leaves open.
    waited: Option<(usize, &'s Action<'u>, i64)>,
}

impl<'s, 'u> Way<'s, 'u> {
    fn add(&mut self, fault: Fault<'s, 'u>) {
        if !self.found.iter().any(|known| known.is_same(&fault)) {
            self.found.push(fault);
        }
    }

    fn written(&mut self) -> impl Iterator<Item = &mut Written<'s, 'u>> {
        let stages = self.stages.values_mut();
        stages.filter_map(|stage| stage.written.as_mut())
    }

    fn commit(&mut self) {
        self.closed += 1;
        let closed = self.closed;
        for written in self.written() {
            if written.group == Group::None {
                written.group = Group::Of(closed);
            }
        }
    }

    fn wait(&mut self, at: usize, action: &'s Action<'u>, open: i64) {
        self.waited = Some((at, action, open));
        let closed = self.closed;
        for written in self.written() {
            let has_arrived = match written.group {
                Group::None => open == 0,
                Group::Of(group) => group <= closed - open,
                Group::Arrived | Group::Visible => false,
            };
            if has_arrived {
                written.group = Group::Arrived;
            }
        }
    }

    fn barrier(&mut self) {
        for stage in self.stages.values_mut() {
            stage.reads.clear();
            if let Some(written) = &mut stage.written
                && written.group == Group::Arrived
            {
                written.group = Group::Visible;
            }
        }
    }

    fn write(
        &mut self,
        at: usize,
        action: &'s Action<'u>,
        operand: &'u Expr,
        view: View,
        tile: Option<i64>,
    ) {
        self.outside(action, operand, view);
        let stage = self.stages.entry((view.tensor, view.stage)).or_default();
        let reads = stage.reads.clone();
        let before = stage.written.filter(|before| !before.is_read);
        let group = if groups::is_asynchronous(action) {
            Group::None
        } else {
            Group::Arrived
        };
        stage.written = Some(Written {
            action,
            operand,
            tile,
            at,
            group,
            is_read: false,
        });
        for read in reads {
            self.add(Fault::Race {
                write: (action, operand),
                read,
                clash: Clash::Overwritten,
            });
        }
        if let Some(before) = before
            // The same tile once more, or a part of it.
            && tile.is_some()
            && before.tile.is_some()
            && before.tile != tile
        {
            self.add(Fault::Lost {
                first: before.action,
                second: action,
                view,
            });
        }
    }

    /// A stage that the tensor does not have.
    fn outside(&mut self, action: &'s Action<'u>, operand: &'u Expr, view: View) {
        let beyond = |stages: i64| view.stage.is_some_and(|stage| stage < 0 || stage >= stages);
        if view.is_staged && view.stages.is_some_and(beyond) {
            self.add(Fault::Outside {
                action,
                operand,
                view,
            });
        }
    }

    fn read(&mut self, action: &'s Action<'u>, operand: &'u Expr, view: View) {
        self.outside(action, operand, view);
        let (closed, waited) = (self.closed, self.waited);
        let stage = self.stages.entry((view.tensor, view.stage)).or_default();
        // The duration of reads by descriptors is the same for all warps of a warp group.
        if !reads_by_descriptors(action) {
            stage.reads.push((action, operand));
        }
        let Some(written) = &mut stage.written else {
            return;
        };
        written.is_read = true;
        let written = *written;
        match written.group {
            Group::None | Group::Of(_) => self.add(Fault::Open {
                wait: waited
                    .filter(|(when, ..)| *when > written.at)
                    .map(|(_, wait, open)| (wait, open)),
                write: written.action,
                read: action,
                behind: match written.group {
                    Group::Of(group) => Some(closed - group),
                    _ => None,
                },
                view,
            }),
            Group::Arrived => self.add(Fault::Race {
                write: (written.action, written.operand),
                read: (action, operand),
                clash: Clash::Read,
            }),
            Group::Visible => {}
        }
    }
}

fn reads_by_descriptors(action: &Action<'_>) -> bool {
    action.kind == ActionKind::Gemm
        && action.values.iter().any(|value| {
            matches!(value, Value::Tensor(tensor)
                if tensor.engine.space == Space::WgmmaDescriptors)
        })
}

impl<'u> Fault<'_, 'u> {
    /// Whether it is the same of the same statements.
    fn is_same(&self, other: &Self) -> bool {
        let key = |fault: &Self| match fault {
            Self::Open {
                wait, write, read, ..
            } => (
                0,
                wait.map_or(read.span(), |(wait, _)| wait.span()),
                write.span().min(read.span()),
            ),
            Self::Race { write, read, clash } => {
                let kind = if *clash == Clash::Read { 1 } else { 2 };
                (kind, write.0.span(), read.0.span())
            }
            Self::Lost { first, second, .. } => (3, first.span(), second.span()),
            Self::Outside {
                action, operand, ..
            } => (4, action.span(), operand.span),
        };
        key(self) == key(other)
    }

    fn told(&self, seen: &Seen<'_, 'u>) -> Option<Finding> {
        match self {
            Self::Open {
                wait,
                write,
                read,
                behind,
                view,
            } => Some(open(seen, *wait, (write, read), *behind, view)),
            Self::Race { write, read, clash } => {
                let threads = thread_sets::threads(seen)?;
                let write = races::access(seen, write.0, write.1, true, threads)?;
                let read = races::access(seen, read.0, read.1, false, threads)?;
                races::told(seen, &write, &read, *clash, threads)
            }
            Self::Outside {
                action,
                operand,
                view,
            } if !seen.run.launches.is_empty() => outside(seen, action, operand, view),
            // Unseen callers may give few tiles.
            Self::Outside { .. } => None,
            Self::Lost {
                first,
                second,
                view,
            } => aliases::is_alone(seen, view.tensor).then(|| lost(seen, first, second, view)),
        }
    }
}

/// The tensor of a view, with its stage.
fn name_of(seen: &Seen<'_, '_>, view: &View) -> String {
    let name = seen.written(view.tensor);
    match view.stage.filter(|_| view.is_staged) {
        Some(stage) => format!("stage {stage} of {name}"),
        None => name.to_owned(),
    }
}

fn line_of(seen: &Seen<'_, '_>, span: Span) -> i64 {
    i64::try_from(seen.line(span)).unwrap_or_default()
}

fn open(
    seen: &Seen<'_, '_>,
    wait: Option<(&Action<'_>, i64)>,
    (write, read): (&Action<'_>, &Action<'_>),
    behind: Option<i64>,
    view: &View,
) -> Finding {
    let name = name_of(seen, view);
    let copied = Related {
        span: write.span(),
        message: "copied here".to_owned(),
    };
    let counted = view.counter.map(|span| Related {
        span,
        message: "advances the stage that is read".to_owned(),
    });
    let Some((wait, open)) = wait else {
        let message = format!("{name} is read before its asynchronous copy has arrived: no wait");
        let line = Number::Integer(line_of(seen, write.span()));
        return Finding {
            numbers: vec![("line".to_owned(), line)],
            related: std::iter::once(copied).chain(counted).collect(),
            ..seen.finding("async-copy-wait", Severity::Error, read.span(), message)
        };
    };
    let why = match behind {
        Some(0) => "its group is the last one committed".to_owned(),
        Some(1) => "one group is committed after it".to_owned(),
        Some(behind) => format!("{behind} groups are committed after it"),
        None => "it is in no group".to_owned(),
    };
    let wait_for = seen.wait_for_groups(open);
    let message = format!("{wait_for} does not wait for {name}, which is read next\n{why}");
    let mut numbers = vec![("open".to_owned(), Number::Integer(open))];
    numbers.extend(behind.map(|behind| ("closed".to_owned(), Number::Integer(behind))));
    Finding {
        numbers,
        related: [
            copied,
            Related {
                span: read.span(),
                message: "read here".to_owned(),
            },
        ]
        .into_iter()
        .chain(counted)
        .collect(),
        ..seen.finding("copy-group-wait", Severity::Error, wait.span(), message)
    }
}

fn lost(seen: &Seen<'_, '_>, first: &Action<'_>, second: &Action<'_>, view: &View) -> Finding {
    let line = line_of(seen, first.span());
    let message = format!(
        "{} is overwritten before anything reads what line {line} copied",
        name_of(seen, view)
    );
    // A loop around the first copy says how many stages are filled.
    let around = first.loops().last().map(|(span, _)| *span);
    let header = around.and_then(|around| header(seen, around));
    let places = [
        (Some(first.span()), "copied here"),
        (header, "in this loop"),
    ];
    let related = places.into_iter().filter_map(|(span, message)| {
        Some(Related {
            span: span?,
            message: message.to_owned(),
        })
    });
    let mut numbers = vec![("line".to_owned(), Number::Integer(line))];
    numbers.extend(
        view.stage
            .map(|stage| ("stage".to_owned(), Number::Integer(stage))),
    );
    Finding {
        numbers,
        related: related.collect(),
        ..seen.finding("stage-order", Severity::Error, second.span(), message)
    }
}

/// The same, where the stage is one that the tensor does not have.
pub(super) fn beyond_its_stages(
    seen: &Seen<'_, '_>,
    action: &Action<'_>,
    operand: &Expr,
    view: &View,
) -> Option<Finding> {
    let (stage, stages) = (view.stage?, view.stages?);
    let is_beyond = view.is_staged && view.is_shared && (stage < 0 || stage >= stages);
    is_beyond.then(|| outside(seen, action, operand, view))?
}

/// A stage beyond the last one, with the statements that change its counter.
fn outside(
    seen: &Seen<'_, '_>,
    action: &Action<'_>,
    operand: &Expr,
    view: &View,
) -> Option<Finding> {
    let (stage, stages) = (view.stage?, view.stages?);
    let span = match &operand.kind {
        ExprKind::Call(_, args) => args.last().map_or(operand.span, |last| last.span),
        _ => operand.span,
    };
    let message = format!(
        "index can reach {stage}, but {} has {stages} stages: out of bounds",
        seen.written(view.tensor)
    );
    let mut related: Vec<Related> = Vec::new();
    if let Some(counter) = view.counter {
        walk::expressions(seen.run.body(), &mut |expr| {
            let target = match &expr.kind {
                ExprKind::Assign(assignment) => &assignment.target,
                ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, target) => target,
                _ => return,
            };
            if seen.variable(target) == Some(counter) {
                related.push(Related {
                    span: expr.span,
                    message: "advances the stage".to_owned(),
                });
            }
        });
    }
    let around = action.loops().last().map(|(span, _)| *span);
    let header = around.and_then(|around| header(seen, around));
    related.extend(header.map(|span| Related {
        span,
        message: "in this loop".to_owned(),
    }));
    Some(Finding {
        numbers: vec![
            ("last".to_owned(), Number::Integer(stage)),
            ("extent".to_owned(), Number::Integer(stages)),
        ],
        related,
        ..seen.finding(beyond::STAGES, Severity::Error, span, message)
    })
}

/// The condition of a loop.
fn header(seen: &Seen<'_, '_>, repeat: Span) -> Option<Span> {
    rings::condition_of_loop(seen, repeat).filter(|span| seen.file.contains(*span))
}
