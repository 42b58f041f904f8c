//! What the tests of every crate share: temporary homes, fixture trees, command snapshots.
