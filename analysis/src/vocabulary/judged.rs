//! Judged operations of the algebra, each judged once for the same operands.
//!
//! Where no theorem decides, a judgement visits up to 65,536 coordinates. The instances of a template, and the
//! translation units that use a header, mostly ask about the same operands again. The stored judgement is a function of
//! the operands alone, so no result depends on it.

use std::cell::RefCell;

use cute_algebra::judge::{self, Form, Judged};
use cute_algebra::{AnyLayout, Tiler};

use crate::hash::HashMap;
use crate::limits::JUDGEMENTS;

/// The judged operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Composition,
    Divide(Form),
    Product(Form),
}

type Judgements = HashMap<(Operation, AnyLayout, Tiler), Judged<AnyLayout>>;

thread_local! {
    /// One for each thread, so that no thread waits; at most [`JUDGEMENTS`] entries.
    static KNOWN: RefCell<Judgements> = RefCell::default();
}

/// [`judge::composition`].
pub(super) fn composition(a: &AnyLayout, tiler: &Tiler) -> Judged<AnyLayout> {
    once(Operation::Composition, a, tiler, judge::composition)
}

/// [`judge::divide`].
pub(super) fn divide(a: &AnyLayout, tiler: &Tiler, form: Form) -> Judged<AnyLayout> {
    let operation = Operation::Divide(form);
    once(operation, a, tiler, |a, tiler| {
        judge::divide(a, tiler, form)
    })
}

/// [`judge::product`].
pub(super) fn product(a: &AnyLayout, tiler: &Tiler, form: Form) -> Judged<AnyLayout> {
    let operation = Operation::Product(form);
    once(operation, a, tiler, |a, tiler| {
        judge::product(a, tiler, form)
    })
}

fn once(
    operation: Operation,
    a: &AnyLayout,
    tiler: &Tiler,
    judge: impl FnOnce(&AnyLayout, &Tiler) -> Judged<AnyLayout>,
) -> Judged<AnyLayout> {
    let key = (operation, a.clone(), tiler.clone());
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&key).cloned()) {
        return known;
    }
    let judged = judge(a, tiler);
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= JUDGEMENTS {
            known.clear();
        }
        known.insert(key, judged.clone());
    });
    judged
}

#[cfg(test)]
mod tests {
    use cute_algebra::{Int, Layout};

    use super::*;

    fn line(extent: i64, step: i64) -> AnyLayout {
        Layout::single(Int::fixed(extent), Int::fixed(step)).into()
    }

    #[test]
    fn what_is_remembered_is_what_is_judged() {
        let tilers = [1, 3, 4, 7].map(|extent| Tiler::Int(Int::fixed(extent)));
        for _ in 0..2 {
            for extent in [1, 6, 12] {
                let a = line(extent, 2);
                for tiler in &tilers {
                    assert_eq!(composition(&a, tiler), judge::composition(&a, tiler));
                    for form in [Form::Logical, Form::Zipped, Form::Tiled, Form::Flat] {
                        assert_eq!(divide(&a, tiler, form), judge::divide(&a, tiler, form));
                        assert_eq!(product(&a, tiler, form), judge::product(&a, tiler, form));
                    }
                }
            }
        }
    }

    #[test]
    fn no_more_is_remembered_than_the_limit() {
        for extent in 1..=i64::try_from(JUDGEMENTS).unwrap_or(i64::MAX) + 1 {
            composition(&line(extent, 1), &Tiler::Int(Int::ONE));
        }
        let remembered = KNOWN.with_borrow(HashMap::len);
        assert!((1..=JUDGEMENTS).contains(&remembered), "{remembered}");
    }
}
