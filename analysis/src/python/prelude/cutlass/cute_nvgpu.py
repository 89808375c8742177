# Makers of TMA instructions below `cutlass.cute`: kernels call them for tiles that a tiler does not give.
import _cute


def atom_make_non_exec_tiled_tma_load(gmem_tensor, smem_layout, cta_v_map, op, num_multicast=1, **named):
    made = _cute.make_tma_atom_of_values(op, gmem_tensor, smem_layout, cta_v_map, num_multicast)
    return made[0], made[1]


def atom_make_non_exec_tiled_tma_store(gmem_tensor, smem_layout, cta_v_map, op, **named):
    made = _cute.make_tma_atom_of_values(op, gmem_tensor, smem_layout, cta_v_map, 1)
    return made[0], made[1]
