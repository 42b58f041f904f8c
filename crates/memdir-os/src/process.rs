//! Processes.

use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::null;

use windows_sys::Win32::Foundation::{FILETIME, HANDLE_FLAG_INHERIT, SetHandleInformation, WAIT_OBJECT_0};
use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
};
use windows_sys::Win32::System::JobObjects as jobs;
use windows_sys::Win32::System::Threading as win;

use crate::errno::Errno;
use crate::file::size_of_u32;

/// When a process that runs started, in 100 ns since 1601; `None` if there is none of that number, or it has ended.
#[must_use]
pub fn process_start(process: u32) -> Option<u64> {
    let access = win::PROCESS_QUERY_LIMITED_INFORMATION | win::PROCESS_SYNCHRONIZE;
    // SAFETY: the call takes numbers and returns a handle or null.
    let handle = unsafe { win::OpenProcess(access, 0, process) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: the call succeeded, so it made this handle, and nothing else owns it.
    let process = unsafe { OwnedHandle::from_raw_handle(handle) };
    // SAFETY: the handle is open; the call does not wait.
    if unsafe { win::WaitForSingleObject(process.as_raw_handle(), 0) } == WAIT_OBJECT_0 {
        return None;
    }
    let (mut made, mut ended, mut kernel, mut user) =
        (FILETIME::default(), FILETIME::default(), FILETIME::default(), FILETIME::default());
    // SAFETY: the call fills the four structures, which outlive it.
    let answer = unsafe {
        win::GetProcessTimes(
            process.as_raw_handle(),
            &raw mut made,
            &raw mut ended,
            &raw mut kernel,
            &raw mut user,
        )
    };
    (answer != 0).then(|| u64::from(made.dwHighDateTime) << 32 | u64::from(made.dwLowDateTime))
}

/// Lets all other processes go first from now on.
pub fn lower_priority() {
    // SAFETY: the call returns a constant that means this process.
    let own = unsafe { win::GetCurrentProcess() };
    // SAFETY: the handle means this process; the call takes numbers.
    unsafe { win::SetPriorityClass(own, win::BELOW_NORMAL_PRIORITY_CLASS) };
}

/// Keeps this process's standard input and output from the processes that it starts. The standard library gives a child
/// copies where it should have them; but a child that should have none, as a detached one, would inherit these too, and
/// a program that reads our output to its end would wait for that child.
pub fn keep_standard_handles() {
    for number in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        // SAFETY: the call takes a number and returns a handle that the process keeps, or null.
        let handle = unsafe { GetStdHandle(number) };
        if !handle.is_null() {
            // SAFETY: the call changes a flag of the handle, and refuses what is none.
            unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0) };
        }
    }
}

/// Processes that can be ended or bounded together: those that were added, and all that they start afterwards.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// An empty job.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> Result<Self, Errno> {
        // SAFETY: without attributes and name the call takes nothing and returns a handle or null.
        let handle = unsafe { jobs::CreateJobObjectW(null(), null()) };
        if handle.is_null() {
            return Err(Errno::last());
        }
        // SAFETY: the call succeeded, so it made this handle, and nothing else owns it.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    /// Adds a process.
    ///
    /// # Errors
    /// What the system says.
    pub fn add(&self, process: BorrowedHandle<'_>) -> Result<(), Errno> {
        // SAFETY: both handles are open.
        let answer =
            unsafe { jobs::AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) };
        if answer == 0 { Err(Errno::last()) } else { Ok(()) }
    }

    /// Adds this process.
    ///
    /// # Errors
    /// What the system says.
    pub fn add_own(&self) -> Result<(), Errno> {
        // SAFETY: the call returns a constant that means this process.
        let own = unsafe { win::GetCurrentProcess() };
        // SAFETY: the constant is valid as long as the process runs.
        self.add(unsafe { BorrowedHandle::borrow_raw(own) })
    }

    /// Bounds the memory of each process.
    ///
    /// # Errors
    /// What the system says.
    pub fn bound_memory(&self, bytes: u64) -> Result<(), Errno> {
        let mut limits = jobs::JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = jobs::JOB_OBJECT_LIMIT_PROCESS_MEMORY;
        limits.ProcessMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
        // SAFETY: the call reads the structure, whose length it is told; the handle is open.
        let answer = unsafe {
            jobs::SetInformationJobObject(
                self.0.as_raw_handle(),
                jobs::JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_u32::<jobs::JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
            )
        };
        if answer == 0 { Err(Errno::last()) } else { Ok(()) }
    }

    /// Ends all of them.
    pub fn kill(&self) {
        // SAFETY: the handle is open; the call takes a number.
        unsafe { jobs::TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}
