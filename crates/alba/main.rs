//! The `alba` command.
fn main() {}
