//! The commands that run without a person who typed them.

/// A command that a hook or a timer starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// Notices changes, freshens the index, sweeps up and syncs.
    Work,
    /// The same, and removes what a session's token brought here.
    WorkAtEnd,
    /// Writes down what the user said in a turn that has ended.
    Extract,
    /// Tidies memory at the end of a session, if that is due.
    Dream,
    /// Tidies the memory of every project, at night.
    NightlyDream,
}

/// The jobs with their command lines, and the option that takes the session. A job that is missing here never runs.
const JOBS: &[(Job, &[&str], Option<&str>)] = &[
    (Job::Work, &["work"], None),
    (Job::WorkAtEnd, &["work", "--session-ended"], None),
    (Job::Extract, &["extract"], Some("--ended")),
    (Job::Dream, &["dream", "--if-due"], Some("--session")),
    (Job::NightlyDream, &["dream", "--everywhere"], None),
];

impl Job {
    /// Every job.
    pub fn all() -> impl Iterator<Item = Self> {
        JOBS.iter().map(|(job, _, _)| *job)
    }

    /// The command line behind the program's name.
    #[must_use]
    pub fn arguments(self, session: Option<&str>) -> Vec<String> {
        let Some((_, words, option)) = JOBS.iter().find(|(job, _, _)| *job == self) else {
            return Vec::new();
        };
        let mut arguments: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        arguments.extend(option.zip(session).map(|(option, session)| format!("{option}={session}")));
        arguments
    }
}
