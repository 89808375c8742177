# Products of a warp group. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.jit
def warpgroups():
    a1 = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_INTER, cutlass.Float16)  #= a1 S<0,4,3> o 0 o (8,8):(8,1)
    a2 = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW32, cutlass.Float8E4M3FN)  #= a2 S<1,4,3> o 0 o (8,32):(32,1)
    a3 = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.MN_SW128, cutlass.Float32)  #= a3 S<3,4,3> o 0 o (32,8):(1,32)
    op = warpgroup.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (64, 64, 16), warpgroup.OperandSource.RMEM, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.MN)
    m = cute.make_tiled_mma(op, (2, 1, 1))
    mA = m.tv_layout_A  #= mA ((4,8,4),(2,2,2)):((128,1,16),(64,8,512))
    mBt = m.tv_layout_B  #= mBt (128,(64,16)):(0,(1,64))
    mC = m.tv_layout_C  #= mC ((4,8,4),(2,2,8)):((128,1,16),(64,8,512))
    opk = m.op.a_major_mode == warpgroup.OperandMajorMode.K
    op8 = warpgroup.MmaF8Op(cutlass.Float8E4M3FN, cutlass.Float8E4M3FN, cutlass.Float32, (64, 64, 32), warpgroup.OperandSource.SMEM, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.K)
    m8 = cute.make_tiled_mma(op8)
    m8a = m8.tv_layout_A  #= m8a (128,(64,32)):(0,(1,64))
    fa = m.make_fragment_A(m.partition_shape_A((128, 64)))  #= fa ((2,2,2),1,4):((1,2,4),0,8)
    fc = m.make_fragment_C(m.partition_shape_C((128, 64)))  #= fc ((2,2,8),1,1):((1,2,4),0,0)
    pa = m.get_slice(3).partition_A(cute.make_identity_tensor((128, 64)))  #= pa ((2,2,2),1,4):((1@1,8@0,8@1),0,16@1)
    pb = m.get_slice(3).partition_B(cute.make_identity_tensor((64, 64)))  #= pb ((64,16),1,4):((1@0,1@1),0,16@1)
    pc = m.get_slice(3).partition_C(cute.make_identity_tensor((128, 64)))  #= pc ((2,2,8),1,1):((1@1,8@0,8@1),0,0)
    st = cute.make_tiled_copy_C(cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), cutlass.BFloat16), m)
    sta = cute.make_tiled_copy_C_atom(cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), cutlass.BFloat16), m)
    stt = sta.tiler_mn  #= stt ((8,8,2):(1,16,8),(4,2,2):(2,1,8))
    full = cute.tile_to_shape(a3, (64, 128, 2), order=(1, 0, 2))  #= full S<3,4,3> o 0 o ((32,2),(8,16),(1,2)):((1,4096),(32,256),(0,8192))
