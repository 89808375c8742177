//! The time of a preview: the answers that a hover or a command gives about hardware. The promise is a millisecond for
//! any of them, and twenty for the search of a swizzle.

use criterion::{Criterion, criterion_group, criterion_main};
use cute_algebra::{AnyLayout, Int, Layout, Shape, Tiler};
use cute_hardware::address::{Program, ptx};
use cute_hardware::descriptor::{Generation, canonical::describe};
use cute_hardware::memory::{Access, smallest_swizzle};
use cute_hardware::tma::{TmaAtom, TmaRequest, encoding, load::load};
use cute_hardware::{
    CopyAtom, Element, Major, MmaAtom, Operand, SharedLayout, SmemAtom, TemplateId, TiledCopy,
    TiledMma,
};
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

/// A preview with its operands ready.
type Preview = Box<dyn Fn() -> Result<usize, Box<dyn Error>>>;

fn atoms() -> Vec<(&'static str, Preview)> {
    let named: [(&str, Preview); 4] = [
        (
            "MMA atom of sm_80",
            Box::new(|| {
                Ok(MmaAtom::named(black_box("SM80_16x8x16_F32F16F16F32_TN"))?
                    .name
                    .len())
            }),
        ),
        (
            "MMA atom of sm_90a",
            Box::new(|| {
                let name = "SM90_64x256x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>";
                Ok(MmaAtom::named(black_box(name))?.name.len())
            }),
        ),
        (
            "copy atom of sm_100a",
            Box::new(|| {
                Ok(CopyAtom::named(black_box("SM100_TMEM_LOAD_16dp256b8x"))?
                    .name
                    .len())
            }),
        ),
        (
            "swizzled shared-memory atom",
            Box::new(|| {
                let atom = SmemAtom::named(black_box("GMMA::Layout_K_SW128_Atom<half_t>"))?;
                Ok(atom.layout()?.layout.rank())
            }),
        ),
    ];
    named.into()
}

fn partitions() -> Result<Vec<(&'static str, Preview)>, Box<dyn Error>> {
    let mma = TiledMma::new(
        MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?,
        Some("(_2,_2,_1):(_1,_2,_0)".parse()?),
        vec![],
    )?;
    let tile: AnyLayout = "(_128,_128):(_128,_1)".parse()?;
    let whole = mma.clone();
    let copy_atom = CopyAtom::named("SM75_U32x4_LDSM_N")?.with_value_bits(16)?;
    Ok(vec![
        (
            "partition of an accumulator",
            Box::new(move || {
                let slice = mma.slice(&Int::fixed(black_box(17)))?;
                Ok(mma.partition(&slice, Operand::C, &tile)?.layout.rank())
            }),
        ),
        (
            "tiled copy of an operand",
            Box::new(move || {
                let copy = TiledCopy::of_mma(black_box(&copy_atom).clone(), &whole, Operand::A)?;
                Ok(copy.source_layout()?.rank())
            }),
        ),
    ])
}

fn descriptors() -> Result<Vec<(&'static str, Preview)>, Box<dyn Error>> {
    let operand: SharedLayout = "Sw<3,4,3> o smem_ptr[16b](unset) o (_128,_16):(_64,_1)".parse()?;
    let request = TmaRequest {
        operation: TemplateId::parse("SM90_TMA_LOAD")?,
        element: Element::F16,
        tma_element: None,
        global: "(512,1024):(1024,_1)".parse()?,
        shared: "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))"
            .parse()?,
        tile: Tiler::of_shape(&"(_128,_64)".parse::<Shape>()?),
        multicast: 1,
        cuts_boxes: false,
    };
    let made = TmaAtom::new(&request)?;
    Ok(vec![
        (
            "matrix descriptor",
            Box::new(move || {
                let made = describe(Generation::Wgmma, Major::K, black_box(&operand))?;
                Ok(made.encode()? as usize)
            }),
        ),
        (
            "TMA atom with its bytes",
            Box::new(move || {
                let atom = TmaAtom::new(black_box(&request))?;
                Ok(encoding::encode(&atom.map, 0, 90)?.len() + atom.issues(90).len())
            }),
        ),
        (
            "TMA load of 8192 elements",
            Box::new(move || Ok(load(&made.map, black_box(&[0, 0]), 0)?.len())),
        ),
    ])
}

fn memory() -> Result<Vec<(&'static str, Preview)>, Box<dyn Error>> {
    let swizzled: AnyLayout =
        "Sw<3,3,3> o _0 o ((_8,_16),(_64,_2)):((_64,_512),(_1,_8192))".parse()?;
    let code = swizzled.clone();
    let rows = |pitch: i64, column: i64| Access {
        lanes: (0..8).map(|row| Some(row * pitch + column * 16)).collect(),
        width: 16,
    };
    let found: Vec<Access> = (0..8).map(|column| rows(128, column)).collect();
    // Columns of 16 KiB: no swizzle of the search reaches their bits.
    let hopeless: Vec<Access> = (0..16).map(|column| rows(1 << 14, column)).collect();
    let offsets: Layout = "(_32,_4):(_4,_1)".parse()?;
    let access = cute_hardware::memory::access::accesses(&offsets, &"_128:_1".parse()?, 32, 4, 0)?;
    Ok(vec![
        (
            "address program",
            Box::new(move || Ok(Program::of_index(black_box(&swizzled))?.cost().instructions)),
        ),
        (
            "PTX of an address",
            Box::new(move || {
                let program = Program::of_index(black_box(&code))?;
                Ok(ptx::function(&program, "offset").len())
            }),
        ),
        (
            "wavefronts of an access",
            Box::new(move || {
                let access = black_box(&access);
                let cost =
                    cute_hardware::memory::shared_wavefronts(&access[0].lanes, access[0].width)?;
                Ok(cost.waves as usize)
            }),
        ),
        (
            "search of a swizzle",
            Box::new(move || Ok(smallest_swizzle(black_box(&found))?.bits() as usize)),
        ),
        (
            "search of a swizzle, in vain",
            Box::new(move || Ok(usize::from(smallest_swizzle(black_box(&hopeless)).is_err()))),
        ),
    ])
}

#[allow(
    clippy::panic,
    reason = "a measurement of something that fails means nothing"
)]
fn previews(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("preview");
    group
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    let made = || -> Result<Vec<_>, Box<dyn Error>> {
        let mut all = atoms();
        all.extend(partitions()?);
        all.extend(descriptors()?);
        all.extend(memory()?);
        Ok(all)
    };
    let all = made().unwrap_or_else(|error| panic!("{error}"));
    for (name, preview) in all {
        if let Err(error) = preview() {
            panic!("{name}: {error}");
        }
        group.bench_function(name, |bencher| bencher.iter(&preview));
    }
    group.finish();
}

criterion_group!(benches, previews);
criterion_main!(benches);
