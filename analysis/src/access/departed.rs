//! Barriers of a block that some of its threads have left before: `if (i >= n) return;` and then `__syncthreads()`.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::Met;
use super::describe::Describer;
use super::lanes::Cell;
use super::trials::{Given, Sizes, Trial};
use crate::finding::{Finding, Number, Related, Severity};

/// Sizes that are not multiples of a block.
const SIZES: [i64; 3] = [1000, 100, 1];

/// Looks at the barriers behind a `return` that a condition decides on.
pub(super) fn barriers(
    describer: &mut Describer<'_>,
    given: &[Given],
    any: &Given,
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let launches = if given.is_empty() {
        std::slice::from_ref(any)
    } else {
        given
    };
    let walked = describer.walked();
    for barrier in &walked.barriers {
        let exits: Vec<_> = barrier
            .guards
            .iter()
            .filter_map(|guard| guard.exit)
            .collect();
        // Of several barriers behind one exit, the first says it.
        let is_told = found.iter().any(|known| {
            let mut places = known.related.iter();
            places.any(|related| exits.contains(&related.span)) || exits.contains(&known.span)
        });
        if exits.is_empty() || is_told || describer.is_spent() {
            continue;
        }
        let left = launches
            .iter()
            .find_map(|launch| left(describer, barrier, launch));
        found.extend(left.map(|left| told(describer, barrier, &left, instance)));
    }
    found
}

/// The threads of a CTA that have left.
struct Left {
    exit: Span,
    count: i64,
    cta: [i64; 3],
    trial: Trial,
}

/// A CTA of a launch in which some threads come to a barrier, and others have left.
fn left(describer: &mut Describer<'_>, barrier: &Met, launch: &Given) -> Option<Left> {
    for size in SIZES {
        let symbols = launch.symbols();
        if !symbols.iter().all(|symbol| launch.allows(symbol, size)) {
            continue;
        }
        let sizes: Sizes = symbols
            .iter()
            .map(|symbol| (Arc::clone(symbol), size))
            .collect();
        if !launch.is_free(&sizes) {
            return None;
        }
        let ctas = launch.ctas(&sizes)?.map(|extent| extent - 1);
        let mut places = vec![ctas, [0; 3]];
        places.dedup();
        for cta in places {
            let trial = launch.trial(&describer.walked().terms, &sizes, cta)?;
            if let Some((exit, count)) = left_of(describer, barrier, &trial) {
                return Some(Left {
                    exit,
                    count,
                    cta,
                    trial,
                });
            }
        }
        if symbols.is_empty() {
            break;
        }
    }
    None
}

/// The exit that most threads of a CTA take, with their number, where other threads come to the barrier; nothing where
/// something is not known.
fn left_of(describer: &mut Describer<'_>, barrier: &Met, trial: &Trial) -> Option<(Span, i64)> {
    let (_, from) = describer.block()?;
    let (_, address) = barrier.address.as_ref().ok()?;
    let fixed = describer
        .places(barrier, *address, &trial.fixed)
        .fixed
        .into_iter()
        .next()?;
    let exits = barrier.guards.iter().filter_map(|guard| guard.exit);
    let mut counts: Vec<_> = exits.map(|exit| (exit, 0_i64)).collect();
    let mut comes = false;
    let lanes = describer.lanes_of(&fixed)?;
    let columns: Vec<_> = barrier
        .guards
        .iter()
        .map(|guard| (guard, lanes.column(guard.condition)))
        .collect();
    let threads = lanes.threads();
    for thread in 0..threads {
        let mut stopped = None;
        for (guard, column) in &columns {
            match column.at(thread) {
                Cell::Known(0) => {
                    stopped = Some(*guard);
                    break;
                }
                Cell::Known(_) => {}
                Cell::Open(_) | Cell::Unknown(_) => return None,
            }
        }
        match stopped {
            None => comes = true,
            Some(guard) => {
                let own = counts
                    .iter_mut()
                    .find(|(exit, _)| guard.exit == Some(*exit));
                if let Some((_, count)) = own {
                    *count += 1;
                }
            }
        }
    }
    describer.works(threads * (1 + barrier.guards.len()));
    let (exit, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    // In a block of unknown size a number of threads alone says nothing.
    let is_block_known = from.is_certain();
    let terms = &describer.walked().terms;
    let mut own = barrier
        .guards
        .iter()
        .filter(|guard| guard.exit == Some(exit));
    let is_of_sizes = own.any(|guard| {
        let symbols = terms.symbols_of(guard.condition);
        symbols.iter().any(|symbol| trial.is_free(*symbol))
    });
    (comes && count > 0 && (is_block_known || is_of_sizes)).then_some((exit, count))
}

fn told(describer: &Describer<'_>, barrier: &Met, left: &Left, instance: Option<&str>) -> Finding {
    let walked = describer.walked();
    let (count, [x, y, z]) = (left.count, left.cta);
    let sizes = describer.sizes_of(barrier, &left.trial);
    let known = describer.block().filter(|(_, from)| from.is_certain());
    let threads = known.map(|(block, _)| block.iter().product::<i64>());
    let message = match threads {
        Some(threads) => format!(
            "{count} of {threads} threads of CTA ({x},{y},{z}) have returned before this barrier{sizes}"
        ),
        None => format!("some threads of a block may have returned before this barrier{sizes}"),
    };
    let mut numbers = Vec::new();
    if let Some(threads) = threads {
        numbers.push(("left".to_owned(), Number::Integer(count)));
        numbers.push(("threads".to_owned(), Number::Integer(threads)));
    }
    // A barrier in a function that the kernel calls belongs to other kernels, too.
    let is_own = walked.body.is_some_and(|body| body.encloses(barrier.span));
    let (span, other, said) = if is_own {
        (barrier.span, left.exit, "they return here")
    } else {
        (left.exit, barrier.span, "the barrier")
    };
    Finding {
        numbers,
        related: vec![Related {
            span: other,
            message: said.to_owned(),
        }],
        instance: instance.map(str::to_owned),
        ..Finding::new("barrier-after-exit", Severity::Information, span, message)
    }
}
