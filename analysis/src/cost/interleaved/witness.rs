//! Faults, and the steps that lead there as people read them.

use tree_sitter_cute::tree::Span;

use super::super::Seen;
use super::super::rehearsal::{Event, Until};
use super::search::{Orders, Step};
use super::{RULE, Role};
use crate::finding::{Finding, Number, Related, Severity};
use crate::trace::Action;

/// Steps of a witness that are shown: the last ones.
const SHOWN: usize = 12;

/// The fault of an interleaving.
pub(super) struct Fault<'s, 'u> {
    pub(super) kind: Kind<'s, 'u>,
    pub(super) tiles: i64,
    pub(super) states: usize,
    pub(super) orders: Orders,
    pub(super) steps: Vec<Step>,
    pub(super) shown: Vec<String>,
}

/// Threads that wait for what never comes.
pub(super) struct Waiting<'s, 'u> {
    pub(super) who: String,
    pub(super) wait: &'s Action<'u>,
    pub(super) until: Until,
    /// The initialisation of the barrier, with the arrivals that it counts.
    pub(super) init: Option<(&'s Action<'u>, i64)>,
    /// The announcement of the bytes that are missing.
    pub(super) announced: Option<(&'s Action<'u>, i64)>,
    /// The number of a named barrier.
    pub(super) named: Option<i64>,
}

pub(super) enum Kind<'s, 'u> {
    /// No thread goes on: the waiting threads, and their places.
    Stuck(Vec<Waiting<'s, 'u>>),
    /// A stage is read while it is being filled.
    Torn {
        read: &'s Action<'u>,
        fill: &'s Action<'u>,
        /// The last wait before it.
        wait: Option<&'s Action<'u>>,
    },
    /// A stage is filled while others may still read it.
    Overwritten {
        read: &'s Action<'u>,
        fill: &'s Action<'u>,
    },
    /// Bytes without a wait may be under way when the last thread ends.
    InFlight(&'s Action<'u>),
}

/// `thread 0 waits`, `threads 0 to 31 wait`.
fn waits_of(who: &str) -> String {
    let verb = if who.starts_with("thread ") {
        "waits"
    } else {
        "wait"
    };
    format!("{who} {verb}")
}

/// The phase that a wait is for.
fn phase_of(until: Until) -> String {
    match until {
        Until::Parity(parity) => format!("phase {parity}"),
        Until::Of(_) => "the phase of its arrival".to_owned(),
    }
}

