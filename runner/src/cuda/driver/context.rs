//! The context of a device, and queries of its properties.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::Arc;

use cute_hardware::tma::TensorMap;

use super::event::Event;
use super::library::Driver;
use super::memory::Memory;
use super::module::Module;
use super::tensor_map::EncodedMap;
use crate::failure::Failure;

/// Attributes of a device.
#[derive(Clone, Copy)]
#[repr(i32)]
pub(in crate::cuda) enum DeviceAttribute {
    Multiprocessors = 16,
    L2Bytes = 38,
    CapabilityMajor = 75,
    CapabilityMinor = 76,
}

/// A device context that is current on this thread, released when dropped.
pub(in crate::cuda) struct Context {
    driver: Arc<Driver>,
    device: c_int,
}

impl Context {
    /// The primary context of the first device, made current.
    pub(in crate::cuda) fn open(driver: &Arc<Driver>) -> Result<Self, Failure> {
        let (mut count, mut device) = (0, 0);
        // SAFETY: writes one integer.
        let code = unsafe { (driver.functions.device_count)(&raw mut count) };
        driver.checked("cuDeviceGetCount", code)?;
        if count == 0 {
            return Err(Failure::NoDevice);
        }
        // SAFETY: writes one integer; 0 is below the count.
        let code = unsafe { (driver.functions.device_get)(&raw mut device, 0) };
        driver.checked("cuDeviceGet", code)?;
        let mut context = ptr::null_mut();
        // SAFETY: writes one pointer; released in `drop`.
        let code = unsafe { (driver.functions.context_retain)(&raw mut context, device) };
        driver.checked("cuDevicePrimaryCtxRetain", code)?;
        let opened = Self {
            driver: Arc::clone(driver),
            device,
        };
        // SAFETY: the context was just retained and lives until `drop`.
        let code = unsafe { (driver.functions.context_set)(context) };
        driver.checked("cuCtxSetCurrent", code).map(|()| opened)
    }

    /// The product's name.
    pub(in crate::cuda) fn device_name(&self) -> Result<String, Failure> {
        let mut name = [0 as c_char; 256];
        // SAFETY: writes at most the 256 bytes that are said to be there, NUL included.
        let code =
            unsafe { (self.driver.functions.device_name)(name.as_mut_ptr(), 256, self.device) };
        self.driver.checked("cuDeviceGetName", code)?;
        // SAFETY: the driver wrote a string that ends in NUL within the array.
        Ok(unsafe { CStr::from_ptr(name.as_ptr()) }
            .to_string_lossy()
            .into_owned())
    }

    /// A property of the device.
    pub(in crate::cuda) fn attribute(&self, attribute: DeviceAttribute) -> Result<i32, Failure> {
        let mut value = 0;
        // SAFETY: writes one integer.
        let code = unsafe {
            (self.driver.functions.device_attribute)(
                &raw mut value,
                attribute as c_int,
                self.device,
            )
        };
        self.driver
            .checked("cuDeviceGetAttribute", code)
            .map(|()| value)
    }

    /// Bytes of device memory that are free.
    pub(in crate::cuda) fn free_memory(&self) -> Result<u64, Failure> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two integers; a context is current.
        let code = unsafe { (self.driver.functions.memory_info)(&raw mut free, &raw mut total) };
        self.driver
            .checked("cuMemGetInfo", code)
            .map(|()| free as u64)
    }

    /// Waits until everything that was launched has ended.
    pub(in crate::cuda) fn synchronize(&self) -> Result<(), Failure> {
        // SAFETY: a context is current.
        let code = unsafe { (self.driver.functions.synchronize)() };
        self.driver.checked("cuCtxSynchronize", code)
    }

    /// Allocates device memory.
    pub(in crate::cuda) fn allocate(&self, bytes: usize) -> Result<Memory, Failure> {
        Memory::allocate(&self.driver, bytes)
    }

    /// Compiles a module and finds its kernel.
    pub(in crate::cuda) fn load(&self, text: &str, kernel: &str) -> Result<Module, Failure> {
        Module::load(&self.driver, text, kernel)
    }

    /// Encodes the descriptor of a tensor at an address.
    pub(in crate::cuda) fn encode(
        &self,
        map: &TensorMap,
        address: u64,
    ) -> Result<EncodedMap, Failure> {
        EncodedMap::encode(&self.driver, map, address)
    }

    /// A new event.
    pub(in crate::cuda) fn event(&self) -> Result<Event, Failure> {
        Event::new(&self.driver)
    }
}

// An error in a drop has no receiver: the process ends next.
impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained in `open`, released once.
        unsafe { (self.driver.functions.context_release)(self.device) };
    }
}
