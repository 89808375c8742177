//! Every limit of the language server, in one place, each with its reason.
//!
//! A limit is there so that a mistaken or hostile peer costs a refusal instead of memory or time.

use std::time::Duration;

use cute_hardware::multiprocessor::shared_of_a_cta;

/// Largest accepted message body. A didOpen of the largest accepted file fits several times over,
/// even when every byte of it is escaped in JSON.
pub const FRAME_BYTES: usize = 64 << 20;

/// Longest accepted header line of a frame; the longest legitimate one is under 60 bytes.
pub const HEADER_LINE_BYTES: usize = 4 << 10;

/// All header lines of one frame together.
pub const HEADER_BYTES: usize = 64 << 10;

/// Largest document that is analysed. A larger one stays synchronised, so that it is served again
/// once it shrinks, but yields no answers.
pub const FILE_BYTES: usize = tree_sitter_cute::limits::SOURCE_BYTES;

/// Requests that may be unanswered at one time; one beyond is answered with an error at once.
pub const REQUESTS_IN_FLIGHT: usize = 10_000;

/// Answers that are computed or unsent at one time; further requests wait before anything of theirs
/// is computed. More than there are workers, so that none is idle while answers are written.
pub const ANSWERS_AT_A_TIME: usize = 2 * WORKERS;

/// Unread output beyond which answers are replaced by a short error and notices are dropped:
/// a client that asks without reading must not fill our memory.
pub const OUTGOING_BYTES: usize = 64 << 20;

/// Unread output beyond which log messages are dropped (and counted).
pub const OUTGOING_LOG_BYTES: usize = 1 << 20;

/// Unread output beyond which the client counts as gone and the server ends. Only short errors
/// are queued above [`OUTGOING_BYTES`], so this takes hundreds of thousands of unread answers.
pub const OUTGOING_GIVE_UP_BYTES: usize = 2 * OUTGOING_BYTES;

/// Lines waiting for standard error; further ones are dropped, because an editor that does not
/// read our log must not stop us.
pub const LOG_LINES: usize = 1_024;

/// Threads for work that computes. More than there are cores, so that a few slow requests never
/// hold up a quick one; few enough that memory stays bounded.
pub const WORKERS: usize = 16;

/// The number of workers that may serve background work (diagnostics after a pause).
pub const BACKGROUND_WORKERS: usize = 4;

/// The time limit of a request, after which it is cancelled and answered with an error.
pub const REQUEST_TIME: Duration = Duration::from_secs(20);

/// The time limit for trying macros that no flag decides: of a file that takes longer, those that were tried by then
/// are named.
pub const MACROS_TIME: Duration = Duration::from_secs(2);

/// The time that a hover waits for the changes by macros that no flag decides: longer, and a person waits for the
/// value.
pub const MACROS_PATIENCE: Duration = Duration::from_millis(100);

/// The time that a request for hints waits for those of the present text, where those of an earlier version can be
/// shown at their new places: longer, and a person wonders whether they are new.
pub const HINTS_PATIENCE: Duration = Duration::from_millis(200);

/// The time that it waits where there is nothing to show meanwhile. Within [`REQUEST_TIME`]: hints never fail for time.
pub const FIRST_HINTS_PATIENCE: Duration = Duration::from_secs(10);

/// Ranges of a document whose hints were answered before all was known that are remembered: an editor has some views of it.
/// With more of them all are fetched again.
pub const RANGES_ANSWERED: usize = 16;

/// The time limit of a run that a client requests, whatever its settings say.
pub const RUN_TIME: Duration = Duration::from_secs(600);

/// The time that a request of ours waits for the client's reply.
pub const CLIENT_REPLY_TIME: Duration = Duration::from_secs(30);

/// The time that the last answers may take to leave after `exit`.
pub const EXIT_GRACE: Duration = Duration::from_millis(500);

/// The pause in typing after which the findings of a document are published.
pub const TYPING_PAUSE: Duration = Duration::from_millis(150);

