//! The console.

use windows_sys::Win32::System::Console::{
    CONSOLE_SCREEN_BUFFER_INFO, GetConsoleScreenBufferInfo, GetStdHandle, STD_OUTPUT_HANDLE,
};

/// Columns and rows of the console that standard output is, if it is one.
#[must_use]
pub fn console_size() -> Option<(usize, usize)> {
    // SAFETY: the call takes a number and returns a handle that the process keeps.
    let output = unsafe { GetStdHandle(STD_OUTPUT_HANDLE) };
    let mut info = CONSOLE_SCREEN_BUFFER_INFO::default();
    // SAFETY: the call fills the structure that it is given, and refuses a handle that is not a console.
    if unsafe { GetConsoleScreenBufferInfo(output, &raw mut info) } == 0 {
        return None;
    }
    let window = info.srWindow;
    let length = |from: i16, to: i16| usize::try_from(i32::from(to) - i32::from(from) + 1).ok();
    let (columns, rows) = (length(window.Left, window.Right)?, length(window.Top, window.Bottom)?);
    (columns > 0 && rows > 0).then_some((columns, rows))
}
