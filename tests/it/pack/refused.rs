//! Packed blocks that are refused, and that must not be.
