use serde_json::{Value, json};

/// A prompt that a user can choose in their client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// Begin or go on with the journal.
    Start,
    /// End it.
    Stop,
    /// Its state.
    Status,
    /// Make its index anew.
    Rebuild,
    /// The map of all projects.
    Workspace,
    /// The user's profile.
    User,
    /// What waits for the user.
    Review,
}

impl Prompt {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Start, Self::Stop, Self::Status, Self::Rebuild, Self::Workspace, Self::User, Self::Review];

    /// The prompt of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prompt| prompt.name() == name)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Status => "status",
            Self::Rebuild => "rebuild",
            Self::Workspace => "workspace",
            Self::User => "user",
            Self::Review => "review",
        }
    }

    /// What it is for, in one line.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Start => "Start this project's journal, or go on with it",
            Self::Stop => "Stop the journal; every file stays",
            Self::Status => "Show the state of the work",
            Self::Rebuild => "Make the journal's index anew from its records",
            Self::Workspace => "Show how this project relates to the others",
            Self::User => "Show what is known about you in every project",
            Self::Review => "Show the changes of memory that wait for your decision",
        }
    }

    /// What the model is asked to do. Facts that the server looked up follow it.
    #[must_use]
    pub fn request(self) -> &'static str {
        match self {
            Self::Start => {
                "Start the journal with the `journal` tool (action `start`), then read action `recover` and tell me in \
                 a few lines what the state of the work is. From now on write decisions, findings and progress down with the \
                 same tool as they happen."
            }
            Self::Stop => {
                "Write down what is not written down yet (`journal`, actions `progress` and `done`), stop the journal \
                 (action `stop`), and tell me in two lines what is left to do."
            }
            Self::Status => {
                "Tell me briefly what the state of the work is, from the journal below: task, progress, what \
                 blocks it, and whether the journal is being kept."
            }
            Self::Rebuild => {
                "Make the journal's index anew with the `journal` tool (action `rebuild`), and tell me what it counted \
                 and what it could not understand."
            }
            Self::Workspace => {
                "Below is the map of my projects. Tell me which of them have to do with the one we are in, and what \
                 follows for the work at hand."
            }
            Self::User => {
                "Below is what I have let agents know about me. Tell me what of it matters here; ask before you \
                 change or add anything."
            }
            Self::Review => {
                "Below are the changes of memory that wait for my decision. Explain each in one line and what you \
                 would do with it. Only I accept or reject them, with `memdir review`."
            }
        }
    }
}

/// Every prompt, as the protocol lists them.
#[must_use]
pub fn prompts_list() -> Vec<Value> {
    let listed = |prompt: Prompt| json!({"name": prompt.name(), "description": prompt.description()});
    Prompt::ALL.into_iter().map(listed).collect()
}
