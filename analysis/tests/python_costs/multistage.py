# A product of half-precision matrices: a ring of three stages that `cp.async` fills, read by `ldmatrix`.
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class Gemm:
    def __init__(self):
        self.tile = (128, 128, 32)
        self.stages = 3
        self.threads = 128

    @cute.jit
    def __call__(self, mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
        bM, bN, bK = self.tile
        atom_layout = cute.make_composed_layout(
            cute.make_swizzle(2, 3, 3), 0, cute.make_layout((8, 32), stride=(32, 1))
        )
        sA_layout = cute.tile_to_shape(atom_layout, (bM, bK, self.stages), (0, 1, 2))
        sB_layout = cute.tile_to_shape(atom_layout, (bN, bK, self.stages), (0, 1, 2))

        copy_atom = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyG2SOp(), mA.element_type, num_bits_per_copy=128
        )
        tiled_copy = cute.make_tiled_copy_tv(
            copy_atom, cute.make_layout((32, 4), stride=(4, 1)), cute.make_layout((1, 8))
        )
        op = cute.nvgpu.warp.MmaF16BF16Op(mA.element_type, cutlass.Float32, (16, 8, 16))
        tiled_mma = cute.make_tiled_mma(
            op, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16)
        )
        grid = (cute.ceil_div(mC.shape[0], bM), cute.ceil_div(mC.shape[1], bN), 1)
        smem = (cute.cosize(sA_layout) + cute.cosize(sB_layout)) * 2
        self.kernel(mA, mB, mC, sA_layout, sB_layout, tiled_copy, tiled_mma).launch(
            grid=grid, block=(self.threads, 1, 1), smem=smem
        )

    @cute.kernel
    def kernel(
        self,
        mA: cute.Tensor,
        mB: cute.Tensor,
        mC: cute.Tensor,
        sA_layout: cute.ComposedLayout,
        sB_layout: cute.ComposedLayout,
        tiled_copy: cute.TiledCopy,
        tiled_mma: cute.TiledMma,
    ):
        tidx, _, _ = cute.arch.thread_idx()
        bx, by, _ = cute.arch.block_idx()
        bM, bN, bK = self.tile
        gA = cute.local_tile(mA, (bM, bK), (bx, None))
        gB = cute.local_tile(mB, (bN, bK), (by, None))
        gC = cute.local_tile(mC, (bM, bN), (bx, by))

        allocator = utils.SmemAllocator()
        sA = allocator.allocate_tensor(mA.element_type, sA_layout, 16)
        sB = allocator.allocate_tensor(mB.element_type, sB_layout, 16)

        thr_copy = tiled_copy.get_slice(tidx)
        tAgA = thr_copy.partition_S(gA)
        tAsA = thr_copy.partition_D(sA)
        tBgB = thr_copy.partition_S(gB)
        tBsB = thr_copy.partition_D(sB)

        thr_mma = tiled_mma.get_slice(tidx)
        tCsA = thr_mma.partition_A(sA)
        tCsB = thr_mma.partition_B(sB)
        tCgC = thr_mma.partition_C(gC)
        tCrA = tiled_mma.make_fragment_A(tCsA[None, None, None, 0])
        tCrB = tiled_mma.make_fragment_B(tCsB[None, None, None, 0])
        tCrC = tiled_mma.make_fragment_C(tCgC)
        tCrC.fill(0.0)

        atom_s2r = cute.make_copy_atom(
            cute.nvgpu.warp.LdMatrix8x8x16bOp(False, 4), mA.element_type
        )
        s2r_A = cute.make_tiled_copy_A(atom_s2r, tiled_mma)
        s2r_B = cute.make_tiled_copy_B(atom_s2r, tiled_mma)
        thr_s2r_A = s2r_A.get_slice(tidx)
        thr_s2r_B = s2r_B.get_slice(tidx)
        tXsA = thr_s2r_A.partition_S(sA)
        tXrA = thr_s2r_A.retile(tCrA)
        tXsB = thr_s2r_B.partition_S(sB)
        tXrB = thr_s2r_B.retile(tCrB)

        tiles = cute.size(gA, mode=[2])
        for stage in cutlass.range_constexpr(self.stages - 1):
            if stage < tiles:
                cute.copy(tiled_copy, tAgA[None, None, None, stage], tAsA[None, None, None, stage])
                cute.copy(tiled_copy, tBgB[None, None, None, stage], tBsB[None, None, None, stage])
            cute.arch.cp_async_commit_group()

        read = 0
        write = self.stages - 1
        for tile in cutlass.range(tiles):
            cute.arch.cp_async_wait_group(self.stages - 2)
            cute.arch.sync_threads()

            ahead = tile + self.stages - 1
            if ahead < tiles:
                cute.copy(tiled_copy, tAgA[None, None, None, ahead], tAsA[None, None, None, write])
                cute.copy(tiled_copy, tBgB[None, None, None, ahead], tBsB[None, None, None, write])
            cute.arch.cp_async_commit_group()
            write = write + 1
            if write == self.stages:
                write = 0

            cute.copy(s2r_A, tXsA[None, None, None, read], tXrA)
            cute.copy(s2r_B, tXsB[None, None, None, read], tXrB)
            cute.gemm(tiled_mma, tCrC, tCrA, tCrB, tCrC)
            read = read + 1
            if read == self.stages:
                read = 0

        cute.autovec_copy(tCrC, tCgC)


if __name__ == "__main__":
    import torch
    from cutlass.cute.runtime import from_dlpack

    a = torch.randn(512, 256, dtype=torch.float16, device="cuda")
    b = torch.randn(1024, 256, dtype=torch.float16, device="cuda")
    c = torch.zeros(512, 1024, dtype=torch.float32, device="cuda")
    Gemm()(from_dlpack(a), from_dlpack(b), from_dlpack(c))
