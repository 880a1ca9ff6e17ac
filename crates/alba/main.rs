//! The `alba` command.

mod arguments;
mod common;
mod failure;
mod plots;
mod progress;
mod report;
mod run;
mod sweeps;
mod traces;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    match run::run(&arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            let code = if error.is_input() { 2 } else { 1 };
            report::error(error);
            ExitCode::from(code)
        }
    }
}
