# A product of Blackwell, by the helpers of CUTLASS. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
import cutlass.utils.blackwell_helpers as sm100_utils
import cutlass.utils.blockscaled_layout as blockscaled_utils
from cutlass.cute.nvgpu import cpasync, warp, tcgen05

@cute.kernel
def product(ta: cute.CopyAtom, tA: cute.Tensor, tb: cute.CopyAtom, tB: cute.Tensor, m: cute.TiledMma, sal: cute.ComposedLayout, sbl: cute.ComposedLayout, mC: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()  #= tid ?
    bx, by, bz = cute.arch.block_idx()  #= bx ? | by ? | bz ?
    cta = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())  #= cta ?
    vmnk = cute.tiled_divide(cute.make_layout((2, 1, 1)), (m.thr_id.shape,))  #= vmnk ((2),1,1,1):((1),0,0,0)
    ctac = vmnk.get_flat_coord(cta)  #= ctac (?,0,0,0)
    smem = utils.SmemAllocator()
    sA = smem.allocate_tensor(cutlass.Float16, sal.outer, 128, swizzle=sal.inner)  #= sA ((128,16),1,4,4):((64,1),0,16,8192)
    sB = smem.allocate_tensor(cutlass.Float16, sbl.outer, 128, swizzle=sbl.inner)  #= sB ((64,16),1,4,4):((64,1),0,16,4096)
    gA = cute.local_tile(tA, cute.slice_((256, 128, 64), (None, 0, None)), (None, None))  #= gA (256,64,?,?):(1@1,1@0,256@1,64@0)
    gB = cute.local_tile(tB, cute.slice_((256, 128, 64), (0, None, None)), (None, None))  #= gB (128,64,?,?):(1@1,1@0,128@1,64@0)
    gC = cute.local_tile(mC, cute.slice_((256, 128, 64), (None, None, 0)), (None, None))  #= gC (256,128,?,?):(?,1,?,128)
    thr = m.get_slice(bx % 2)
    tCgA = thr.partition_A(gA)  #= tCgA ((128,16),1,4,?,?):((1@1,1@0),0,16@0,256@1,64@0)
    tCgB = thr.partition_B(gB)  #= tCgB ((64,16),1,4,?,?):((1@1,1@0),0,16@0,128@1,64@0)
    tCgC = thr.partition_C(gC)  #= tCgC ((128,128),1,1,?,?):((?,1),0,0,?,128)
    acl = cute.make_layout(cute.slice_(vmnk, (0, 0, None, 0)).shape)  #= acl (1):(0)
    tAsA, tAgA = cpasync.tma_partition(ta, ctac[2], acl, cute.group_modes(sA, 0, 3), cute.group_modes(tCgA, 0, 3))  #= tAsA ((8192,1),4):((1,0),8192) | tAgA (((64,128),1),?,?):(((1@0,1@1),0),256@1,64@0)
    tBsB, tBgB = cpasync.tma_partition(tb, ctac[1], cute.make_layout(1), cute.group_modes(sB, 0, 3), cute.group_modes(tCgB, 0, 3))  #= tBsB ((4096,1),4):((1,0),4096) | tBgB (((64,64),1),?,?):(((1@0,1@1),0),128@1,64@0)
    tCrA = m.make_fragment_A(sA)  #= tCrA (1,1,4,4):(0,0,2,1024)
    tCrB = m.make_fragment_B(sB)  #= tCrB (1,1,4,4):(0,0,2,512)
    accs = m.partition_shape_C((256, 128))  #= accs ((128,128),1,1)
    accf = m.make_fragment_C(cute.append(accs, 2))  #= accf ((128,128),1,1,2):((65536,1),0,0,128)
    ptr = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, cute.make_ptr(cutlass.Int32, 0, cute.AddressSpace.smem))
    acc = cute.make_tensor(ptr, accf.layout)  #= acc ((128,128),1,1,2):((65536,1),0,0,128)
    epi = sm100_utils.compute_epilogue_tile_shape((128, 128, 64), True, utils.LayoutEnum.ROW_MAJOR, cutlass.Float16)  #= epi (128:1,32:1)
    ld = sm100_utils.get_tmem_load_op((128, 128, 64), utils.LayoutEnum.ROW_MAJOR, cutlass.Float16, cutlass.Float32, epi, True)
    accepi = cute.flat_divide(acc[((None, None), 0, 0, None)], epi)  #= accepi (128,32,1,4,2):(65536,1,0,32,128)
    t2r = tcgen05.make_tmem_copy(ld, accepi[(None, None, 0, 0, 0)])
    tht = t2r.get_slice(tid)
    tTR_tAcc = tht.partition_S(accepi)  #= tTR_tAcc (((32,32),1),1,1,1,4,2):(((1,65536),0),0,0,0,32,128)
    gCe = cute.flat_divide(tCgC[((None, None), 0, 0, None, None)], epi)  #= gCe (128,32,1,4,?,?):(?,1,0,32,?,128)
    tTR_gC = tht.partition_D(gCe)  #= tTR_gC ((32,1),1,1,1,4,?,?):((1,0),0,0,0,32,?,128)
    rAcc = cute.make_rmem_tensor(tTR_gC[(None, None, None, 0, 0, 0, 0)].shape, cutlass.Float32)  #= rAcc ((32,1),1,1):((1,0),0,0)
    rC = cute.make_rmem_tensor(rAcc.shape, cutlass.Float16)  #= rC ((32,1),1,1):((1,0),0,0)
    sto = sm100_utils.get_smem_store_op(utils.LayoutEnum.ROW_MAJOR, cutlass.Float16, cutlass.Float32, t2r)
    r2s = cute.make_tiled_copy_D(sto, t2r)
    se = sm100_utils.make_smem_layout_epi(cutlass.Float16, utils.LayoutEnum.ROW_MAJOR, epi, 2)  #= se S<2,4,3> o 0 o ((8,16),(32,1),(1,2)):((32,256),(1,0),(0,4096))
    sC = smem.allocate_tensor(cutlass.Float16, se.outer, 128, swizzle=se.inner)  #= sC ((8,16),(32,1),(1,2)):((32,256),(1,0),(0,4096))
    rsD = r2s.get_slice(tid).partition_D(sC)  #= rsD ((1,32),1,1,(1,2)):((0,1),0,0,(0,4096))
    rrC = r2s.retile(rC)  #= rrC ((1,32),1,1):((0,1),0,0)

