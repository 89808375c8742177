//! Points on the device's clock.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use super::library::Driver;
use crate::failure::Failure;

/// A point on the device's clock, destroyed when dropped.
pub(in crate::cuda) struct Event {
    driver: Arc<Driver>,
    event: *mut c_void,
}

impl Event {
    /// A new event.
    pub(in crate::cuda) fn new(driver: &Arc<Driver>) -> Result<Self, Failure> {
        let mut event = ptr::null_mut();
        // SAFETY: writes one pointer; destroyed in `drop`. Flags of 0 keep time.
        let code = unsafe { (driver.functions.event_create)(&raw mut event, 0) };
        driver.checked("cuEventCreate", code)?;
        Ok(Self {
            driver: Arc::clone(driver),
            event,
        })
    }

    /// Puts it behind all that was launched.
    pub(in crate::cuda) fn record(&self) -> Result<(), Failure> {
        // SAFETY: the event lives; null is the default stream.
        let code = unsafe { (self.driver.functions.event_record)(self.event, ptr::null_mut()) };
        self.driver.checked("cuEventRecord", code)
    }

    /// Waits for it, and says how many milliseconds are between an earlier one and it.
    pub(in crate::cuda) fn milliseconds_since(&self, earlier: &Self) -> Result<f64, Failure> {
        // SAFETY: the event lives.
        let code = unsafe { (self.driver.functions.event_synchronize)(self.event) };
        self.driver.checked("cuEventSynchronize", code)?;
        let mut elapsed = 0.0;
        // SAFETY: writes one number; both events live and were recorded.
        let code = unsafe {
            (self.driver.functions.event_elapsed)(&raw mut elapsed, earlier.event, self.event)
        };
        self.driver
            .checked("cuEventElapsedTime", code)
            .map(|()| f64::from(elapsed))
    }
}

// An error in a drop has no receiver: the process ends next.
impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in `event`, destroyed once.
        unsafe { (self.driver.functions.event_destroy)(self.event) };
    }
}
