# Allocation of shared memory: what is allocated, not where.
import _cute
import cutlass
import cutlass.cute as _c


class SmemAllocator:
    def __init__(self, *args, **named):
        self._taken = 0

    def _keep(self, size, alignment, members):
        gap = -self._taken % alignment
        self._taken = self._taken + gap + size
        _cute.stored(gap, size, alignment, members)

    def allocate(self, size_or_type, byte_alignment=1, **named):
        if isinstance(size_or_type, int):
            self._keep(size_or_type, byte_alignment, [])
            return _cute.pointer(cutlass.Uint8, "smem")
        if hasattr(size_or_type, "mlir_type"):
            self._keep((size_or_type.width + 7) // 8, byte_alignment, [])
            return _cute.pointer(size_or_type, "smem")
        alignment = max(byte_alignment, size_or_type.alignment())
        self._keep(size_or_type.size_in_bytes(), alignment, size_or_type.members())
        return size_or_type(None)

    def allocate_array(self, element_type, num_elems=1, **named):
        size = (element_type.width * num_elems + 7) // 8
        self._keep(size, max(element_type.width // 8, 1), [])
        return _cute.pointer(element_type, "smem")

    def allocate_tensor(self, element_type, layout, byte_alignment=1, swizzle=None, **named):
        self._keep(_c.size_in_bytes(element_type, layout), byte_alignment, [])
        return _cute.tensor(_cute.swizzled(_cute.pointer(element_type, "smem"), swizzle), layout)


def get_smem_capacity_in_bytes(compute_capability=None):
    # Without an argument, that of the machines with WGMMA or tcgen05. `sm_101` is the older name of `sm_110`.
    name = "sm_90" if compute_capability is None else compute_capability
    return _cute.multiprocessor(name.replace("sm_101", "sm_110"))[1]
