//! Functions that launch a kernel given to them.

use tree_sitter_cute::tree::{Expr, Path};

/// Functions that launch a kernel given to them, with the position of the kernel; its arguments follow.
pub(super) const LAUNCHERS: &[(&str, usize)] =
    &[("launch_kernel_on_cluster", 1), ("cudaLaunchKernelEx", 1)];

/// Whether a function launches a kernel that is given to it.
pub(super) fn is_launcher(name: &str) -> bool {
    LAUNCHERS.iter().any(|(launcher, _)| *launcher == name)
}

/// Whether the first argument of a function is the address of a configuration, which it only reads
/// (`const cudaLaunchConfig_t*`).
pub(super) fn reads_configuration(callee: &Expr) -> bool {
    let name = callee.as_path().and_then(Path::last);
    name.is_some_and(|last| {
        matches!(
            last.name.name.as_str(),
            "cudaLaunchKernelEx" | "cudaLaunchKernelExC"
        )
    })
}