@cute.jit
def launch(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
    m = sm100_utils.make_trivial_tiled_mma(cutlass.Float16, cutlass.Float16, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K, cutlass.Float32, tcgen05.CtaGroup.TWO, (256, 128))
    mnk = (256, 128, 64)  #= mnk (256,128,64)
    sa = sm100_utils.make_smem_layout_a(m, mnk, cutlass.Float16, 4)  #= sa S<3,4,3> o 0 o ((128,16),1,4,4):((64,1),0,16,8192)
    sb = sm100_utils.make_smem_layout_b(m, mnk, cutlass.Float16, 4)  #= sb S<3,4,3> o 0 o ((64,16),1,4,4):((64,1),0,16,4096)
    vmnk = cute.tiled_divide(cute.make_layout((2, 1, 1)), (m.thr_id.shape,))  #= vmnk ((2),1,1,1):((1),0,0,0)
    opa = sm100_utils.cluster_shape_to_tma_atom_A((2, 1), m.thr_id)
    opb = sm100_utils.cluster_shape_to_tma_atom_B((2, 1), m.thr_id)
    ta, tA = cute.nvgpu.make_tiled_tma_atom_A(opa, mA, cute.slice_(sa, (None, None, None, 0)), mnk, m, vmnk.shape)  #= tA (?,?):(1@1,1@0)
    tb, tB = cute.nvgpu.make_tiled_tma_atom_B(opb, mB, cute.slice_(sb, (None, None, None, 0)), mnk, m, vmnk.shape)  #= tB (?,?):(1@1,1@0)
    product(ta, tA, tb, tB, m, sa, sb, mC).launch(grid=(2, 1, 1), block=(128, 1, 1), cluster=(2, 1, 1))


def compiled():
    from cutlass.cute.runtime import make_fake_compact_tensor
    M, N, K = [cute.sym_int(divisibility=64) for _ in range(3)]
    def fake(dtype, shape):
        return make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
    a, b = fake(cutlass.Float16, (M, K)), fake(cutlass.Float16, (N, K))
    cute.compile(launch, a, b, fake(cutlass.Float32, (M, N)))


compiled()
