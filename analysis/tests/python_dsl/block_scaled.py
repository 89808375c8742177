# Products with scale factors. Behind each line the values that the DSL 4.8.1 prints for it, symbols as `?`.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
import cutlass.utils.blackwell_helpers as sm100_utils
import cutlass.utils.blockscaled_layout as blockscaled_utils
from cutlass.cute.nvgpu import cpasync, warp, tcgen05

@cute.jit
def scaled():
    m1 = sm100_utils.make_blockscaled_trivial_tiled_mma(cutlass.Float4E2M1FN, cutlass.Float4E2M1FN, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K, cutlass.Float8E4M3FN, 16, tcgen05.CtaGroup.ONE, (128, 128))
    sfa = blockscaled_utils.make_smem_layout_sfa(m1, (128, 128, 256), 16, 3)  #= sfa ((((32,4),1),(16,4)),1,4,3):((((16,4),0),(0,1)),0,512,2048)
    sfb = blockscaled_utils.make_smem_layout_sfb(m1, (128, 128, 256), 16, 3)  #= sfb ((((32,4),1),(16,4)),1,4,3):((((16,4),0),(0,1)),0,512,2048)
    ats = blockscaled_utils.tile_atom_to_shape_SF((256, 512, 2), 16)  #= ats (((32,4),2),((16,4),8),(1,2)):(((16,4),4096),((0,1),512),(0,8192))
    sa = sm100_utils.make_smem_layout_a(m1, (128, 128, 256), cutlass.Float4E2M1FN, 3)  #= sa S<3,4,3> o 0 o ((128,64),1,4,3):((256,1),0,64,32768)
    m2 = sm100_utils.make_blockscaled_trivial_tiled_mma(cutlass.Float8E4M3FN, cutlass.Float8E4M3FN, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.MN, cutlass.Float8E8M0FNU, 32, tcgen05.CtaGroup.TWO, (256, 256))
    sfa2 = blockscaled_utils.make_smem_layout_sfa(m2, (256, 256, 128), 32, 2)  #= sfa2 ((((32,4),1),(32,1)),1,4,2):((((16,4),0),(0,0)),0,1,512)
    sfb2 = blockscaled_utils.make_smem_layout_sfb(m2, (256, 256, 128), 32, 2)  #= sfb2 ((((32,4),2),(32,1)),1,4,2):((((16,4),512),(0,0)),0,1,1024)
    sb2 = sm100_utils.make_smem_layout_b(m2, (256, 256, 128), cutlass.Float8E4M3FN, 2)  #= sb2 S<3,4,3> o 0 o ((128,32),1,4,2):((1,128),0,4096,16384)
    e1 = sm100_utils.compute_epilogue_tile_shape((128, 256), False, utils.LayoutEnum.COL_MAJOR, cutlass.Float32)  #= e1 (128:1,32:1)
    e2 = sm100_utils.compute_epilogue_tile_shape((64, 128), True, utils.LayoutEnum.ROW_MAJOR, cutlass.BFloat16)  #= e2 (64:1,(32,2):(1,64))
    e3 = sm100_utils.compute_epilogue_tile_shape((128, 192), False, utils.LayoutEnum.ROW_MAJOR, cutlass.BFloat16, layout_c=utils.LayoutEnum.ROW_MAJOR, elem_ty_c=cutlass.BFloat16)  #= e3 (128:1,64:1)
    l1 = sm100_utils.get_tmem_load_op((64, 128), utils.LayoutEnum.ROW_MAJOR, cutlass.BFloat16, cutlass.Float32, e2, True)
    l2 = sm100_utils.get_tmem_load_op((128, 256), utils.LayoutEnum.COL_MAJOR, cutlass.Float16, cutlass.Float32, (128, 64), False)
    l3 = sm100_utils.get_tmem_load_op((128, 256), utils.LayoutEnum.COL_MAJOR, cutlass.Float8E4M3FN, cutlass.Float32, (128, 64), False)
    s2 = sm100_utils.make_smem_layout_epi(cutlass.Float32, utils.LayoutEnum.COL_MAJOR, e1, 3)  #= s2 S<2,5,2> o 0 o ((32,4),(8,4),(1,3)):((1,1024),(32,256),(0,4096))
    s3 = sm100_utils.make_smem_layout_epi(cutlass.BFloat16, utils.LayoutEnum.ROW_MAJOR, e2, 3)  #= s3 S<2,4,3> o 0 o ((8,8),(32,2),(1,3)):((32,256),(1,2048),(0,4096))
    sm = sm100_utils.make_smem_layout(tcgen05.OperandMajorMode.MN, (128, 64), cutlass.Float16, 3)  #= sm S<3,4,3> o 0 o ((64,2),64,3):((1,4096),64,8192)
    pm = sm100_utils.get_permutation_mnk((128, 128, 128), 16, False)  #= pm (128,(8,2,2):(1,16,8),64)