impl<'u> Fault<'_, 'u> {
    fn place(&self) -> Option<Span> {
        match &self.kind {
            Kind::Stuck(waits) => waits.first().map(|waiting| waiting.wait.span()),
            Kind::Torn { read, .. } => Some(read.span()),
            Kind::Overwritten { fill, .. } | Kind::InFlight(fill) => Some(fill.span()),
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
            && self.place() == other.place()
    }

    /// The steps as people read them.
    pub(super) fn with_steps(mut self, seen: &Seen<'_, '_>, roles: &[Role<'_, '_>]) -> Self {
        let mut lines: Vec<String> = Vec::new();
        for step in &self.steps {
            match *step {
                Step::Together => lines.push("all threads pass a barrier of the CTA".to_owned()),
                Step::Lands(flight) => {
                    let what = if flight.bytes == 0 {
                        "MMAs have completed".to_owned()
                    } else {
                        format!("{} bytes have arrived", flight.bytes)
                    };
                    lines.push(format!("{what} for barrier {}", flight.slot.index));
                }
                Step::Go(role, from, to) => {
                    let Some(role) = roles.get(role) else {
                        continue;
                    };
                    let events = role.events.get(from..to).unwrap_or_default();
                    lines.extend(events.iter().filter_map(described).map(|(action, what)| {
                        format!("{}: line {}, {what}", role.name(), seen.line(action.span()))
                    }));
                }
            }
        }
        let left_out = lines.len().saturating_sub(SHOWN);
        if left_out > 0 {
            self.shown.push(format!("({left_out} steps before)"));
        }
        let last = lines.into_iter().enumerate().skip(left_out);
        self.shown
            .extend(last.map(|(number, line)| format!("{}. {line}", number + 1)));
        self
    }

    pub(super) fn told(&self, seen: &Seen<'_, 'u>) -> Option<Finding> {
        let (first, span, related) = match &self.kind {
            Kind::Stuck(waits) => {
                let waiting = waits.first()?;
                let others = waits.iter().skip(1).map(|waiting| Related {
                    span: waiting.wait.span(),
                    message: format!("{} here", waits_of(&waiting.who)),
                });
                let init = waiting.init.map(|(init, count)| Related {
                    span: init.span(),
                    message: format!("initialised here for {count} arrivals in a phase"),
                });
                let announced = waiting.announced.map(|(action, bytes)| Related {
                    span: action.span(),
                    message: format!("announces {bytes} bytes"),
                });
                // How many threads there are decides on who comes where.
                let launch = seen.launched_here();
                let first = match waiting.named {
                    Some(number) => format!(
                        "{} at named barrier {number}, which never completes",
                        waits_of(&waiting.who)
                    ),
                    None => format!(
                        "{} for {}, which never completes",
                        waits_of(&waiting.who),
                        phase_of(waiting.until)
                    ),
                };
                let related = others.chain(init).chain(announced).chain(launch).collect();
                (first, waiting.wait.span(), related)
            }
            Kind::Torn { read, fill, wait } => {
                let line = seen.line(fill.span());
                let places = [(Some(*fill), "filled here"), (*wait, "the wait before it")];
                let related = places.into_iter().filter_map(|(action, message)| {
                    Some(Related {
                        span: action?.span(),
                        message: message.to_owned(),
                    })
                });
                let related = related.collect();
                let first =
                    format!("a stage is read while the copy of line {line} may still fill it");
                (first, read.span(), related)
            }
            Kind::Overwritten { read, fill } => {
                let line = seen.line(read.span());
                let related = vec![Related {
                    span: read.span(),
                    message: "read here".to_owned(),
                }];
                let first =
                    format!("a stage is filled while line {line} may still read it: no order");
                (first, fill.span(), related)
            }
            Kind::InFlight(fill) => (
                "a bulk copy is still in flight when the last thread exits".to_owned(),
                fill.span(),
                Vec::new(),
            ),
        };
        let (tiles, states) = (self.tiles, self.states);
        let orders = match self.orders {
            Orders::WhoCan => "",
            Orders::All => " in every order",
        };
        let bound = format!("with {tiles} tiles, {states} states of the kernel{orders}");
        let message = format!("{first}\n{}\n{bound}", self.shown.join("\n"));
        Some(Finding {
            numbers: vec![
                ("tiles".to_owned(), Number::Integer(tiles)),
                (
                    "steps".to_owned(),
                    Number::Integer(i64::try_from(self.steps.len()).ok()?),
                ),
            ],
            related,
            ..seen.finding(RULE, Severity::Error, span, message)
        })
    }
}

/// An event as a line of a witness.
fn described<'s, 'u>(event: &Event<'s, 'u>) -> Option<(&'s Action<'u>, String)> {
    match *event {
        Event::Announce(action, slot, 0, _) => {
            Some((action, format!("arrives at barrier {}", slot.index)))
        }
        Event::Announce(action, slot, bytes, _) => Some((
            action,
            format!("announces {bytes} bytes at barrier {}", slot.index),
        )),
        Event::Phase(action, slot, until) => Some((
            action,
            format!("{} of barrier {} is complete", phase_of(until), slot.index),
        )),
        Event::Fill(action, slot, ..) => {
            Some((action, format!("copies, for barrier {}", slot.index)))
        }
        Event::Meet(action, slot, count) => Some((
            action,
            format!("comes to named barrier {} of {count} threads", slot.index),
        )),
        Event::Done(action, slot) => {
            Some((action, format!("commits MMAs to barrier {}", slot.index)))
        }
        Event::Read(action, _, view) => Some((
            action,
            match view.stage {
                Some(stage) => format!("reads stage {stage}"),
                None => "reads".to_owned(),
            },
        )),
        _ => None,
    }
}
