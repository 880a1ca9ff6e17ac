//! How many threads studies use.

use crate::Error;

/// Studies use `threads` threads from now on; results do not depend on it. To be called once, before any study.
///
/// # Errors
/// [`Error::Threads`] if there are threads already, or the system has no more.
pub fn use_threads(threads: usize) -> Result<(), Error> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|source| Error::Threads { threads, source })
}
