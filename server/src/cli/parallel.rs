//! Many files on all cores, answered in order.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::Builder;

use crate::limits::WORKER_STACK_BYTES;

/// Results that may wait for one that takes longer, for each core: this bounds the memory.
const WAITING: usize = 8;

/// Does `work` for each input on all cores, and hands the results to `done` in the order of the
/// inputs.
///
/// # Errors
/// The error of `done`, or that no thread is available; then no more work is begun.
pub(super) fn on_all_cores<I: Sync, T: Send>(
    inputs: &[I],
    work: impl Fn(&I) -> T + Sync,
    mut done: impl FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = cores.min(inputs.len());
    if cores < 2 {
        return inputs.iter().try_for_each(|input| done(work(input)));
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::sync_channel(cores * WAITING);
        for _ in 0..cores {
            let (sender, next, work) = (sender.clone(), &next, &work);
            let run = move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(input) = inputs.get(index) else {
                        return;
                    };
                    // No one listens any more when `done` has failed.
                    if sender.send((index, work(input))).is_err() {
                        return;
                    }
                }
            };
            // As deep as in the server.
            let thread = Builder::new().stack_size(WORKER_STACK_BYTES);
            thread.spawn_scoped(scope, run)?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut expected = 0;
        for (index, result) in results {
            early.insert(index, result);
            while let Some(result) = early.remove(&expected) {
                done(result)?;
                expected += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_inputs() {
        let inputs: Vec<u64> = (0..200).collect();
        let mut seen = Vec::new();
        let slow_first = |input: &u64| {
            std::thread::sleep(std::time::Duration::from_micros(200 - input));
            input * 2
        };
        let all = on_all_cores(&inputs, slow_first, |result| {
            seen.push(result);
            Ok(())
        });
        assert!(all.is_ok());
        assert_eq!(seen, (0..200).map(|input| input * 2).collect::<Vec<_>>());
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_work() {
        let inputs: Vec<u64> = (0..1_000).collect();
        let begun = AtomicUsize::new(0);
        let work = |_: &u64| begun.fetch_add(1, Ordering::Relaxed);
        let gone = on_all_cores(&inputs, work, |_| Err(io::ErrorKind::BrokenPipe.into()));
        assert!(gone.is_err());
    }
}
