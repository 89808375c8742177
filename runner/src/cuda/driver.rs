//! The functions of the driver's library, each behind one safe or clearly bounded call
//! (CUDA Driver API; `cuda.h`).
#![allow(unsafe_code)] // The boundary to the driver: every block says what it relies on.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use libloading::Library;

use cute_algebra::Int;
use cute_hardware::tma::TensorMap;

use crate::failure::Failure;
use crate::job::Launch;

/// Where the library is looked for: the name that the driver's packages install, then that of
/// Windows Subsystem for Linux.
const NAMES: &[&str] = &["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"];

/// Success of every call.
const SUCCESS: c_int = 0;
/// `cuInit` found no device.
const NO_DEVICE: c_int = 100;

/// Bytes of the compiler's log that are kept.
const LOG_BYTES: usize = 8192;

/// Options of `cuModuleLoadDataEx`.
const ERROR_LOG_BUFFER: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;

/// Attributes of a function.
const ATTRIBUTE_REGISTERS: c_int = 4;
const ATTRIBUTE_DYNAMIC_SHARED: c_int = 8;

/// Attributes of a device.
#[derive(Clone, Copy)]
#[repr(i32)]
pub(super) enum DeviceAttribute {
    Multiprocessors = 16,
    L2Bytes = 38,
    CapabilityMajor = 75,
    CapabilityMinor = 76,
}

/// Declares the functions that are looked up, and the lookup.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($parameter:ty),*);)*) => {
        /// The functions, as the library exports them; every one returns a `CUresult`.
        struct Functions {
            $($field: unsafe extern "C" fn($($parameter),*) -> c_int,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Self, Failure> {
                Ok(Self {
                    $($field: {
                        // SAFETY: the signature is that of the driver API's header for this
                        // symbol, whose ABI the driver keeps for all later versions.
                        let found = unsafe { library.get($symbol) };
                        *found.map_err(|_| Failure::MissingSymbol($symbol))?
                    },)*
                })
            }
        }
    };
}

