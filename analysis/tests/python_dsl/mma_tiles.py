# Atoms of shared memory over the operand of an MMA. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.jit
def tiles():
    k = tcgen05.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind.K_SW128, cutlass.BFloat16)  #= k S<3,4,3> o 0 o (8,64):(64,1)
    mn = tcgen05.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind.MN_SW128, cutlass.BFloat16)  #= mn S<3,4,3> o 0 o (64,8):(1,64)
    k32 = tcgen05.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind.K_SW32, cutlass.BFloat16)  #= k32 S<1,4,3> o 0 o (8,16):(16,1)
    a1 = tcgen05.tile_to_mma_shape(k, ((128, 16), 2, 4, 3))  #= a1 S<3,4,3> o 0 o ((128,16),2,4,3):((64,1),8192,16,16384)
    a2 = tcgen05.tile_to_mma_shape(k, ((128, 16), 2, 8, 3))  #= a2 S<3,4,3> o 0 o ((128,16),2,(4,2),3):((64,1),8192,(16,16384),32768)
    a3 = tcgen05.tile_to_mma_shape(mn, ((128, 16), 2, 4, 3), order=(2, 1, 3))  #= a3 S<3,4,3> o 0 o (((64,2),16),2,4,3):(((1,4096),64),8192,1024,16384)
    a4 = tcgen05.tile_to_mma_shape(mn, ((64, 16), 2, 4, 3))  #= a4 S<3,4,3> o 0 o ((64,(8,2)),2,4,3):((1,(64,1024)),512,2048,8192)
    a5 = tcgen05.tile_to_mma_shape(k32, ((128, 16), 1, 4, 3))  #= a5 S<1,4,3> o 0 o ((128,16),1,4,3):((16,1),0,2048,8192)
    a6 = tcgen05.tile_to_mma_shape(k32, ((128, 16), 1, 4, 3), order=(2, 1, 3))  #= a6 S<1,4,3> o 0 o (((8,16),16),1,4,3):(((16,512),1),0,128,8192)
    a7 = tcgen05.tile_to_mma_shape(k, ((128, 16), 2, 8))  #= a7 S<3,4,3> o 0 o ((128,16),2,(4,2)):((64,1),8192,(16,16384))
    a8 = tcgen05.tile_to_mma_shape(k, ((128, 16), 1, 4, 1))  #= a8 S<3,4,3> o 0 o ((128,16),1,4,1):((64,1),0,16,0)
    a9 = tcgen05.tile_to_mma_shape(k, ((128, 16), 1, 4, (2, 2)))  #= a9 S<3,4,3> o 0 o ((128,16),1,4,(1,4)):((64,1),0,16,(0,8192))
    b1 = tcgen05.tile_to_mma_shape(k, ((256, 32), 1, 4, 2), order=(2, 1, 3))  #= b1 S<3,4,3> o 0 o (((8,32),32),1,(2,2),2):(((64,1024),1),0,(32,512),32768)
    b2 = tcgen05.tile_to_mma_shape(k32, ((128, 32), 1, 2, 2), order=(2, 1, 3))  #= b2 S<1,4,3> o 0 o (((8,16),(16,2)),1,2,2):(((16,512),(1,128)),0,256,8192)
