//! Criterion's measurement in time of the processor spent by this thread, so that other programs on the machine count as
//! little as possible. Where the system has no such clock, time that passes is measured.

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use std::time::Duration;

/// Time of the processor spent by the thread that measures.
pub(crate) struct CpuTime {
    /// Its values are durations too, and are printed alike.
    printed_as: WallTime,
}

#[cfg(unix)]
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

#[cfg(not(unix))]
fn spent() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

impl CpuTime {
    pub(crate) fn new() -> Self {
        CpuTime {
            printed_as: WallTime,
        }
    }
}

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        spent()
    }

    fn end(&self, start: Duration) -> Duration {
        spent().saturating_sub(start)
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        self.printed_as.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self.printed_as.formatter()
    }
}
