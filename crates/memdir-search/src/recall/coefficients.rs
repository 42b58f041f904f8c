//! The coefficients of recall's one decision. Written by `scripts/bench-recall.py --fit`; do not edit what it fitted.

use super::features::COUNT;

/// In the order of `FEATURE_NAMES`. The last 6 could not be fitted for lack of data and were set by hand.
pub(super) static COEFFICIENTS: [f32; COUNT] =
    [0.785, 0.385, 1.429, 3.570, 0.670, 0.943, 0.798, 2.072, -1.641, 0.0, 1.0, 0.5, -4.0, -4.0, 0.0];

/// What speaks against a memory before anything is known.
pub(super) static INTERCEPT: f32 = -7.405;
