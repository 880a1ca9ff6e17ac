//! Where the readings of ALBA meet.
