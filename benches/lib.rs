//! What the engines are measured against: code that a person would write first, a textbook, and Figure 1 in the levels of other
//! solvers.

pub mod levels;
pub mod plain;
pub mod textbook;
