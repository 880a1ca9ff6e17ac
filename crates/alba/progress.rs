//! A progress bar.

use crate::report;
use alba_compare::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error if that is a terminal, with an estimate of the time left.
pub(crate) struct Bar {
    bar: ProgressBar,
    quiet: bool,
}

impl Bar {
    /// Hidden where nobody looks, or if `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        let template = "{msg} [{bar:40}] {pos}/{len}, {eta} left";
        let style = ProgressStyle::with_template(template);
        Self { bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())), quiet }
    }
}

impl Progress for Bar {
    fn begin(&self, part: &str, steps: u64) {
        self.bar.set_message(part.to_owned());
        self.bar.set_length(steps);
        self.bar.reset();
    }

    fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            report::note(text);
        }
    }
}
