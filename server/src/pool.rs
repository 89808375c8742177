//! The workers of computations: a bounded set of threads, with cancellation and a panic boundary.
//!
//! The threads are tokio's blocking pool, whose size [`serve`](crate::serve) limits to
//! [`WORKERS`](crate::limits::WORKERS). Work no one waits for goes through a semaphore, so it
//! never takes all of them.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

use crate::limits::BACKGROUND_WORKERS;

/// A flag that running work looks at from time to time.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Cancels when it is dropped: held by the one who waits for the work.
#[derive(Debug)]
pub struct CancelOnDrop(pub Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Why work yielded nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// It was cancelled before it ran, or the server is ending.
    Cancelled,
    /// It panicked, with this message.
    Panicked(String),
}

/// The workers.
#[derive(Debug)]
pub struct Pool {
    background: Semaphore,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            background: Semaphore::new(BACKGROUND_WORKERS),
        }
    }
}

impl Pool {
    /// Runs `work` on a worker and waits for it. Work whose `cancel` is set before its turn comes
    /// does not run.
    pub async fn run<T, F>(&self, cancel: Cancel, work: F) -> Result<T, Stopped>
    where
        T: Send + 'static,
        F: FnOnce(&Cancel) -> T + Send + 'static,
    {
        let job =
            tokio::task::spawn_blocking(move || (!cancel.is_cancelled()).then(|| work(&cancel)));
        match job.await {
            Ok(Some(result)) => Ok(result),
            Ok(None) => Err(Stopped::Cancelled),
            Err(error) => match error.try_into_panic() {
                Ok(payload) => Err(Stopped::Panicked(panic_message(&*payload))),
                Err(_) => Err(Stopped::Cancelled),
            },
        }
    }

    /// As [`run`](Self::run), for work no one waits for.
    pub async fn run_in_background<T, F>(&self, cancel: Cancel, work: F) -> Result<T, Stopped>
    where
        T: Send + 'static,
        F: FnOnce(&Cancel) -> T + Send + 'static,
    {
        let Ok(_permit) = self.background.acquire().await else {
            return Err(Stopped::Cancelled);
        };
        self.run(cancel, work).await
    }
}

/// The message of a panic.
pub fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
