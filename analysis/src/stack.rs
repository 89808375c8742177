//! Room on the stack for evaluations inside one another. Their number is bounded; how much stack one of them takes is up
//! to the compiler, which puts functions into one another as it likes.

/// Bytes that are free before a level begins: many times what one takes.
const FREE: usize = 256 * 1024;

/// Bytes of another stack, where the one at hand has less.
const ANOTHER: usize = 2 * 1024 * 1024;

/// Evaluates one level, on another stack where this one is nearly full.
pub(crate) fn with_room<T>(evaluate: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(FREE, ANOTHER, evaluate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the numbers up to one, with a large frame for each.
    fn sum(number: u64) -> u64 {
        let frame = std::hint::black_box([number; 1024]);
        match number {
            0 => 0,
            _ => frame[usize::try_from(number % 1024).unwrap_or(0)] + with_room(|| sum(number - 1)),
        }
    }

    #[test]
    fn levels_with_large_frames_have_room_on_a_small_stack() {
        let small = std::thread::Builder::new().stack_size(512 * 1024);
        let thread = small.spawn(|| sum(1000)).expect("a thread");
        assert_eq!(thread.join().expect("no overflow"), 500_500);
    }
}
