# Functions of tuples and layouts. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warp, warpgroup, tcgen05

@cute.jit
def algebra():
    a = cute.make_layout((8, 16), stride=(16, 1))  #= a (8,16):(16,1)
    c1 = cute.ceil_div((10, 7), 4)  #= c1 18
    c2 = cute.ceil_div((10, (7, 3)), (4, 2))  #= c2 (3,11)
    c3 = cute.ceil_div((10, (7, 3)), (4, (2, 3)))  #= c3 (3,(4,1))
    c4 = cute.ceil_div((10, 7, 3), (4, 2))  #= c4 (3,4,3)
    c5 = cute.ceil_div(((4, 2), 3), (3, 2))  #= c5 (3,2)
    d1 = cute.dice(a, (1, None))  #= d1 (8):(16)
    d2 = cute.dice((3, (4, 5)), (None, (1, None)))  #= d2 (4)
    d3 = cute.dice(cute.make_layout((2, (3, 4))), (1, (None, 1)))  #= d3 (2,4):(1,6)
    l1 = cute.make_layout_like(cute.make_layout((4, 8, 3), stride=(0, 1, 100)))  #= l1 (4,8,3):(0,1,8)
    l2 = cute.make_layout_like(cute.make_layout(((2, 2), 8), stride=((8, 32), 1)))  #= l2 ((2,2),8):((8,16),1)
    ld1 = cute.leading_dim((4, (8, 2)), (16, (2, 1)))  #= ld1 (1,1)
    ld2 = cute.leading_dim((4, 1, 8), (8, 1, 1))  #= ld2 2
    e1 = cute.make_layout((3, 4), stride=(cute.E(1), cute.E(0)))  #= e1 (3,4):(1@1,1@0)
    e2 = cute.make_layout((3, (4, 5)), stride=(cute.E([1, 0]), (cute.E(0), 2 * cute.E(2))))  #= e2 (3,(4,5)):(1@0@1,(1@0,2@2))
    e3 = cute.make_layout((3, 4), stride=(cute.ScaledBasis(2, [1]), cute.ScaledBasis(1, [0])))  #= e3 (3,4):(2@1,1@0)
    one = cute.make_layout((128,))
    two = cute.make_layout((128, 32))
    r1 = cute.flat_divide(one, (16,))  #= r1 (16,8):(1,16)
    r2 = cute.tiled_divide(two, (16,))  #= r2 ((16),8,32):((1),16,128)
    r3 = cute.flat_divide(two, (16,))  #= r3 (16,8,32):(1,16,128)
    r4 = cute.tiled_divide(one, (16,))  #= r4 ((16),8):((1),16)
    r5 = cute.flat_divide(one, (cute.make_layout((4, 2)),))  #= r5 ((4,2),16):((1,4),8)
    r6 = cute.flat_product(one, cute.make_layout((16,)))  #= r6 (128,16):(1,128)
    r7 = cute.tiled_product(one, cute.make_layout((16,)))  #= r7 ((128),16):((1),128)
    t1 = cute.local_tile(cute.make_identity_tensor((128,)), (16,), (None,))  #= t1 (16,8):(1@0,16@0)
    t2 = cute.local_tile(cute.make_identity_tensor((128,)), (16,), (0,))  #= t2 (16):(1@0)
    ao = cute.append_ones(a, up_to_rank=4)  #= ao (8,16,1,1):(16,1,0,0)
    po = cute.prepend(a, cute.make_layout(1), up_to_rank=4)  #= po (1,1,8,16):(0,0,16,1)
    s1 = cute.size_in_bytes(cutlass.Float16, a)  #= s1 256
    s2 = cute.size_in_bytes(cutlass.Float4E2M1FN, cute.make_layout((3, 3)))  #= s2 5
    s3 = cute.size_in_bytes(cutlass.Float16, cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, cute.make_layout((8, 64), stride=(64, 1))))  #= s3 1024
    f1 = cute.front(((2, 3), 4))  #= f1 2
    mj = cute.is_major(0, (1, 4))
    tc = cute.tuple_cat((1, 2), 3, (4, (5, 6)))  #= tc (1,2,3,4,(5,6))
    w1 = cute.wrap(3)  #= w1 (3)
    u1 = cute.unwrap(((3,),))  #= u1 3
    r1 = cute.repeat_as_tuple(2, 3)  #= r1 (2,2,2)
    f2 = cute.find((3, (4, 5)), 5)  #= f2 (1,1)
    ru = cute.round_up((10, 7), (4, 4))  #= ru (12,8)
    gs = cute.get_swizzle_portion(a)  #= gs S<0,4,3>
    gn = cute.get_nonswizzle_portion(cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, cute.make_layout((8, 64), stride=(64, 1))))  #= gn (8,64):(64,1)
    so, of = cute.slice_and_offset((2, None), a)  #= so (16):(1) | of 32
    ic = cute.increment_coord((3, 2), (4, 8))  #= ic (0,3)
    pl = cute.product_like(((2, 3), (4, (5, 6))), ((1, 1), (1, 1)))  #= pl ((2,3),(4,30))
    sh = cute.shape(a, mode=[1])  #= sh 16
    fd = cute.FastDivmodDivisor(4)
    q = 5 // fd
    ta = cute.transform_apply((2, 3), (4, 5), f=lambda x, y: x * y, g=lambda *v: v)  #= ta (8,15)
