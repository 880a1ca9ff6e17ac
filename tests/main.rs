//! What crosses crates: engines against slow oracles, the command line, README's commands.

mod chain;
mod command_line;
mod fluid;
mod oracle;
