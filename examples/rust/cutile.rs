//! Shapes of tiles in cuTile for Rust.

#[cutile::module]
mod kernels {
    use cutile::core::{Tensor, Tile, const_shape, load_tile_like};

    const BM: i32 = 128;
    const BK: i32 = 64;

    #[cutile::entry()]
    fn scale<const B: i32>(z: &mut Tensor<f32, { [B] }>, x: &Tensor<f32, { [-1, BK] }>) {
        let parts = x.partition(const_shape![BM, BK]);
        let tile = load_tile_like(x, z);
        z.store(tile, parts);
    }

    type Accumulator = Tile<f32, { [BM, BK] }>;
}
