//! The coefficients of recall's one decision. Written by `scripts/bench-recall.py --fit`; do not edit what it fitted.

use super::features::COUNT;

/// For a memory that no model has read, in the order of `FEATURE_NAMES`. The last 5 were set by hand for lack of data.
#[rustfmt::skip]
pub(super) static WORDS: [f32; COUNT] = [
    0.913, 0.240, -0.273, 0.082, 1.638, -0.176, -1.677, 1.614,
    1.832, 2.788, -0.100, -0.998, -2.263, -1.703, -0.493, 0.315,
    -0.289, 0.179, -1.059, -0.369, 0.183, 0.221, 1.128, 0.0,
    0.0, 0.0, 0.0, 1.0, 0.5, -4.0, -4.0, 0.0,
];

/// What speaks against such a memory before anything is known.
pub(super) static INTERCEPT: f32 = -8.158;

/// For a memory that a model has read, in the order of `FEATURE_NAMES`. The last 5 were set by hand for lack of data.
#[rustfmt::skip]
pub(super) static WITH_MODEL: [f32; COUNT] = [
    0.913, 0.240, -0.273, 0.082, 1.638, -0.176, -1.677, 1.614,
    1.832, 2.788, -0.100, -0.998, -2.263, -1.703, -0.493, 0.315,
    -0.289, 0.179, -1.059, -0.369, 0.183, 0.221, 1.128, 0.0,
    0.0, 0.0, 0.0, 1.0, 0.5, -4.0, -4.0, 0.0,
];

/// What speaks against such a memory before anything is known.
pub(super) static WITH_MODEL_INTERCEPT: f32 = -8.158;
