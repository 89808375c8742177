# A tile goes through shared memory: written by rows of threads, read by columns of them.
import cutlass
import cutlass.cute as cute


@cute.kernel
def transpose(src: cute.Tensor, dst: cute.Tensor, tile_layout: cute.Layout, load: cute.TiledCopy, store: cute.TiledCopy):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, bidy, _ = cute.arch.block_idx()
    smem = cutlass.utils.SmemAllocator()
    tile = smem.allocate_tensor(cutlass.Float32, tile_layout, 16)
    g_in = cute.local_tile(src, (64, 64), (bidx, bidy))
    g_out = cute.local_tile(dst, (64, 64), (bidx, bidy))
    thr_load = load.get_slice(tidx)
    thr_store = store.get_slice(tidx)
    cute.autovec_copy(thr_load.partition_S(g_in), thr_load.partition_D(tile))
    cute.arch.sync_threads()
    cute.autovec_copy(thr_store.partition_S(tile), thr_store.partition_D(g_out))


@cute.jit
def run(src: cute.Tensor, dst: cute.Tensor):
    tile_layout = cute.make_layout((64, 64), stride=(68, 1))
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=32)
    load = cute.make_tiled_copy_tv(atom, cute.make_layout((4, 32), stride=(32, 1)), cute.make_layout((1, 1)))
    store = cute.make_tiled_copy_tv(atom, cute.make_layout((32, 4), stride=(1, 32)), cute.make_layout((1, 1)))
    grid = (cute.ceil_div(src.shape[0], 64), cute.ceil_div(src.shape[1], 64), 1)
    transpose(src, dst, tile_layout, load, store).launch(grid=grid, block=(128, 1, 1))


if __name__ == "__main__":
    import torch
    from cutlass.cute.runtime import from_dlpack
    a = torch.randn(512, 1024, device="cuda")
    b = torch.randn(512, 1024, device="cuda")
    run(from_dlpack(a), from_dlpack(b))
