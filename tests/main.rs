//! What crosses crates: engines against slow oracles, the command line, README's commands.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking; clippy.toml's allowance does not reach helpers"
)]

mod agreement;
mod chain;
mod cluster;
mod command_line;
mod converge;
mod exact;
mod finite_n;
mod fixed_points;
mod fluid;
mod fluid_days;
mod fluid_random;
mod fluid_rates;
mod fluid_steps;
mod fluid_theory;
mod fluid_wide;
mod limits;
mod losses;
mod optimality;
mod oracle;
mod percentiles;
mod phase_partition;
mod precision;
mod precision_everywhere;
mod rare_events;
mod readme;
mod readme_numbers;
mod response_times;
mod steady_state;
mod sweeps;
mod synchronous;
mod systems;
mod traces;
mod unread;
