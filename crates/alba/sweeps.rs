//! `alba sweep` and `alba merge`.

use crate::arguments::{Merge, Sweep};
use crate::common::{RESULTS, overrides};
use crate::failure::Failure;
use crate::report;
use alba_compare::ENGINES;
use alba_sweep::{Conduct, Lint, Ran, Rehearsal, Shard, Standing, rehearsal_columns, rehearse};
use alba_table::WriteError;
use alba_table::{Format, TableWriter};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{BufWriter, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

static STOP: AtomicBool = AtomicBool::new(false);

pub(crate) fn sweep(arguments: &Sweep) -> Result<(), Failure> {
    let overrides = overrides(&arguments.set, arguments.seed)?;
    let sweep = alba_sweep::Sweep::load(&arguments.sweep, &overrides, &ENGINES)?;
    arguments.threads.map_or(Ok(()), |threads| alba_compare::use_threads(threads as usize))?;
    let shard = arguments.shard.unwrap_or(Shard::ALL);
    if arguments.dry_run {
        return dry_run(&sweep, shard, arguments.quiet);
    }
    let folder = arguments.output.clone().unwrap_or_else(|| folder(sweep.name(), shard));
    end_cleanly();
    let teller = Teller::new();
    let (finished, wait) = mpsc::channel::<()>();
    let ran = std::thread::scope(|scope| {
        if !arguments.quiet {
            let teller = &teller;
            scope.spawn(move || teller.tell(&wait));
        }
        let watch = |standing: &Standing| teller.note(standing);
        let conduct =
            Conduct { shard, fresh: arguments.fresh, stop: &STOP, lints: &report_lints, watch: &watch };
        let ran = alba_sweep::run(&sweep, &folder, &conduct);
        drop(finished);
        ran
    });
    if matches!(ran, Err(alba_sweep::Error::Write(_))) {
        report::note("finished cells are kept: the same command goes on from there");
    }
    let ran = ran?;
    end(&ran, arguments.quiet)
}

pub(crate) fn merge(arguments: &Merge) -> Result<(), Failure> {
    let ran = alba_sweep::merge(&arguments.shards, arguments.output.as_deref(), Path::new(RESULTS))?;
    end(&ran, arguments.quiet)
}

fn folder(name: &str, shard: Shard) -> PathBuf {
    let results = Path::new(RESULTS);
    if shard == Shard::ALL {
        results.join(name)
    } else {
        results.join(format!("{name}-shard-{}-of-{}", shard.index(), shard.count()))
    }
}

/// Failed cells are an error: nobody should take such a table for a whole one.
fn end(ran: &Ran, quiet: bool) -> Result<(), Failure> {
    if !quiet {
        report::note(&format!("wrote {}: {} cells, {} failed", ran.folder.display(), ran.cells, ran.failed));
    }
    if ran.failed > 0 {
        let (folder, failed, cells) = (ran.folder.clone(), ran.failed, ran.cells);
        return Err(alba_sweep::Error::CellsFailed { folder, failed, cells }.into());
    }
    Ok(())
}

fn dry_run(sweep: &alba_sweep::Sweep<'_>, shard: Shard, quiet: bool) -> Result<(), Failure> {
    let columns = rehearsal_columns(sweep);
    let stdout = BufWriter::new(std::io::stdout().lock());
    let mut table = TableWriter::new(Format::Csv, stdout, columns.heads()).map_err(WriteError::Standard)?;
    let rehearsal = rehearse(sweep, shard, &mut |row| {
        Ok::<_, Failure>(table.row(&columns.row(row)).map_err(WriteError::Standard)?)
    })?;
    table.finish().map_err(WriteError::Standard)?;
    report_lints(&rehearsal.lints);
    if !quiet {
        report::note(&estimate(&rehearsal));
    }
    Ok(())
}

fn estimate(rehearsal: &Rehearsal) -> String {
    let Rehearsal { cells, bad, timed, seconds, threads, .. } = rehearsal;
    let time = span(*seconds);
    let wrong = if *bad > 0 { format!(", {bad} of them with values that are wrong") } else { String::new() };
    format!("{cells} cells{wrong}; about {time} on {threads} threads, from timing {timed} cells")
}

fn report_lints(lints: &[Lint]) {
    lints.iter().for_each(|lint| report::warning(&lint.to_string()));
}

/// Ctrl-C, and what a batch system sends before it kills: cells under way are finished, no other is begun. The second
/// time the program ends at once; the journal loses nothing by that.
fn end_cleanly() {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
        report::note("stopping: cells under way are finished first; once more to stop at once");
    };
    // Without a handler a signal ends the program, which loses nothing either.
    ctrlc::set_handler(handler).unwrap_or_default();
}

/// Tells how far a sweep is: a bar on a terminal, a line now and then elsewhere.
struct Teller {
    start: Instant,
    standing: Mutex<Option<Standing>>,
}

/// Between two lines, and between two drawings of a bar.
const LINE: Duration = Duration::from_secs(5);
const DRAWING: Duration = Duration::from_millis(200);

impl Teller {
    fn new() -> Self {
        Self { start: Instant::now(), standing: Mutex::new(None) }
    }

    fn note(&self, standing: &Standing) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = Some(*standing);
    }

    /// Until the other end of `wait` is gone.
    fn tell(&self, wait: &mpsc::Receiver<()>) {
        let is_terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("[{bar:30}] {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let pause = if is_terminal { DRAWING } else { LINE };
        while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            let Some(standing) = *self.standing.lock().unwrap_or_else(PoisonError::into_inner) else {
                continue;
            };
            let text = progress(&standing, self.start.elapsed());
            if is_terminal {
                bar.set_length(standing.cells);
                bar.set_position(standing.done);
                bar.set_message(text);
            } else {
                report::note(&text);
            }
        }
        bar.finish_and_clear();
    }
}

fn progress(standing: &Standing, elapsed: Duration) -> String {
    let Standing { cells, done, failed, before, share } = *standing;
    let seconds = elapsed.as_secs_f64();
    let rate = (done - before) as f64 / seconds;
    let left =
        if share > 0.0 { span(seconds * (1.0 - share).max(0.0) / share) } else { "unknown time".into() };
    format!("{done} of {cells} cells, {failed} failed, {rate:.1} cells/s, {left} left")
}

/// A length of time for people.
fn span(seconds: f64) -> String {
    match seconds {
        ..1.0 => format!("{:.0} ms", 1000.0 * seconds),
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} d", seconds / 86_400.0),
    }
}
