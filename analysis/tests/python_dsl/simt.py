# Parts, tiles and products of plain threads. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.kernel
def parts(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()  #= tid ?
    smem = utils.SmemAllocator()
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=128)
    tiled = cute.make_tiled_copy_tv(atom, cute.make_layout((16, 8), stride=(8, 1)), cute.make_layout((1, 4)))
    thr = tiled.get_slice(tid)
    gC = cute.local_tile(mC, (64, 64), (0, 0))  #= gC (64,64):(?,1)
    tg = thr.partition_S(gC)  #= tg ((4,1),4,2):((1,0),?,32)
    frag = cute.make_fragment_like(tg)  #= frag ((4,1),4,2):((1,0),8,4)
    frag2 = cute.make_fragment_like(frag, cutlass.BFloat16)  #= frag2 ((4,1),4,2):((1,0),8,4)
    ret = thr.retile(frag)  #= ret ((4,1),4,2):((1,0),8,4)
    half = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.BFloat16, num_bits_per_copy=64)
    tiled2 = cute.make_tiled_copy_S(half, tiled)
    t2 = tiled2.layout_tv_tiled  #= t2 ((8,16),(4,1)):((64,1),(16,0))
    fp8 = cute.make_tiled_mma(warp.MmaFP8Op(cutlass.Float8E4M3FN, cutlass.Float32, (16, 8, 32)))
    fp8a = fp8.tv_layout_A  #= fp8a ((4,8),(4,2,2)):((64,1),(16,8,256))
    fp8b = fp8.tv_layout_B  #= fp8b ((4,8),(4,2)):((32,1),(8,128))
    tf = cute.make_tiled_mma(warp.MmaTF32Op((16, 8, 8)), (1, 2, 1))
    tfa = tf.tv_layout_A  #= tfa ((4,8),(2,2)):((16,1),(8,64))
    tfc = tf.tv_layout_C_tiled  #= tfc ((4,8,2),((2,2),(1,1))):((32,1,128),((16,8),(0,0)))
    fma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(cutlass.Float32), cute.make_layout((16, 16, 1), stride=(16, 1, 0)), permutation_mnk=(cute.make_layout((16, 4), stride=(4, 1)), cute.make_layout((16, 4), stride=(4, 1)), None))
    fpm = fma.permutation_mnk  #= fpm ((16,4):(4,1),(16,4):(4,1),_)
    ft = fma.get_slice(tid)
    fA = ft.partition_A(cute.local_tile(mA, (64, 8), (0, None)))  #= fA (1,4,8,?):(0,?,1,8)
    fC = ft.partition_C(gC)  #= fC (1,4,4):(0,?,1)
    fr = fma.make_fragment_C(fC)  #= fr (1,4,4):(0,1,4)
    fra = fma.make_fragment_A(fA[None, None, None, 0])  #= fra (1,4,8):(0,8,1)
    cc = cute.make_identity_tensor((64, 64))  #= cc (64,64):(1@0,1@1)
    tc = thr.partition_S(cc)  #= tc ((4,1),4,2):((1@1,0),16@0,32@1)
    sw = smem.allocate_tensor(cutlass.Float32, cute.tile_to_shape(cute.make_composed_layout(cute.make_swizzle(3, 2, 3), 0, cute.make_layout((8, 32), stride=(32, 1))), (64, 64), (0, 1)), 16)  #= sw S<3,2,3> o 0 o ((8,8),(32,2)):((32,256),(1,2048))
    sd = thr.partition_D(sw)  #= sd ((4,1),4,2):((1,0),512,2048)
    lp = cute.local_partition(gC, cute.make_layout((8, 4)), tid)  #= lp (8,16):(?,4)
    lt = cute.logical_divide(gC, (None, 16))  #= lt (64,(16,4)):(?,(1,16))
    zt = cute.zipped_divide(gC, (16, 16))  #= zt ((16,16),(4,4)):((?,1),(?,16))
    ztt = zt[None, 3]  #= ztt ((16,16)):((?,1))
    zt2 = zt[(None, None), (1, 2)]  #= zt2 (16,16):(?,1)
    zt3 = zt[(None, 2), 1]  #= zt3 (16):(?)
    tl = cute.tile_to_shape(cute.make_layout((8, 8)), (64, 64), (1, 0))  #= tl ((8,8),(8,8)):((1,512),(8,64))
    rs = cute.select(mA.layout, mode=[1, 0])  #= rs (?,?):(1,?)
    mt = cute.make_tensor(mA.iterator, cute.select(mA.layout, mode=[1, 0]))  #= mt (?,?):(1,?)
    do = cute.domain_offset((8, 0), gC)  #= do (64,64):(?,1)
    pr = cute.make_rmem_tensor((2, 3), cutlass.Boolean)  #= pr (2,3):(1,2)
    gm = cute.group_modes(tg, 1)  #= gm ((4,1),(4,2)):((1,0),(?,32))
    fl = cute.flatten(tg)  #= fl (4,1,4,2):(1,0,?,32)
    flc = cute.filter_zeros(tg)  #= flc ((4,1),4,2):((1,0),?,32)
    rc = cute.recast_tensor(frag, cutlass.Int64)  #= rc ((2,1),4,2):((1,0),4,2)
    sz = cute.size(tg, mode=[0, 0])  #= sz 4
    ap = cute.append(tg.layout, cute.make_layout(3, stride=7))  #= ap ((4,1),4,2,3):((1,0),?,32,7)
    slx = tg[None, tid, None]  #= slx ((4,1),2):((1,0),32)
    ct = cute.composition(gC, cute.make_layout((64, 8), stride=(1, 64)))  #= ct (64,8):(?,1)

@cute.jit
def launch(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
    parts(mA, mB, mC).launch(grid=(1, 1, 1), block=(128, 1, 1))


def compiled():
    from cutlass.cute.runtime import make_fake_compact_tensor
    M, N, K = [cute.sym_int(divisibility=64) for _ in range(3)]
    def fake(dtype, shape):
        return make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
    a, b = fake(cutlass.Float16, (M, K)), fake(cutlass.Float16, (N, K))
    cute.compile(launch, a, b, fake(cutlass.Float32, (M, N)))


compiled()
