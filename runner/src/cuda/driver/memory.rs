//! Device memory.

use std::ptr;
use std::sync::Arc;

use super::library::Driver;
use crate::failure::Failure;

/// Device memory, freed when dropped.
pub(in crate::cuda) struct Memory {
    driver: Arc<Driver>,
    address: u64,
    bytes: usize,
}

impl Memory {
    /// Allocates device memory.
    pub(in crate::cuda) fn allocate(driver: &Arc<Driver>, bytes: usize) -> Result<Self, Failure> {
        let mut address = 0;
        // SAFETY: writes one address; freed in `drop`. The driver refuses 0 bytes.
        let code = unsafe { (driver.functions.allocate)(&raw mut address, bytes.max(1)) };
        driver.checked("cuMemAlloc", code)?;
        Ok(Self {
            driver: Arc::clone(driver),
            address,
            bytes,
        })
    }

    /// Its address on the device.
    pub(in crate::cuda) fn address(&self) -> u64 {
        self.address
    }

    /// Writes to its start.
    pub(in crate::cuda) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let count = bytes.len().min(self.bytes);
        // SAFETY: reads `count` bytes of the slice and writes them inside the allocation.
        let code =
            unsafe { (self.driver.functions.copy_in)(self.address, bytes.as_ptr().cast(), count) };
        self.driver.checked("cuMemcpyHtoD", code)
    }

    /// Has the driver copy another memory to its start, on the default stream.
    pub(in crate::cuda) fn copy_from(&self, other: &Self) -> Result<(), Failure> {
        let count = self.bytes.min(other.bytes);
        // SAFETY: both allocations have `count` bytes and live; null is the default stream.
        let code = unsafe {
            (self.driver.functions.copy_within)(self.address, other.address, count, ptr::null_mut())
        };
        self.driver.checked("cuMemcpyDtoDAsync", code)
    }

    /// Sets every byte.
    pub(in crate::cuda) fn fill(&self, value: u8) -> Result<(), Failure> {
        // SAFETY: writes inside the allocation.
        let code = unsafe { (self.driver.functions.fill)(self.address, value, self.bytes) };
        self.driver.checked("cuMemsetD8", code)
    }

    /// All its bytes.
    pub(in crate::cuda) fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0_u8; self.bytes];
        // SAFETY: reads inside the allocation and writes as many bytes as the vector has.
        let code = unsafe {
            (self.driver.functions.copy_out)(bytes.as_mut_ptr().cast(), self.address, self.bytes)
        };
        self.driver.checked("cuMemcpyDtoH", code).map(|()| bytes)
    }
}

// An error in a drop has no receiver: the process ends next.
impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated in `allocate`, freed once.
        unsafe { (self.driver.functions.free)(self.address) };
    }
}
