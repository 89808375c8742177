# Scale factors in shared and in tensor memory. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
import cutlass.utils.blackwell_helpers as sm100_utils
import cutlass.utils.blockscaled_layout as bs
from cutlass.cute.nvgpu import tcgen05

@cute.jit
def scale_factors():
    K = tcgen05.OperandMajorMode.K
    F4 = cutlass.Float4E2M1FN
    m1 = sm100_utils.make_blockscaled_trivial_tiled_mma(F4, F4, K, K, cutlass.Float8E4M3FN, 16, tcgen05.CtaGroup.ONE, (128, 128))
    a1 = bs.make_smem_layout_sfa(m1, (128, 128, 256), 16, 3)  #= a1 ((((32,4),1),(16,4)),1,4,3):((((16,4),0),(0,1)),0,512,2048)
    t1 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, cute.slice_(a1, (None, None, None, 0)))  #= t1 ((((32,4),4),(16,4)),1,4):((((262144,4),8388608),(0,1)),0,16)
    b1 = bs.make_smem_layout_sfb(m1, (128, 128, 256), 16, 3)  #= b1 ((((32,4),1),(16,4)),1,4,3):((((16,4),0),(0,1)),0,512,2048)
    u1 = bs.make_tmem_layout_sfb(m1, (128, 128, 256), 16, cute.slice_(b1, (None, None, None, 0)))  #= u1 ((((32,4),4),(16,4)),1,4):((((262144,4),8388608),(0,1)),0,16)
    m2 = sm100_utils.make_blockscaled_trivial_tiled_mma(F4, F4, K, K, cutlass.Float8E4M3FN, 16, tcgen05.CtaGroup.TWO, (256, 256))
    a2 = bs.make_smem_layout_sfa(m2, (256, 256, 256), 16, 3)  #= a2 ((((32,4),1),(16,4)),1,4,3):((((16,4),0),(0,1)),0,512,2048)
    t2 = bs.make_tmem_layout_sfa(m2, (256, 256, 256), 16, cute.slice_(a2, (None, None, None, 0)))  #= t2 ((((32,4),4),(16,4)),1,4):((((262144,4),8388608),(0,1)),0,16)
    b2 = bs.make_smem_layout_sfb(m2, (256, 256, 256), 16, 3)  #= b2 ((((32,4),2),(16,4)),1,4,3):((((16,4),2048),(0,1)),0,512,4096)
    u2 = bs.make_tmem_layout_sfb(m2, (256, 256, 256), 16, cute.slice_(b2, (None, None, None, 0)))  #= u2 ((((32,8),4),(16,4)),1,4):((((262144,4),8388608),(0,1)),0,32)
    m3 = sm100_utils.make_blockscaled_trivial_tiled_mma(cutlass.Float8E4M3FN, cutlass.Float8E4M3FN, K, K, cutlass.Float8E8M0FNU, 32, tcgen05.CtaGroup.ONE, (128, 192))
    a3 = bs.make_smem_layout_sfa(m3, (128, 192, 128), 32, 3)  #= a3 ((((32,4),1),(32,1)),1,4,3):((((16,4),0),(0,0)),0,1,512)
    t3 = bs.make_tmem_layout_sfa(m3, (128, 192, 128), 32, cute.slice_(a3, (None, None, None, 0)))  #= t3 ((((32,4),4),(32,1)),1,4):((((262144,4),8388608),(0,0)),0,1)
    b3 = bs.make_smem_layout_sfb(m3, (128, 192, 128), 32, 3)  #= b3 ((((32,4),2),(32,1)),1,4,3):((((16,4),512),(0,0)),0,1,1024)
    u3 = bs.make_tmem_layout_sfb(m3, (128, 192, 128), 32, cute.slice_(b3, (None, None, None, 0)))  #= u3 ((((32,8),4),(32,1)),1,4):((((262144,4),8388608),(0,0)),0,1)
    m4 = sm100_utils.make_blockscaled_trivial_tiled_mma(F4, F4, K, K, cutlass.Float8E8M0FNU, 32, tcgen05.CtaGroup.TWO, (256, 128))
    a4 = bs.make_smem_layout_sfa(m4, (256, 128, 256), 32, 3)  #= a4 ((((32,4),1),(32,2)),1,(2,2),3):((((16,4),0),(0,1)),0,(2,512),1024)
    t4 = bs.make_tmem_layout_sfa(m4, (256, 128, 256), 32, cute.slice_(a4, (None, None, None, 0)))  #= t4 ((((32,4),4),(32,2)),1,(2,2)):((((262144,4),8388608),(0,1)),0,(2,16))
    b4 = bs.make_smem_layout_sfb(m4, (256, 128, 256), 32, 3)  #= b4 ((((32,4),1),(32,2)),1,(2,2),3):((((16,4),0),(0,1)),0,(2,512),1024)
    u4 = bs.make_tmem_layout_sfb(m4, (256, 128, 256), 32, cute.slice_(b4, (None, None, None, 0)))  #= u4 ((((32,4),4),(32,2)),1,(2,2)):((((262144,4),8388608),(0,1)),0,(2,16))
    # On `sm_103`: rows in another order, and a shape without a place in shared memory.
    x1 = cute.make_layout((((8, 4, 4), (16, 4)), 1, 3), stride=(((16, 128, 4), (0, 1)), 0, 512))
    y1 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, x1)  #= y1 ((((32,4),4),(16,4)),1,3):((((262144,4),8388608),(0,1)),0,16)
    x2 = cute.make_layout((((8, 4, 4, 2), (16, 4)), 1, 3), stride=(((16, 128, 4, 1536), (0, 1)), 0, 512))
    y2 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, x2)  #= y2 ((((32,8),4),(16,4)),1,3):((((262144,4),8388608),(0,1)),0,32)
    i1 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 1), (16, 1)), 1, 24)))  #= i1 ((((32,4),4),(16,1)),1,(4,6)):((((262144,4),8388608),(0,0)),0,(1,16))
    i2 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 2), (16, 1)), 1, 24)))  #= i2 ((((32,8),4),(16,1)),1,(4,6)):((((262144,4),8388608),(0,0)),0,(1,32))
    i4 = bs.make_tmem_layout_sfb(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 1), (32, 1)), 1, 12)))  #= i4 ((((32,4),4),(32,1)),1,(4,3)):((((262144,4),8388608),(0,0)),0,(1,16))
    i5 = bs.make_tmem_layout_sfb(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 1), (16, 1)), 1, 2)))  #= i5 ((((32,4),4),(16,1)),1,2):((((262144,4),8388608),(0,0)),0,1)
    k3 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 3), (16, 1)), 1, 8)))  #= k3 ((((32,12),4),(16,1)),1,(4,2)):((((262144,4),8388608),(0,0)),0,(1,48))
    k4 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 1), (16, 2)), 1, 8)))  #= k4 ((((32,4),4),(16,2)),1,(2,4)):((((262144,4),8388608),(0,1)),0,(2,16))
    k5 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 1), (16, 4)), 1, 8)))  #= k5 ((((32,4),4),(16,4)),1,8):((((262144,4),8388608),(0,1)),0,16)
    k7 = bs.make_tmem_layout_sfa(m1, (128, 128, 256), 16, cute.make_layout(((((32, 4), 1), (16, 1)), 1, (2, 4))))  #= k7 ((((32,4),4),(16,1)),1,(2,(2,2))):((((262144,4),8388608),(0,0)),0,(1,(2,16)))
