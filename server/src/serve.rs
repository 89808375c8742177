//! The server's threads: one that reads and dispatches, one that writes, and those of the runtime.

use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use crate::dispatch::Dispatcher;
use crate::limits::{EXIT_GRACE, WORKER_STACK_BYTES, WORKERS};
use crate::log::{self, Level};
use crate::session::Session;
use crate::settings::{FAILED, Settings};
use crate::transport::frame::{Frame, FrameReader};
use crate::transport::message::{self, Rejection};
use crate::transport::outgoing::Outgoing;

/// Serves one client until it says `exit`, its messages end, or it stops reading for good. Returns
/// the exit code that the protocol prescribes: 0 when `shutdown` came before, else 1.
///
/// The reading thread may still wait for `input` when this returns; end the process then.
pub fn serve<I, O>(input: I, output: O, settings: Settings) -> u8
where
    I: Read + Send + 'static,
    O: Write + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(WORKERS)
        .thread_stack_size(WORKER_STACK_BYTES)
        .enable_time()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            log::stderr(Level::Error, &format!("cannot start: {error}"));
            return FAILED;
        }
    };
    let outgoing = Arc::new(Outgoing::default());
    let (ended, end) = channel();
    let session = Arc::new(Session::new(
        outgoing.clone(),
        runtime.handle().clone(),
        ended.clone(),
        settings,
    ));
    let dispatcher = Dispatcher::new(session);
    let started = spawn("write", {
        let (outgoing, ended) = (outgoing.clone(), ended.clone());
        move || {
            outgoing.write_to(output);
            let _ = ended.send(FAILED);
        }
    })
    .and_then(|()| spawn("read", move || read(input, dispatcher, &ended)));
    let code = match started {
        Ok(()) => end.recv().unwrap_or(FAILED),
        Err(error) => {
            log::stderr(Level::Error, &format!("cannot start: {error}"));
            FAILED
        }
    };
    outgoing.close(EXIT_GRACE);
    runtime.shutdown_background();
    log::flush(EXIT_GRACE);
    code
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .map(drop)
}

/// Reads and dispatches until the last message, and says how it ended.
fn read(input: impl Read, mut dispatcher: Dispatcher, ended: &Sender<u8>) {
    let mut frames = FrameReader::new(input);
    let code = loop {
        let message = match frames.next_frame() {
            Frame::End => break dispatcher.exit_code(),
            Frame::Malformed(malformed) => Err(Rejection::NotJson(malformed.reason())),
            Frame::Body(body) => message::parse(body),
        };
        match message {
            Ok(message) => {
                if let ControlFlow::Break(code) = dispatcher.dispatch(message) {
                    break code;
                }
            }
            Err(rejection) => {
                if matches!(rejection, Rejection::NotJson(_)) {
                    frames.body_was_no_json();
                }
                dispatcher.reject(rejection);
            }
        }
        if dispatcher.client_is_gone() {
            break FAILED;
        }
    };
    // The receiver is gone only when the server has ended otherwise.
    let _ = ended.send(code);
}
