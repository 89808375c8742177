//! The library itself: its place, its functions, and the meanings of its codes.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use libloading::Library;

use crate::failure::Failure;

/// The names of the library: the one that the driver's packages install, then that of Windows Subsystem for Linux.
const NAMES: &[&str] = &["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"];

/// Success of every call.
const SUCCESS: c_int = 0;
/// `cuInit` found no device.
const NO_DEVICE: c_int = 100;

/// Declares the functions that are looked up, and the lookup.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($parameter:ty),*);)*) => {
        /// The functions, as the library exports them; every one returns a `CUresult`.
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($parameter),*) -> c_int,)*
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
pub(in crate::cuda) struct Driver {
    pub(super) functions: Functions,
    /// Keeps the functions' code in memory; functions that only some kernels need are looked up in it.
    pub(super) library: Library,
}

impl Driver {
    /// Loads and initialises the library.
    pub(in crate::cuda) fn load() -> Result<Arc<Self>, Failure> {
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

    /// A code as a success or as the driver's name of the error.
    pub(super) fn checked(&self, call: &'static str, code: c_int) -> Result<(), Failure> {
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
    pub(in crate::cuda) fn version(&self) -> Result<i32, Failure> {
        let mut version = 0;
        // SAFETY: writes one integer.
        let code = unsafe { (self.functions.driver_version)(&raw mut version) };
        self.checked("cuDriverGetVersion", code).map(|()| version)
    }
}
