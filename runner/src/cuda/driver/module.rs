//! A compiled kernel, and its launch.

use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use super::library::Driver;
use super::tensor_map::EncodedMap;
use crate::failure::Failure;
use crate::job::Launch;

/// Bytes of the compiler's log that are kept.
const LOG_BYTES: usize = 8192;

/// Options of `cuModuleLoadDataEx`.
const ERROR_LOG_BUFFER: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;

/// Attributes of a function.
const ATTRIBUTE_REGISTERS: c_int = 4;
const ATTRIBUTE_DYNAMIC_SHARED: c_int = 8;

/// A kernel's parameter as the driver takes it.
#[derive(Clone, Copy)]
pub(in crate::cuda) enum Parameter {
    Word(u32),
    Address(u64),
    Map(EncodedMap),
}

/// `CUlaunchConfig` with the attributes behind it.
#[repr(C)]
struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    stream: *mut c_void,
    attributes: *mut LaunchAttribute,
    attribute_count: c_uint,
}

/// `CUlaunchAttribute`: a number, padding to 8 bytes, a union of 64 bytes.
#[repr(C, align(8))]
struct LaunchAttribute {
    id: c_uint,
    padding: [u8; 4],
    value: [c_uint; 16],
}

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const ATTRIBUTE_CLUSTER: c_uint = 4;

/// Configuration, function, parameters, extra.
type LaunchEx = unsafe extern "C" fn(
    *const LaunchConfig,
    *mut c_void,
    *mut *mut c_void,
    *mut *mut c_void,
) -> c_int;

/// A loaded kernel, unloaded when dropped.
pub(in crate::cuda) struct Module {
    driver: Arc<Driver>,
    handle: *mut c_void,
    function: *mut c_void,
}

impl Module {
    /// Compiles a module and finds its kernel.
    pub(in crate::cuda) fn load(
        driver: &Arc<Driver>,
        text: &str,
        kernel: &str,
    ) -> Result<Self, Failure> {
        let text = CString::new(text).map_err(|error| Failure::NotCompiled(error.to_string()))?;
        let name = CString::new(kernel).map_err(|error| Failure::NotCompiled(error.to_string()))?;
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = [ERROR_LOG_BUFFER, ERROR_LOG_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG_BYTES as *mut c_void];
        let mut module = ptr::null_mut();
        // SAFETY: the image is text that ends in NUL; options and values are arrays of two, the
        // log's size is passed by value in the place of a pointer, as the header prescribes.
        let code = unsafe {
            (driver.functions.module_load)(
                &raw mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if let Err(failure) = driver.checked("cuModuleLoadDataEx", code) {
            let end = log.iter().position(|byte| *byte == 0).unwrap_or(0);
            let said = String::from_utf8_lossy(log.get(..end).unwrap_or_default());
            return Err(Failure::NotCompiled(format!("{failure}: {}", said.trim())));
        }
        let mut loaded = Self {
            driver: Arc::clone(driver),
            handle: module,
            function: ptr::null_mut(),
        };
        // SAFETY: the module was just loaded and lives as long as `loaded`.
        let code = unsafe {
            (driver.functions.module_function)(&raw mut loaded.function, module, name.as_ptr())
        };
        driver.checked("cuModuleGetFunction", code).map(|()| loaded)
    }

    /// Registers of a thread.
    pub(in crate::cuda) fn registers(&self) -> Result<i32, Failure> {
        let mut value = 0;
        // SAFETY: writes one integer; the function lives as long as the module.
        let code = unsafe {
            (self.driver.functions.function_attribute)(
                &raw mut value,
                ATTRIBUTE_REGISTERS,
                self.function,
            )
        };
        self.driver
            .checked("cuFuncGetAttribute", code)
            .map(|()| value)
    }

    /// Allows the kernel this much dynamic shared memory; beyond 48 KiB that has to be said.
    pub(in crate::cuda) fn allow_shared(&self, bytes: u32) -> Result<(), Failure> {
        // SAFETY: the function lives as long as the module.
        let code = unsafe {
            (self.driver.functions.function_set)(
                self.function,
                ATTRIBUTE_DYNAMIC_SHARED,
                bytes as c_int,
            )
        };
        self.driver.checked("cuFuncSetAttribute", code)
    }

    /// Launches the kernel on the default stream. The parameters have to be those of the kernel,
    /// in order: the kernels are ours, and each comes with its own.
    pub(in crate::cuda) fn launch(
        &self,
        launch: Launch,
        parameters: &[Parameter],
    ) -> Result<(), Failure> {
        let mut parameters = parameters.to_vec();
        let mut pointers: Vec<*mut c_void> = parameters
            .iter_mut()
            .map(|parameter| match parameter {
                Parameter::Word(word) => ptr::from_mut(word).cast(),
                Parameter::Address(address) => ptr::from_mut(address).cast(),
                Parameter::Map(map) => ptr::from_mut(map).cast(),
            })
            .collect();
        if launch.cluster > 1 {
            return self.launch_clusters(launch, &mut pointers);
        }
        // SAFETY: one pointer for each parameter of the kernel, to a value of its size; the driver
        // copies them before it returns.
        let code = unsafe {
            (self.driver.functions.launch)(
                self.function,
                launch.blocks,
                1,
                1,
                launch.threads,
                1,
                1,
                launch.shared_bytes,
                ptr::null_mut(),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.driver.checked("cuLaunchKernel", code)
    }

    /// As [`launch`](Self::launch), in clusters; drivers before CUDA 11.8 lack the function.
    fn launch_clusters(&self, launch: Launch, pointers: &mut [*mut c_void]) -> Result<(), Failure> {
        const SYMBOL: &str = "cuLaunchKernelEx";
        // SAFETY: the signature is that of the header.
        let call: LaunchEx = *unsafe { self.driver.library.get::<LaunchEx>(SYMBOL) }
            .map_err(|_| Failure::MissingSymbol(SYMBOL))?;
        let mut value = [0; 16];
        value[..3].copy_from_slice(&[launch.cluster, 1, 1]);
        let mut cluster = LaunchAttribute {
            id: ATTRIBUTE_CLUSTER,
            padding: [0; 4],
            value,
        };
        let config = LaunchConfig {
            grid: [launch.blocks, 1, 1],
            block: [launch.threads, 1, 1],
            shared_bytes: launch.shared_bytes,
            stream: ptr::null_mut(),
            attributes: &raw mut cluster,
            attribute_count: 1,
        };
        // SAFETY: the configuration and its attribute live until the call returns; parameters as of
        // `launch`.
        let code = unsafe {
            call(
                &raw const config,
                self.function,
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.driver.checked(SYMBOL, code)
    }
}

// An error in a drop has no receiver: the process ends next.
impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded in `load`, unloaded once.
        unsafe { (self.driver.functions.module_unload)(self.handle) };
    }
}