functions! {
    init = "cuInit": fn(c_uint);
    driver_version = "cuDriverGetVersion": fn(*mut c_int);
    device_count = "cuDeviceGetCount": fn(*mut c_int);
    device_get = "cuDeviceGet": fn(*mut c_int, c_int);
    device_name = "cuDeviceGetName": fn(*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute": fn(*mut c_int, c_int, c_int);
    context_retain = "cuDevicePrimaryCtxRetain": fn(*mut *mut c_void, c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2": fn(c_int);
    context_set = "cuCtxSetCurrent": fn(*mut c_void);
    synchronize = "cuCtxSynchronize": fn();
    memory_info = "cuMemGetInfo_v2": fn(*mut usize, *mut usize);
    allocate = "cuMemAlloc_v2": fn(*mut u64, usize);
    free = "cuMemFree_v2": fn(u64);
    copy_in = "cuMemcpyHtoD_v2": fn(u64, *const c_void, usize);
    copy_out = "cuMemcpyDtoH_v2": fn(*mut c_void, u64, usize);
    copy_within = "cuMemcpyDtoDAsync_v2": fn(u64, u64, usize, *mut c_void);
    fill = "cuMemsetD8_v2": fn(u64, u8, usize);
    module_load = "cuModuleLoadDataEx": fn(*mut *mut c_void, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    module_unload = "cuModuleUnload": fn(*mut c_void);
    module_function = "cuModuleGetFunction": fn(*mut *mut c_void, *mut c_void, *const c_char);
    function_attribute = "cuFuncGetAttribute": fn(*mut c_int, c_int, *mut c_void);
    function_set = "cuFuncSetAttribute": fn(*mut c_void, c_int, c_int);
    launch = "cuLaunchKernel": fn(*mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, *mut c_void, *mut *mut c_void, *mut *mut c_void);
    event_create = "cuEventCreate": fn(*mut *mut c_void, c_uint);
    event_record = "cuEventRecord": fn(*mut c_void, *mut c_void);
    event_synchronize = "cuEventSynchronize": fn(*mut c_void);
    event_elapsed = "cuEventElapsedTime": fn(*mut f32, *mut c_void, *mut c_void);
    event_destroy = "cuEventDestroy_v2": fn(*mut c_void);
    error_name = "cuGetErrorName": fn(c_int, *mut *const c_char);
}

/// The driver's library, loaded and initialised.
pub(super) struct Driver {
    functions: Functions,
    /// Keeps the functions' code in memory; what only some kernels need is looked up in it.
    library: Library,
}

/// A device context that is current on this thread, released when dropped.
pub(super) struct Context {
    driver: Arc<Driver>,
    device: c_int,
}

/// Device memory, freed when dropped.
pub(super) struct Memory {
    driver: Arc<Driver>,
    address: u64,
    bytes: usize,
}

/// A loaded kernel, unloaded when dropped.
pub(super) struct Module {
    driver: Arc<Driver>,
    handle: *mut c_void,
    function: *mut c_void,
}

/// A point on the device's clock, destroyed when dropped.
pub(super) struct Event {
    driver: Arc<Driver>,
    event: *mut c_void,
}

/// A descriptor of a tensor, as the driver encodes it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct EncodedMap([u64; 16]);

impl EncodedMap {
    /// Its 32-bit words, lowest first.
    pub(super) fn words(&self) -> Vec<u32> {
        self.0
            .iter()
            .flat_map(|pair| [*pair as u32, (*pair >> 32) as u32])
            .collect()
    }
}

/// A kernel's parameter as the driver takes it.
#[derive(Clone, Copy)]
pub(super) enum Parameter {
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

/// Why a tensor map has no numbers that the driver takes: they were checked when it was made.
const NO_NUMBERS: &str = "a tensor map with numbers that are not known";

/// `CUtensorMapDataType`, rank, address, extents, byte strides, box, element strides, interleave,
/// swizzle, L2 promotion, fill.
type EncodeTiled = unsafe extern "C" fn(
    *mut EncodedMap,
    c_int,
    c_uint,
    *mut c_void,
    *const u64,
    *const u64,
    *const u32,
    *const u32,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;

impl Driver {
    /// Loads and initialises the library.
    pub(super) fn load() -> Result<Arc<Self>, Failure> {
        let library = NAMES.iter().find_map(|name| {
            // SAFETY: the initialisers of NVIDIA's driver library have no precondition.
            unsafe { Library::new(*name) }.ok()
        });
        let library = library
            .ok_or_else(|| Failure::NoLibrary(NAMES.iter().map(ToString::to_string).collect()))?;
        let driver = Self {
            functions: Functions::of(&library)?,
            library,
        };
        // SAFETY: no precondition; the only flag that exists is 0.
        match unsafe { (driver.functions.init)(0) } {
            NO_DEVICE => Err(Failure::NoDevice),
            code => driver.checked("cuInit", code).map(|()| Arc::new(driver)),
        }
    }

    fn checked(&self, call: &'static str, code: c_int) -> Result<(), Failure> {
        if code == SUCCESS {
            return Ok(());
        }
        let mut name: *const c_char = ptr::null();
        // SAFETY: writes a pointer to a static string, or null for an unknown code.
        let known = unsafe { (self.functions.error_name)(code, &raw mut name) } == SUCCESS;
        let name = if known && !name.is_null() {
            // SAFETY: the driver returned a static string that ends in NUL.
            unsafe { CStr::from_ptr(name) }
                .to_string_lossy()
                .into_owned()
        } else {
            "unknown error".to_owned()
        };
        Err(Failure::Driver { call, code, name })
    }

    /// The driver's version: 12080 for CUDA 12.8.
    pub(super) fn version(&self) -> Result<i32, Failure> {
        let mut version = 0;
        // SAFETY: writes one integer.
        let code = unsafe { (self.functions.driver_version)(&raw mut version) };
        self.checked("cuDriverGetVersion", code).map(|()| version)
    }
}

impl Context {
    /// The primary context of the first device, made current.
    pub(super) fn open(driver: &Arc<Driver>) -> Result<Self, Failure> {
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
    pub(super) fn device_name(&self) -> Result<String, Failure> {
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
    pub(super) fn attribute(&self, attribute: DeviceAttribute) -> Result<i32, Failure> {
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
    pub(super) fn free_memory(&self) -> Result<u64, Failure> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two integers; a context is current.
        let code = unsafe { (self.driver.functions.memory_info)(&raw mut free, &raw mut total) };
        self.driver
            .checked("cuMemGetInfo", code)
            .map(|()| free as u64)
    }

    /// Waits until everything that was launched has ended.
    pub(super) fn synchronize(&self) -> Result<(), Failure> {
        // SAFETY: a context is current.
        let code = unsafe { (self.driver.functions.synchronize)() };
        self.driver.checked("cuCtxSynchronize", code)
    }

    /// Allocates device memory.
    pub(super) fn allocate(&self, bytes: usize) -> Result<Memory, Failure> {
        let mut address = 0;
        // SAFETY: writes one address; freed in `drop`. The driver refuses 0 bytes.
        let code = unsafe { (self.driver.functions.allocate)(&raw mut address, bytes.max(1)) };
        self.driver.checked("cuMemAlloc", code)?;
        Ok(Memory {
            driver: Arc::clone(&self.driver),
            address,
            bytes,
        })
    }

    /// Compiles a module and finds its kernel.
    pub(super) fn load(&self, text: &str, kernel: &str) -> Result<Module, Failure> {
        let text = CString::new(text).map_err(|error| Failure::NotCompiled(error.to_string()))?;
        let name = CString::new(kernel).map_err(|error| Failure::NotCompiled(error.to_string()))?;
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = [ERROR_LOG_BUFFER, ERROR_LOG_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG_BYTES as *mut c_void];
        let mut module = ptr::null_mut();
        // SAFETY: the image is text that ends in NUL; options and values are arrays of two, the
        // log's size is passed by value in the place of a pointer, as the header prescribes.
        let code = unsafe {
            (self.driver.functions.module_load)(
                &raw mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if let Err(failure) = self.driver.checked("cuModuleLoadDataEx", code) {
            let end = log.iter().position(|byte| *byte == 0).unwrap_or(0);
            let said = String::from_utf8_lossy(log.get(..end).unwrap_or_default());
            return Err(Failure::NotCompiled(format!("{failure}: {}", said.trim())));
        }
        let mut loaded = Module {
            driver: Arc::clone(&self.driver),
            handle: module,
            function: ptr::null_mut(),
        };
        // SAFETY: the module was just loaded and lives as long as `loaded`.
        let code = unsafe {
            (self.driver.functions.module_function)(&raw mut loaded.function, module, name.as_ptr())
        };
        self.driver
            .checked("cuModuleGetFunction", code)
            .map(|()| loaded)
    }

    /// Encodes the descriptor of a tensor at an address.
    pub(super) fn encode(&self, map: &TensorMap, address: u64) -> Result<EncodedMap, Failure> {
        const SYMBOL: &str = "cuTensorMapEncodeTiled";
        // SAFETY: the signature is that of the header; drivers before CUDA 12.0 lack the symbol.
        let encode: EncodeTiled = *unsafe { self.driver.library.get::<EncodeTiled>(SYMBOL) }
            .map_err(|_| Failure::MissingSymbol(SYMBOL))?;
        let wide = |numbers: &[Int]| -> Result<Vec<u64>, Failure> {
            numbers
                .iter()
                .map(|number| {
                    let known = number.value().and_then(|value| u64::try_from(value).ok());
                    known.ok_or_else(|| Failure::NotCompiled(NO_NUMBERS.to_owned()))
                })
                .collect()
        };
        let narrow =
            |numbers: &[i64]| -> Vec<u32> { numbers.iter().map(|number| *number as u32).collect() };
        let (dims, strides) = (wide(&map.dims)?, wide(&map.strides_bytes)?);
        let (boxed, steps) = (narrow(&map.box_dims), narrow(&map.element_strides));
        let mut encoded = EncodedMap([0; 16]);
        // SAFETY: writes 128 bytes that are aligned to 64; each array has as many entries as the
        // rank says, strides one fewer; the address is only written into the descriptor.
        let code = unsafe {
            encode(
                &raw mut encoded,
                c_int::from(map.data_type),
                map.rank() as c_uint,
                address as *mut c_void,
                dims.as_ptr(),
                strides.as_ptr(),
                boxed.as_ptr(),
                steps.as_ptr(),
                c_int::from(map.interleave),
                c_int::from(map.swizzle.code()),
                c_int::from(map.l2_promotion),
                c_int::from(map.oob_fill),
            )
        };
        self.driver.checked(SYMBOL, code).map(|()| encoded)
    }

    /// A new event.
    pub(super) fn event(&self) -> Result<Event, Failure> {
        let mut event = ptr::null_mut();
        // SAFETY: writes one pointer; destroyed in `drop`. Flags of 0 keep time.
        let code = unsafe { (self.driver.functions.event_create)(&raw mut event, 0) };
        self.driver.checked("cuEventCreate", code)?;
        Ok(Event {
            driver: Arc::clone(&self.driver),
            event,
        })
    }
}

impl Memory {
    /// Where it is on the device.
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// Writes to its start.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let count = bytes.len().min(self.bytes);
        // SAFETY: reads `count` bytes of the slice and writes them inside the allocation.
        let code =
            unsafe { (self.driver.functions.copy_in)(self.address, bytes.as_ptr().cast(), count) };
        self.driver.checked("cuMemcpyHtoD", code)
    }

    /// Has the driver copy another memory to its start, on the default stream.
    pub(super) fn copy_from(&self, other: &Self) -> Result<(), Failure> {
        let count = self.bytes.min(other.bytes);
        // SAFETY: both allocations have `count` bytes and live; null is the default stream.
        let code = unsafe {
            (self.driver.functions.copy_within)(self.address, other.address, count, ptr::null_mut())
        };
        self.driver.checked("cuMemcpyDtoDAsync", code)
    }

    /// Sets every byte.
    pub(super) fn fill(&self, value: u8) -> Result<(), Failure> {
        // SAFETY: writes inside the allocation.
        let code = unsafe { (self.driver.functions.fill)(self.address, value, self.bytes) };
        self.driver.checked("cuMemsetD8", code)
    }

    /// All its bytes.
    pub(super) fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0_u8; self.bytes];
        // SAFETY: reads inside the allocation and writes as many bytes as the vector has.
        let code = unsafe {
            (self.driver.functions.copy_out)(bytes.as_mut_ptr().cast(), self.address, self.bytes)
        };
        self.driver.checked("cuMemcpyDtoH", code).map(|()| bytes)
    }
}

impl Module {
    /// Registers of a thread.
    pub(super) fn registers(&self) -> Result<i32, Failure> {
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
    pub(super) fn allow_shared(&self, bytes: u32) -> Result<(), Failure> {
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
    pub(super) fn launch(&self, launch: Launch, parameters: &[Parameter]) -> Result<(), Failure> {
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

impl Event {
    /// Puts it behind all that was launched.
    pub(super) fn record(&self) -> Result<(), Failure> {
        // SAFETY: the event lives; null is the default stream.
        let code = unsafe { (self.driver.functions.event_record)(self.event, ptr::null_mut()) };
        self.driver.checked("cuEventRecord", code)
    }

    /// Waits for it, and says how many milliseconds lie between an earlier one and it.
    pub(super) fn milliseconds_since(&self, earlier: &Self) -> Result<f64, Failure> {
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

// What fails while something is dropped has no one to be told: the process ends next.

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained in `open`, released once.
        unsafe { (self.driver.functions.context_release)(self.device) };
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated in `allocate`, freed once.
        unsafe { (self.driver.functions.free)(self.address) };
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded in `load`, unloaded once.
        unsafe { (self.driver.functions.module_unload)(self.handle) };
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in `event`, destroyed once.
        unsafe { (self.driver.functions.event_destroy)(self.event) };
    }
}
