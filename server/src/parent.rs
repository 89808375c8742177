//! Whether the process that started the server is still there.
//!
//! Usually the end of the input says that it is not. But when the editor is killed while another
//! child of it holds the same pipe, the input never ends; so the protocol asks servers to watch
//! the process whose id `initialize` tells.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::log::Level;
use crate::session::Session;

/// The interval of the checks for the process.
const INTERVAL: Duration = Duration::from_secs(2);

/// Ends the server when the process `id` is gone. Does nothing where the system has no `/proc` to
/// look at; there the end of the input has to do.
pub fn watch(session: &Arc<Session>, id: u32) {
    let process = PathBuf::from(format!("/proc/{id}"));
    if !process.exists() {
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        while process.exists() {
            tokio::time::sleep(INTERVAL).await;
        }
        session.log(Level::Error, &format!("the client process {id} has ended"));
        session.end();
    });
}
