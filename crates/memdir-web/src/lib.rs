//! The viewer: memories in a browser, for a person on this machine.
//!
//! `memdir ui` listens on a loopback port and prints a link that works once. The link sets a cookie, and only requests
//! with that cookie see anything (`access`). Pages are made on the server; `assets/viewer.js` adds search as you
//! type, keys and live updates. Every change is a plan that [`memdir_lib`] applies, exactly as the commands do.
//!
//! A request opens what it needs, reads it and closes it. Between requests no lock is held and no memory is open.

mod access;
mod attention;
mod change;
mod diff;
mod graph_data;
mod guard;
mod live;
mod markdown;
mod page;
mod pages;
mod project;
mod reply;
mod routes;
mod serve;
mod text;
mod viewer;

pub use serve::{Ended, ViewerOptions, serve};