/// Lines that an editor shows at a time, for `why-slow FILE:LINE`.
pub const LINES_IN_VIEW: usize = 60;

/// Functions that `why-slow` names, those that took longest: the rest is in the sum.
pub const FUNCTIONS_THAT_ARE_SLOW: usize = 10;

/// Instances of which a tooltip gives the value, the first: no one reads more, and a kernel has hundreds, each of which
/// would be printed for every hint in view at every key.
pub const INSTANCES_IN_A_TOOLTIP: usize = 32;

/// Ranges of a header whose shown part is evaluated before the rest: views of it, and hovers elsewhere. A request
/// beyond them waits for all.
pub const RANGES_SHOWN: usize = 8;

/// The time that the evaluation of all instances of a just opened header waits for a request with the visible range: an
/// editor sends one at once.
pub const FIRST_REQUEST_PAUSE: Duration = Duration::from_millis(20);

/// Bytes before and behind a place that count as looked at, where a hover asks for it: about a screen.
pub const BYTES_LOOKED_AT: usize = 2_048;

/// Findings published per document; the rest is summed up in one line.
pub const FINDINGS_PER_FILE: usize = 1_000;

/// Stack of a worker. The analysis nests at most so deep as fits 2 MB in an optimised build; an
/// unoptimised one takes several times that.
pub const WORKER_STACK_BYTES: usize = 16 << 20;

/// Bytes of a compiler's log that are read.
pub const LOG_BYTES: u64 = 64 << 20;

/// Sources below the root of a project that are searched for who includes whom.
pub const SCANNED_FILES: usize = 20_000;

/// Files and folders that are looked at in that search; a home folder is not read to its end.
pub const SCANNED_ENTRIES: usize = 200_000;

/// The time limit of parsing one included file.
pub const INCLUDED_PARSE_TIME: Duration = Duration::from_secs(10);

/// Rows and columns of a picture that a client may ask for: more than a screen has.
pub const PICTURE_SIDE: usize = 256;

/// Rows and columns of a grid on the page, on which one can zoom: at one pixel a cell more than a screen has.
pub const PAGE_SIDE: usize = 4_096;

/// Cells of a grid on the page: those of the largest tile of bytes that fits in the shared memory of one CTA on Hopper. With
/// their offsets, indices and banks they are a message of about 5 MB.
pub const PAGE_CELLS: usize = shared_of_a_cta(90) as usize;

/// Largest picture in a hover, as in its Markdown: VS Code cuts hovers at 100,000 characters, and a cut picture is
/// shown as text.
pub const HOVER_PICTURE_BYTES: usize = 60_000;

/// Largest recording of a Python program that is read; the hook that writes it leaves out values beyond a few
/// megabytes.
pub const RECORDING_BYTES: u64 = 32 << 20;

/// Recordings that are looked at for one source, the newest: a run of many processes writes one each.
pub const RECORDINGS: usize = 16;

/// Scripts of a project that are evaluated for the sources that they write.
pub(crate) const GENERATING_SCRIPTS: usize = 64;

/// Steps of them together; a script with three hundred kernels takes two million.
pub(crate) const GENERATING_STEPS: usize = 32_000_000;

/// Steps of the modules of packages that write sources, together: each imports most of its package, and an editor
/// evaluates them behind its first answers.
pub(crate) const PACKAGED_STEPS: usize = 32_000_000;

/// Translation units with the same headers that one script may add to a project.
pub(crate) const GENERATED_UNITS: usize = 64;

/// Bytes of them together: a unit with twenty kernels takes a second.
pub(crate) const GENERATED_TOGETHER: usize = 16 << 10;

/// Scripts of a project whose literals are read for the macros that they pass to a compiler.
pub(crate) const COMPILING_SCRIPTS: usize = 256;

/// Nesting of statements and expressions in them: sources may be as deep as they are long.
pub(crate) const SCRIPT_NESTING: usize = 256;
