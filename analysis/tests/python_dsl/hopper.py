# A product of Hopper, by the helpers of CUTLASS. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
import cutlass.pipeline as pipeline
import cutlass.utils.hopper_helpers as sm90_utils
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.kernel
def product(ta: cute.CopyAtom, tA: cute.Tensor, tb: cute.CopyAtom, tB: cute.Tensor, tc: cute.CopyAtom, tC: cute.Tensor, m: cute.TiledMma, sal: cute.ComposedLayout, sbl: cute.ComposedLayout, sel: cute.ComposedLayout):
    tid, _, _ = cute.arch.thread_idx()  #= tid ?
    bx, by, bz = cute.arch.block_idx()  #= bx ? | by ? | bz ?
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())  #= warp_idx ?
    smem = utils.SmemAllocator()
    sA = smem.allocate_tensor(cutlass.Float16, sal.outer, 128, swizzle=sal.inner)  #= sA ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))
    sB = smem.allocate_tensor(cutlass.Float16, sbl.outer, 128, swizzle=sbl.inner)  #= sB ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))
    sC = smem.allocate_tensor(cutlass.Float16, sel.outer, 128, swizzle=sel.inner)  #= sC ((8,8),(32,1),(1,2)):((32,256),(1,0),(0,2048))
    gA = cute.local_tile(tA, (128, 64), (bx, None))  #= gA (128,64,?):(1@1,1@0,64@0)
    gB = cute.local_tile(tB, (128, 64), (by, None))  #= gB (128,64,?):(1@1,1@0,64@0)
    gC = cute.local_tile(tC, (128, 128), (bx, by))  #= gC (128,128):(1@1,1@0)
    sAg = cute.group_modes(sA, 0, 2)  #= sAg (((8,16),(64,1)),(1,4)):(((64,512),(1,0)),(0,8192))
    gAg = cute.group_modes(gA, 0, 2)  #= gAg ((128,64),?):((1@1,1@0),64@0)
    tAsA, tAgA = cpasync.tma_partition(ta, 0, cute.make_layout(1), sAg, gAg)  #= tAsA ((8192,1),(1,4)):((1,0),(0,8192)) | tAgA (((64,128),1),?):(((1@0,1@1),0),64@0)
    tBsB, tBgB = cpasync.tma_partition(tb, 0, cute.make_layout(1), cute.group_modes(sB, 0, 2), cute.group_modes(gB, 0, 2))  #= tBsB ((8192,1),(1,4)):((1,0),(0,8192)) | tBgB (((64,128),1),?):(((1@0,1@1),0),64@0)
    wg = cute.arch.make_warp_uniform(tid // 128)  #= wg ?
    thr = m.get_slice(wg * 128)
    tCsA = thr.partition_A(sA)  #= tCsA ((64,16),1,4,(1,4)):((64,1),0,16,(0,8192))
    tCsB = thr.partition_B(sB)  #= tCsB ((128,16),1,4,(1,4)):((64,1),0,16,(0,8192))
    tCrA = m.make_fragment_A(tCsA)  #= tCrA (1,1,4,(1,4)):(0,0,2,(0,1024))
    tCrB = m.make_fragment_B(tCsB)  #= tCrB (1,1,4,(1,4)):(0,0,2,(0,1024))
    acc = cute.make_rmem_tensor(m.partition_shape_C((128, 128)), cutlass.Float32)  #= acc ((2,2,16),1,1):((1,2,4),0,0)
    cC = thr.partition_C(cute.make_identity_tensor((128, 128)))  #= cC ((2,2,16),1,1):((1@1,8@0,8@1),0,0)
    op = sm90_utils.sm90_get_smem_store_op(utils.LayoutEnum.ROW_MAJOR, cutlass.Float16, cutlass.Float32)
    atomC = cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), cutlass.Float16)
    tccA = cute.make_tiled_copy_C_atom(atomC, m)
    r2s = cute.make_tiled_copy_S(op, tccA)
    thr_r2s = r2s.get_slice(tid)
    tRSsD = thr_r2s.partition_D(sC)  #= tRSsD (((2,4),1),1,2,(1,2)):(((1,2),0),0,16,(0,2048))
    tRSrA = thr_r2s.retile(acc)  #= tRSrA ((8,8),1,1):((1,8),0,0)
    rDs = cute.shape(thr_r2s.partition_S(sC))  #= rDs (((2,2,2),1),1,2,(1,2))
    lay = cute.make_layout(rDs[:3])  #= lay (((2,2,2),1),1,2):(((1,2,4),0),0,8)
    rD = cute.make_rmem_tensor(lay.shape, cutlass.Float32)  #= rD (((2,2,2),1),1,2):(((1,2,4),0),0,8)
    rO = cute.make_fragment_like(rD, cutlass.Float16)  #= rO (((2,2,2),1),1,2):(((1,2,4),0),0,8)
    gCd = cute.zipped_divide(gC, (64, 32))  #= gCd ((64,32),(2,4)):((1@1,1@0),(64@1,32@0))
    bs, bg = cpasync.tma_partition(tc, 0, cute.make_layout(1), cute.group_modes(sC, 0, 2), gCd)  #= bs ((2048,1),(1,2)):((1,0),(0,2048)) | bg (((32,64),1),(2,4)):(((1@0,1@1),0),(64@1,32@0))
    st = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 4)
    cur = tCrA[None, None, 0, st.index]  #= cur (1,1):(0,0)
    cp = cute.make_layout((1, 2))  #= cp (1,2):(0,1)
    mask = cute.make_layout_image_mask(cp, (0, 0), 1)

