# Parts of swizzled tensors. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.kernel
def parts(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()  #= tid ?
    smem = utils.SmemAllocator()
    m = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (2, 2, 1), permutation_mnk=(32, 32, 16))
    th = m.get_slice(tid)
    x = smem.allocate_tensor(cutlass.Float16, cute.make_layout((128, 64), stride=(64, 1)), 16)  #= x (128,64):(64,1)
    y = smem.allocate_tensor(cutlass.Float16, cute.make_layout((128, 64)), 16)  #= y (128,64):(1,128)
    fa = m.make_fragment_A(th.partition_A(x))  #= fa ((2,2,2),4,4):((1,2,4),32,8)
    fa2 = m.make_fragment_A(th.partition_A(y))  #= fa2 ((2,2,2),4,4):((1,2,4),8,32)
    fb = m.make_fragment_B(th.partition_B(x))  #= fb ((2,2),8,4):((1,2),16,4)
    fb2 = m.make_fragment_B(th.partition_B(y))  #= fb2 ((2,2),8,4):((1,2),4,32)
    fc = m.make_fragment_C(th.partition_C(x))  #= fc ((2,2),4,4):((1,2),4,16)
    fc2 = m.make_fragment_C(th.partition_C(y))  #= fc2 ((2,2),4,4):((1,2),4,16)
    sw = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))  #= sw S<3,3,3> o 0 o (8,64):(64,1)
    swt = smem.allocate_tensor(cutlass.Float16, cute.tile_to_shape(sw, (128, 64, 3), (0, 1, 2)), 16)  #= swt S<3,3,3> o 0 o ((8,16),(64,1),(1,3)):((64,512),(1,0),(0,8192))
    ps = th.partition_A(swt)  #= ps ((2,2,2),4,(2,2),(1,3)):((1,512,?),2048,(?,?),(0,8192))
    fs = m.make_fragment_A(ps[None, None, None, 0])  #= fs ((2,2,2),4,(2,2)):((1,2,4),8,(32,64))
    swm = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((64, 8), stride=(1, 64)))  #= swm S<3,3,3> o 0 o (64,8):(1,64)
    swmt = smem.allocate_tensor(cutlass.Float16, cute.tile_to_shape(swm, (128, 64, 3), (1, 0, 2)), 16)  #= swmt S<3,3,3> o 0 o ((64,2),(8,8),(1,3)):((1,4096),(64,512),(0,8192))
    pm = th.partition_A(swmt)  #= pm S<3,3,3> o ? o ((2,2,2),(2,2),4,(1,3)):((64,8,512),(32,4096),1024,(0,8192))
    fm = m.make_fragment_A(pm[None, None, None, 0])  #= fm ((2,2,2),(2,2),4):((1,2,4),(8,64),16)
    pmb = th.partition_B(swmt)  #= pmb ((2,2),((2,2),2),4,(1,3)):((?,512),((?,?),4096),1024,(0,8192))
    fmb = m.make_fragment_B(pmb[None, None, None, 0])  #= fmb ((2,2),((2,2),2),4):((1,2),((32,64),16),4)
    ldm = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), cutlass.Float16)
    tcb = cute.make_tiled_copy_B(ldm, m)
    thb = tcb.get_slice(tid)
    pbs = thb.partition_S(swmt)  #= pbs ((8,1),(2,2),4,(1,3)):((1,0),(?,4096),1024,(0,8192))
    rb = thb.retile(fmb)  #= rb (((4,2),1),(2,2),4):(((1,32),0),(64,16),4)
    pm0 = pm[None, None, None, 0]  #= pm0 S<3,3,3> o ? o ((2,2,2),(2,2),4):((64,8,512),(32,4096),1024)
    pm1 = pm[None, None, 1, 2]  #= pm1 S<3,3,3> o ? o ((2,2,2),(2,2)):((64,8,512),(32,4096))
    pmx = pm[None, None, None, tid]  #= pmx S<3,3,3> o ? o ((2,2,2),(2,2),4):((64,8,512),(32,4096),1024)
    th5 = m.get_slice(5)
    p5 = th5.partition_A(swt)  #= p5 ((2,2,2),4,4,(1,3)):((1,512,-8),2048,16,(0,8192))
    ps2 = ps[None, None, 0, 1]  #= ps2 ((2,2,2),4):((1,512,?),2048)
    cr = cute.make_fragment_like(ps[None, None, None, 0])  #= cr ((2,2,2),4,(2,2)):((1,2,16),4,(32,64))
    cpy = cute.make_tiled_copy_tv(cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float16, num_bits_per_copy=128), cute.make_layout((16, 8), stride=(8, 1)), cute.make_layout((1, 8)))
    thc = cpy.get_slice(tid)
    dD = thc.partition_D(swt)  #= dD ((8,1),8,1,(1,3)):((1,0),1024,0,(0,8192))
    sS = thc.partition_S(swmt)  #= sS S<3,3,3> o ? o ((8,1),(4,2),1,(1,3)):((64,0),(16,4096),0,(0,8192))
    sS0 = sS[None, None, None, 1]  #= sS0 S<3,3,3> o ? o ((8,1),(4,2),1):((64,0),(16,4096),0)
    gB = cute.local_tile(mB, (128, 64), (0, None))  #= gB (128,64,?):(?,1,64)
    sG = thc.partition_S(gB)  #= sG ((8,1),8,1,?):((1,0),?,0,64)
    fG = cute.make_fragment_like(sG[None, None, None, 0])  #= fG ((8,1),8,1):((1,0),8,0)

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

@cute.jit
def slices():
    s1 = cute.make_composed_layout(cute.make_swizzle(2, 4, 3), 0, cute.make_layout((8, 32), stride=(32, 1)))
    a1 = cute.slice_(s1, (3, None))  #= a1 S<0,4,3> o 0 o (32):(1)
    a2 = cute.slice_(s1, (5, None))  #= a2 S<0,4,3> o 0 o ((16,2)):((1,-16))
    a3 = cute.slice_(s1, (None, 3))  #= a3 S<0,4,3> o 0 o ((4,2)):((32,144))
    x1 = s1((3, 5))  #= x1 101
    x2 = s1(7)  #= x2 240
    s2 = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))
    b1 = cute.slice_(s2, (3, None))  #= b1 S<0,4,3> o 0 o ((8,4,2)):((1,-8,32))
    t = cute.tile_to_shape(s2, (64, 128, 3), order=(0, 1, 2))
    b4 = cute.slice_(t, (None, None, 2))  #= b4 S<3,3,3> o 0 o ((8,8),(64,2)):((64,512),(1,4096))
    b6 = cute.slice_(t, (None, 0, 1))  #= b6 S<0,4,3> o 0 o ((8,8)):((72,512))
    x3 = cute.crd2idx((5, 9), s2)  #= x3 353
    x4 = t((3, 65, 1))  #= x4 12505
    m1 = cute.make_layout(True)  #= m1 1:0
    m2 = cute.make_layout((True, 4))  #= m2 (1,4):(0,1)
