//! The coefficients of recall's one decision. Written by `scripts/bench-recall.py --fit`; do not edit what it fitted.

use super::features::COUNT;

/// For a memory that no model has read, in the order of `FEATURE_NAMES`. The last 6 were set by hand for lack of data.
#[rustfmt::skip]
pub(super) static WORDS: [f32; COUNT] = [
    -0.279, 0.245, 0.264, -0.537, 1.492, -0.304, 5.606, 1.246,
    1.260, 4.031, -0.032, -0.910, -2.730, -1.837, -0.377, -0.259,
    -0.491, 0.242, -0.170, -0.356, 0.089, -0.006, 0.782, 0.0,
    0.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.5, -4.0,
    -4.0, 0.0,
];

/// What speaks against such a memory before anything is known.
pub(super) static INTERCEPT: f32 = -10.638;

/// For a memory that a model has read, in the order of `FEATURE_NAMES`. The last 6 were set by hand for lack of data.
#[rustfmt::skip]
pub(super) static WITH_MODEL: [f32; COUNT] = [
    0.180, -0.052, -1.306, -1.934, 1.116, -1.088, 2.890, 1.257,
    0.839, 3.825, 0.203, -1.409, -2.980, -2.384, -0.187, -1.098,
    -0.631, 0.303, -0.362, -0.542, -0.153, -0.460, 1.004, 1.690,
    0.836, 3.145, 6.761, 7.253, 1.0, 0.6, 0.5, -4.0,
    -4.0, 0.0,
];

/// What speaks against such a memory before anything is known.
pub(super) static WITH_MODEL_INTERCEPT: f32 = -11.253;
