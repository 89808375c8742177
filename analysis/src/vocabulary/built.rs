//! Mainloops of builders, each built once for the same request.
//!
//! The instances of a template, and the translation units that use a header, mostly ask for the same ones again. The
//! stored result is a function of the request alone, so no result depends on it.

use std::cell::RefCell;
use std::sync::Arc;

use cute_hardware::collective::{Mainloop, MainloopRequest, NotBuilt};

use crate::hash::HashMap;
use crate::limits::MAINLOOPS;

type Built = Result<Arc<Mainloop>, NotBuilt>;

thread_local! {
    /// One for each thread, so that no thread waits; at most [`MAINLOOPS`] entries.
    static KNOWN: RefCell<HashMap<MainloopRequest, Built>> = RefCell::default();
}

/// [`Mainloop::build`].
pub(super) fn mainloop(request: &MainloopRequest) -> Built {
    if let Some(known) = KNOWN.with_borrow(|known| known.get(request).cloned()) {
        return known;
    }
    let built = Mainloop::build(request).map(Arc::new);
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= MAINLOOPS {
            known.clear();
        }
        known.insert(*request, built.clone());
    });
    built
}

#[cfg(test)]
mod tests {
    use cute_hardware::Element;
    use cute_hardware::collective::{
        KernelSchedule, MemoryOrder, OperandRequest, StageCount, Target,
    };

    use super::*;

    fn request(target: Target, rows: i64) -> MainloopRequest {
        let operand = |order| OperandRequest {
            element: Element::F16,
            order,
            alignment: 8,
        };
        MainloopRequest {
            target,
            a: operand(MemoryOrder::Row),
            b: operand(MemoryOrder::Column),
            accumulator: Element::F32,
            tile: [rows, 128, 64],
            cluster: Some([1, 1, 1]),
            stages: StageCount::Auto { carveout: 0 },
            schedule: KernelSchedule::Auto,
            extended_shapes: false,
        }
    }

    #[test]
    fn what_is_remembered_is_what_is_built() {
        for _ in 0..2 {
            for target in [Target::Sm90, Target::Sm100] {
                // One that is refused, too.
                for rows in [1, 64, 128] {
                    let request = request(target, rows);
                    let built = mainloop(&request).map(|built| (*built).clone());
                    assert_eq!(built, Mainloop::build(&request));
                }
            }
        }
    }

    #[test]
    fn no_more_is_remembered_than_the_limit() {
        for rows in 1..=i64::try_from(MAINLOOPS).unwrap_or(i64::MAX) + 1 {
            let _ = mainloop(&request(Target::Sm90, rows));
        }
        let remembered = KNOWN.with_borrow(HashMap::len);
        assert!((1..=MAINLOOPS).contains(&remembered), "{remembered}");
    }
}
