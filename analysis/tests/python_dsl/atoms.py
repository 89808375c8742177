# Atoms, and what is tiled with them. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.jit
def atoms():
    at = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32)
    at2 = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=256)
    at3 = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float4E2M1FN, num_bits_per_copy=32)
    at4 = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float32, num_bits_per_copy=64)
    at5 = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=16)
    lm1 = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), cutlass.BFloat16)
    lm2 = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 2), cutlass.Float8E4M3FN)
    lm3 = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(transpose=True, num_matrices=2), cutlass.Float16)
    sm1 = cute.make_copy_atom(warp.StMatrix8x8x16bOp(True, 2), cutlass.Float16)
    sm2 = cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 1), cutlass.Float16)
    lm1s = lm1.layout_src_tv  #= lm1s (32,8):(8,1)
    lm1d = lm1.layout_dst_tv  #= lm1d ((4,8),(1,2,4)):((16,1),(1,8,64))
    lm2s = lm2.layout_src_tv  #= lm2s ((16,2),16):((16,0),1)
    lm2d = lm2.layout_dst_tv  #= lm2d (32,(4,2)):(4,(1,128))
    sm1s = sm1.layout_src_tv  #= sm1s ((4,8),(1,2,2)):((16,1),(1,8,64))
    sm1d = sm1.layout_dst_tv  #= sm1d ((16,2),8):((8,0),1)
    vt = lm1.value_type
    thr = lm1.thr_id  #= thr 32:1
    m1 = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (16, 8, 8)), (2, 1, 1))
    m2 = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float16, (16, 8, 16)))
    m1a = m1.tv_layout_A  #= m1a ((4,8),(2,2)):((32,1),(16,8))
    m1b = m1.tv_layout_B  #= m1b ((4,8),2):((16,1),8)
    m1c = m1.tv_layout_C  #= m1c ((4,8),(2,2)):((32,1),(16,8))
    m1at = m1.tv_layout_A_tiled  #= m1at ((4,8,2),((2,2),(1,1))):((64,1,16),((32,8),(0,0)))
    m1sh = m1.shape_mnk  #= m1sh (16,8,8)
    m1pm = m1.permutation_mnk  #= m1pm (_,_,_)
    m1th = m1.thr_id  #= m1th 32:1
    pf = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (2, 2, 1), permutation_mnk=(32, cute.make_layout((8, 2, 2), stride=(1, 16, 8)), 16))
    pfm = pf.permutation_mnk  #= pfm (32:1,(8,2,2):(1,16,8),16:1)
    pft = pf.tv_layout_B_tiled  #= pft ((4,8,2,2),((2,2),(2,1))):((64,1,0,16),((32,256),(8,0)))
    g1 = pf.get_tile_size(1)  #= g1 32
    tid, _, _ = cute.arch.thread_idx()  #= tid ?
    th = m1.get_slice(tid)
    cC = cute.make_identity_tensor((64, 64))  #= cC (64,64):(1@0,1@1)
    pc = th.partition_C(cC)  #= pc ((2,2),2,8):((1@1,8@0),32@0,8@1)
    pa = th.partition_A(cC)  #= pa ((2,2),2,8):((1@1,8@0),32@0,8@1)
    pb = th.partition_B(cC)  #= pb (2,8,8):(1@1,8@0,8@1)
    fa = m1.make_fragment_A(m1.partition_shape_A((64, 64)))  #= fa ((2,2),2,8):((1,2),4,8)
    fb = m1.make_fragment_B(m1.partition_shape_B((64, 64)))  #= fb (2,8,8):(1,2,16)
    fc = m1.make_fragment_C(m1.partition_shape_C((64, 64)))  #= fc ((2,2),2,8):((1,2),4,8)
    tvc = cute.make_tiled_copy_tv(at, cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((2, 2)))
    sl = tvc.get_slice(tid)
    ps = sl.partition_S(cC)  #= ps ((1,(2,2)),8,4):((0,(1@0,1@1)),8@0,16@1)
    pd = sl.partition_D(cC)  #= pd ((1,(2,2)),8,4):((0,(1@0,1@1)),8@0,16@1)
    rt = sl.retile(cute.make_rmem_tensor(ps.shape, cutlass.Float32))  #= rt ((1,4),8,4):((0,1),4,32)
    tv5 = cute.make_tiled_copy_tv(at5, cute.make_layout(32), cute.make_layout(1))
    ps5 = tv5.get_slice(tid).partition_S(cute.make_identity_tensor(256))  #= ps5 ((1,1),(8)):((0,0),(32))
    ts = tvc.layout_src_tv_tiled  #= ts ((8,4),(1,(2,2))):((16,2),(0,(1,8)))
    td = tvc.layout_dst_tv_tiled  #= td ((8,4),(1,(2,2))):((16,2),(0,(1,8)))
    cl = cute.make_tiled_copy_A(lm1, m2)
    cls = cl.layout_src_tv_tiled  #= cls ((8,2,2),(8,1)):((16,8,128),(1,0))
    cld = cl.layout_dst_tv_tiled  #= cld ((4,8),((2,2,2),1)):((32,1),((16,8,128),0))
    cca = cute.make_tiled_copy_C_atom(sm1, m2)
    ccr = cca.get_slice(tid).retile(m2.make_fragment_C(m2.partition_shape_C((64, 64))))  #= ccr ((4,1),4,8):((1,0),4,16)
    cD = cute.make_tiled_copy_D(at, tvc)
    kk = cute.make_layout((64, 64))  #= kk (64,64):(1,64)
