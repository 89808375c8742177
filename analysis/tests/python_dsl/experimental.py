# Buffers of `cutlass.cute.experimental`. Behind each line the values that the DSL 4.8.1 prints for it.
import cutlass
import cutlass.cute as cute
import cutlass.cute.experimental as cute_ext
import cutlass.utils.blackwell_helpers as sm100
from cutlass.cute.nvgpu import tcgen05
from cutlass.cute.runtime import make_fake_compact_tensor

@cute.experimental.kernel
def kernel(mA: cute.Tensor, mC: cute.Tensor):
    op = tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (128, 128, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K)
    mma = cute.make_tiled_mma(op)
    va = cute_ext.get_cta_v_map_ab(mA, (128, 128, 64), mma, "A")  #= va ((128,16),1,4):((1@0,1@1),0,16@1)
    vb = cute_ext.get_cta_v_map_ab(mA, (128, 128, 64), mma, "B")  #= vb ((128,16),1,4):((1@0,1@1),0,16@1)
    vc = cute_ext.get_cta_v_map_c(mC, (128, 32))  #= vc (128,32):(1@0,1@1)
    la = sm100.make_smem_layout_a(mma, (128, 128, 64), cutlass.Float16, 3)
    ba = cute_ext.allocate(cutlass.Float16, cute.AddressSpace.smem, la, 1024)  #= ba ((128,16),1,4,3):((64,1),0,16,8192)
    lacc = cute_ext.make_tmem_layout_acc(mma, (128, 128, 64), 2)  #= lacc ((128,128),1,1,2):((65536,1),0,0,128)
    bacc = cute_ext.allocate(cutlass.Float32, cute.AddressSpace.tmem, lacc, 16)  #= bacc ((128,128),1,1,2):((65536,1),0,0,128)
    br = cute_ext.allocate(cutlass.Float32, cute.AddressSpace.rmem, cute.make_layout((32, 2)), 32)  #= br (32,2):(1,32)
    pipe = cute_ext.TMAToUMMAPipeline.create(num_stages=3)
    token, stage = pipe.consumer_wait_and_get_stage()
    part = ba[None, None, None, stage]  #= part ((128,16),1,4):((64,1),0,16)
    cute_ext.partition_and_copy(None, ba, br)
    lost = cute_ext.partition(ba, stage, layout_tv=la, tiler=la)  #= lost ?

@cute.experimental.jit
def host(mA: cute.Tensor, mC: cute.Tensor):
    kernel(mA, mC).launch(grid=(1, 1, 1), block=(128, 1, 1))

a = make_fake_compact_tensor(cutlass.Float16, (512, 256), stride_order=(1, 0), assumed_align=16)
c = make_fake_compact_tensor(cutlass.Float16, (512, 256), stride_order=(1, 0), assumed_align=16)
cute_ext.compile(host, a, c)
