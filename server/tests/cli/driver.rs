//! `run` through a driver's library: one that replaces NVIDIA's, with a fault at a time. What it cannot show is what a
//! device does; what it shows is that every call is made with the right arguments, and that every failure is told.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use cute_tests::stand_in;
use tempfile::TempDir;

/// The folder of the library.
fn library() -> PathBuf {
    stand_in::driver(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

struct Answer {
    code: Option<i32>,
    output: String,
    errors: String,
}

/// Runs `run ARGUMENTS` with a driver of this fault.
fn run(fault: &str, arguments: &[&str]) -> Answer {
    let answer = Command::new(env!("CARGO_BIN_EXE_cute-analyzer"))
        .arg("run")
        .args(arguments)
        .env("LD_LIBRARY_PATH", library())
        .env("STANDIN", fault)
        .output()
        .unwrap();
    Answer {
        code: answer.status.code(),
        output: String::from_utf8_lossy(&answer.stdout).into_owned(),
        errors: String::from_utf8_lossy(&answer.stderr).into_owned(),
    }
}

#[test]
fn a_device_is_asked_and_its_answer_compared() {
    for device in ["auto", "cuda"] {
        let right = run("", &["64:1", "--device", device]);
        assert_eq!(right.code, Some(0), "{}", right.errors);
        for said in [
            "run on Stand-in (sm_90, driver for CUDA 12.8)",
            "64 of 64 offsets compared (all): each is the algebra's",
            "32 registers",
        ] {
            assert!(right.output.contains(said), "{}", right.output);
        }
    }
    // It computes the offsets of a layout in order, whatever the layout.
    let wrong = run("", &["(8,8):(8,1)", "--device", "cuda"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.errors);
    let said = "coordinate 1: expected 8, got 1";
    assert!(wrong.output.contains(said), "{}", wrong.output);
}

#[test]
fn a_copy_is_measured_beside_a_plain_one_and_the_drivers() {
    let copied = run("", &["4096:1", "--copy-to", "4096:1", "--device", "cuda"]);
    assert_eq!(copied.code, Some(0), "{}", copied.errors);
    for said in [
        // 20 launches in 20 ms, each of which reads and writes 16384 bytes.
        "0.0 GB/s read and written (median 0.0), 100 % of the 0.0 GB/s of a plain copy",
        "the plain copy reaches 100 % of the 0.0 GB/s of the driver's own",
        "less than four times the cache of 1048576 bytes",
    ] {
        assert!(copied.output.contains(said), "{}", copied.output);
    }
}

#[test]
fn what_a_load_does_not_bring_and_a_driver_does_not_encode_is_told() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";
    // The stand-in loads nothing, and encodes zeros.
    let loaded = run("", &[tile, "--experiment", "tma", "--device", "cuda"]);
    assert_eq!(loaded.code, Some(1), "{}", loaded.errors);
    for said in [
        "of shared memory:",
        "into a cluster: byte",
        "the driver's descriptor differs from the preview in words [2,",
    ] {
        assert!(loaded.output.contains(said), "{}", loaded.output);
    }
}

#[test]
fn every_failure_of_a_run_is_told_and_stops_nothing_else() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)";
    let cases: [(&str, &[&str], &str); 6] = [
        ("crash", &["8:1"], "ended without an answer"),
        (
            "illegal address",
            &["8:1"],
            "cuCtxSynchronize fails with 700 (CUDA_ERROR_ILLEGAL_ADDRESS)",
        ),
        (
            "refused",
            &["8:1"],
            "refuses the kernel: cuModuleLoadDataEx fails with 218 (CUDA_ERROR_INVALID_PTX): ptxas error",
        ),
        (
            "full",
            &["8:1"],
            "needs 64 bytes of device memory; 16 are available",
        ),
        (
            "old",
            &[tile, "--experiment", "wgmma", "--device", "cuda"],
            "Stand-in (sm_80) cannot run this kernel: it needs sm_90a",
        ),
        ("no device", &["8:1", "--device", "cuda"], "finds no device"),
    ];
    for (fault, arguments, said) in cases {
        let answer = run(fault, arguments);
        assert_eq!(answer.code, Some(1), "{fault}: {}", answer.output);
        assert!(answer.errors.contains(said), "{fault}: {}", answer.errors);
    }
}

#[test]
fn a_kernel_that_hangs_is_stopped_with_its_process() {
    let start = Instant::now();
    let hung = run("hang", &["8:1", "--time-limit", "1"]);
    assert_eq!(hung.code, Some(1), "{}", hung.output);
    assert!(
        hung.errors.contains("the run took longer than 1 s"),
        "{}",
        hung.errors
    );
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn the_processor_stands_in_where_there_is_no_device_and_for_nothing_else() {
    let absent = run("no device", &["8:1"]);
    assert_eq!(absent.code, Some(0), "{}", absent.errors);
    let said = "run on the CPU (the CUDA driver finds no device";
    assert!(absent.output.contains(said), "{}", absent.output);
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)";
    let unable = run("old", &[tile, "--experiment", "wgmma"]);
    assert_eq!(unable.code, Some(0), "{}", unable.errors);
    let said = "run on the CPU (Stand-in (sm_80) cannot run this kernel";
    assert!(unable.output.contains(said), "{}", unable.output);
    let failed = run("illegal address", &["8:1"]);
    assert_eq!((failed.code, failed.output.as_str()), (Some(1), ""));
}

#[test]
fn a_driver_that_is_too_old_is_told_by_what_it_lacks() {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("old.c");
    std::fs::write(&source, "int cuInit(unsigned flags) { return 0; }").unwrap();
    stand_in::build(&source, folder.path());
    let answer = Command::new(env!("CARGO_BIN_EXE_cute-analyzer"))
        .args(["run", "8:1", "--device", "cuda"])
        .env("LD_LIBRARY_PATH", folder.path())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&answer.stderr);
    assert_eq!(answer.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("too old: it has no `cuDriverGetVersion`"),
        "{errors}"
    );
}

#[test]
fn a_table_that_insists_on_a_device_says_once_that_there_is_none() {
    let table = run("no device", &["--table", "--device", "cuda"]);
    assert_eq!((table.code, table.output.as_str()), (Some(1), ""));
    assert_eq!(
        table.errors.matches("finds no device").count(),
        1,
        "{}",
        table.errors
    );
}
