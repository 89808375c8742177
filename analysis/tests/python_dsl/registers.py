# Registers like another tensor. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.jit
def like(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
    a = cute.make_fragment_like(cute.make_layout(((2, 2), 4), stride=((1, 8), 2)), cutlass.Float32)  #= a ((2,2),4):((1,2),4)
    b = cute.make_fragment_like(cute.make_layout((4, 8), stride=(8, 1)), cutlass.Float32)  #= b (4,8):(1,4)
    c = cute.make_fragment_like(cute.make_layout((4, 8, 3), stride=(0, 1, 100)), cutlass.Float32)  #= c (4,8,3):(0,1,8)
    d = cute.make_fragment_like(cute.make_layout(((2, 2), (4, 2), 3), stride=((4, 1), (0, 64), 8)), cutlass.Float32)  #= d ((2,2),(4,2),3):((1,2),(4,48),16)
    e = cute.make_fragment_like(cute.make_layout((1, 8, 3), stride=(7, 3, 1)), cutlass.Float32)  #= e (1,8,3):(0,3,1)
    f = cute.make_fragment_like(cute.local_tile(mA, (128, 32), (0, None)))  #= f (128,32,?):(?,1,32)
    g = cute.make_fragment_like(cute.local_tile(mA, (128, 32), (None, 0)))  #= g (128,32,?):(32,1,4096)
    t2 = cute.make_tensor(mA.iterator, cute.make_layout((4, 8, 2), stride=(mA.stride[0], mB.stride[0], 1)))  #= t2 (4,8,2):(?,?,1)
    h = cute.make_fragment_like(t2)  #= h (4,8,2):(2,8,1)
    t3 = cute.make_tensor(mA.iterator, cute.make_layout((4, 8, 2), stride=(mA.stride[0] * 4, mC.stride[0], 1)))  #= t3 (4,8,2):(?,?,1)
    i = cute.make_fragment_like(t3)  #= i (4,8,2):(2,8,1)
    t4 = cute.make_tensor(mA.iterator, cute.make_layout((4, 8, 2), stride=(mA.stride[0], mC.stride[0] * 4, 1)))  #= t4 (4,8,2):(?,?,1)
    j = cute.make_fragment_like(t4)  #= j (4,8,2):(2,8,1)
    l = cute.make_layout_like(t2.layout)  #= l (4,8,2):(2,8,1)
    m = cute.make_fragment_like(cute.make_composed_layout(cute.make_swizzle(2, 4, 3), 0, cute.make_layout((8, 32), stride=(32, 1))), cutlass.Float32)  #= m (8,32):(1,8)
    o = cute.make_fragment_like(cute.make_layout((4, 8, 2), stride=(2, 2, 1)), cutlass.Float32)  #= o (4,8,2):(1,8,4)
    p = cute.make_fragment_like(cute.make_layout((4, 8, 2), stride=(1, 1, 1)), cutlass.Float32)  #= p (4,8,2):(1,4,4)
    q = cute.make_fragment_like(cute.make_layout((4, (8, 2), 1), stride=(16, (2, 1), 0)), cutlass.Float32)  #= q (4,(8,2),1):(1,(8,4),0)
    r = cute.make_rmem_tensor(cute.make_layout((4, 8), stride=(8, 1)), cutlass.Float32)  #= r (4,8):(8,1)
    s = cute.make_rmem_tensor_like(cute.make_layout((4, 8), stride=(16, 1)), cutlass.Float32)  #= s (4,8):(8,1)
    u = cute.make_fragment_like((4, (2, 3)), cutlass.Float32)
    v = cute.make_fragment_like(cute.make_identity_tensor((4, 8)), cutlass.Float32)  #= v (4,8):(1,4)
    ll1 = cute.make_layout_like(cute.make_layout(((2, 2), (4, 2), 3), stride=((4, 1), (0, 64), 8)))  #= ll1 ((2,2),(4,2),3):((2,1),(0,12),4)
    ll2 = cute.make_layout_like(cute.make_layout((1, 8, 3), stride=(7, 3, 1)))  #= ll2 (1,8,3):(0,3,1)
    ll3 = cute.make_layout_like(cute.make_layout((4, 8, 2), stride=(2, 2, 1)))  #= ll3 (4,8,2):(2,2,1)


def compiled():
    from cutlass.cute.runtime import make_fake_compact_tensor
    M, N, K = [cute.sym_int(divisibility=64) for _ in range(3)]
    def fake(dtype, shape):
        return make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
    a, b = fake(cutlass.Float16, (M, K)), fake(cutlass.Float16, (N, K))
    cute.compile(like, a, b, fake(cutlass.Float32, (M, N)))


compiled()