@cute.jit
def launch(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
    a_layout = utils.LayoutEnum.from_tensor(mA)
    mnk = (128, 128, 64)  #= mnk (128,128,64)
    sa = sm90_utils.make_smem_layout_a(a_layout, mnk, cutlass.Float16, 4)  #= sa S<3,4,3> o 0 o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))
    sb = sm90_utils.make_smem_layout_b(utils.LayoutEnum.ROW_MAJOR, mnk, cutlass.Float16, 4)  #= sb S<3,4,3> o 0 o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))
    se = sm90_utils.make_smem_layout_epi(cutlass.Float16, utils.LayoutEnum.ROW_MAJOR, (64, 32), 2)  #= se S<2,4,3> o 0 o ((8,8),(32,1),(1,2)):((32,256),(1,0),(0,2048))
    m = sm90_utils.make_trivial_tiled_mma(cutlass.Float16, cutlass.Float16, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.K, cutlass.Float32, (2, 1, 1), tiler_mn=(64, 128))
    ta, tA = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), mA, cute.slice_(sa, (None, None, 0)), (128, 64))  #= tA (?,?):(1@1,1@0)
    tb, tB = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SMulticastOp(), mB, cute.slice_(sb, (None, None, 0)), (128, 64), num_multicast=2)  #= tB (?,?):(1@1,1@0)
    fC = cute.make_tensor(cute.recast_ptr(mC.iterator, dtype=cutlass.Float16), mC.layout)  #= fC (?,?):(?,1)
    tc, tC = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), fC, cute.slice_(se, (None, None, 0)), (64, 32))  #= tC (?,?):(1@1,1@0)
    product(ta, tA, tb, tB, tc, tC, m, sa, sb, se).launch(grid=(1, 1, 1), block=(256, 1, 1))


def compiled():
    from cutlass.cute.runtime import make_fake_compact_tensor
    M, N, K = [cute.sym_int(divisibility=64) for _ in range(3)]
    def fake(dtype, shape):
        return make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
    a, b = fake(cutlass.Float16, (M, K)), fake(cutlass.Float16, (N, K))
    cute.compile(launch, a, b, fake(cutlass.Float32, (M, N)))


compiled()
