//! Families of rules switched off, so that `scripts/ablate` can tell what each is worth. A release build has no such switch.

use std::sync::OnceLock;

/// The variable that names families, for debug builds alone.
pub const VARIABLE: &str = "MEMDIR_WITHOUT";

static OFF: OnceLock<Vec<String>> = OnceLock::new();

/// Switches families off by their names, separated by commas, until the program ends. The first call counts.
pub fn switch_off(families: &str) {
    if cfg!(debug_assertions) {
        OFF.get_or_init(|| families.split(',').map(str::to_owned).collect());
    }
}

/// Whether any family is off.
pub(crate) fn is_any() -> bool {
    cfg!(debug_assertions) && OFF.get().is_some()
}

/// Whether a family is off.
pub(crate) fn is_off(family: &str) -> bool {
    is_any() && OFF.get().is_some_and(|off| off.iter().any(|name| name == family))
}
