//! Each kernel at each level of this machine, beside its portable twin.

mod varints;

use super::Level;

/// The levels whose kernels are compared with the portable ones: the portable one too, for its appending.
fn levels() -> Vec<Level> {
    Level::all()
}
