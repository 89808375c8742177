//! Functions that launch a kernel given to them.

/// Functions that launch a kernel given to them, with the position of the kernel; its arguments follow.
pub(super) const LAUNCHERS: &[(&str, usize)] =
    &[("launch_kernel_on_cluster", 1), ("cudaLaunchKernelEx", 1)];

/// Whether a function launches a kernel that is given to it.
pub(super) fn is_launcher(name: &str) -> bool {
    LAUNCHERS.iter().any(|(launcher, _)| *launcher == name)
}
