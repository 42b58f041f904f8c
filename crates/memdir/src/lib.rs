//! The memdir binary as a library, so that every command can be called in process.
