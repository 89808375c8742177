# Allocators of memory, under the name that they have from 4.8 on.
from cutlass.utils.smem_allocator import SmemAllocator, get_smem_capacity_in_bytes
from cutlass.utils.tmem_allocator import TmemAllocator
