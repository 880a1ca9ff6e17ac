//! Slow, obvious versions of what the crates do fast.
