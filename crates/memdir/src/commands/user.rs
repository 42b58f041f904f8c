//! `memdir user`: what agents know about the person they work for.

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand, ValueEnum};
use memdir_core::user::Category;
use memdir_lib::user::Profile;

use super::Run;
use super::made::Manner;
use crate::exit::Exit;
use crate::world::World;

mod exchange;
mod forget;
mod history;
mod show;
mod update;

/// Show and change what agents know about you
#[derive(Debug, Parser)]
#[command(
    name = "user",
    after_help = "Six Markdown files in `user/` of the client's configuration directory: profile, preferences, communication, technical,
observations, feedback. Each holds dated list items under headings, and you may edit them by hand. What you say is
stored at once; what an agent only observed is not used before you confirm it.

Examples:
  memdir user
  memdir user update preferences --text \"Use tabs\" --heading Style
  memdir user update observations --text \"Works late on Fridays\"
  memdir user confirm fridays
  memdir user forget tabs"
)]
pub(crate) struct User {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what is known, and what waits for your yes
    #[command(after_help = "Examples:
  memdir user show
  memdir user show preferences --json
  memdir user show --told --budget 300")]
    Show {
        /// Only this category
        category: Option<CategoryName>,
        /// Print what agents are told: only what you said or confirmed, quoted, within the budget
        #[arg(long, conflicts_with = "category")]
        told: bool,
        /// The budget in tokens for --told
        #[arg(long, value_name = "TOKENS", default_value_t = 1_000, requires = "told")]
        budget: usize,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write something down; without a text, edit the file in $EDITOR
    #[command(
        after_help = "What an agent noticed without being told goes to the observations and waits for `memdir user confirm`:
say --observed. Feedback says whether it worked.

Examples:
  memdir user update preferences --text \"Small commits\" --heading Git
  memdir user update communication --observed --text \"Prefers short answers\"
  memdir user update feedback --text \"Explained the plan with a table\" --worked yes
  memdir user update preferences --replaces tabs --text \"Use four spaces\"
  memdir user update profile"
    )]
    Update {
        /// Which file
        category: CategoryName,
        /// What to write down
        #[arg(long, value_name = "TEXT", conflicts_with = "file")]
        text: Option<String>,
        /// Take it from this file, `-` for standard input
        #[arg(long, value_name = "FILE")]
        file: Option<String>,
        /// The heading to write it under
        #[arg(long)]
        heading: Option<String>,
        /// It was observed, not said: it waits for your yes
        #[arg(long)]
        observed: bool,
        /// For feedback: whether it worked
        #[arg(long, value_name = "YES|NO")]
        worked: Option<YesNo>,
        /// Put it in the place of the one item about this topic
        #[arg(long, value_name = "TOPIC", conflicts_with_all = ["heading", "observed", "worked"])]
        replaces: Option<String>,
        #[command(flatten)]
        manner: Manner,
    },
    /// Say yes to what was observed, so that agents may use it
    #[command(after_help = "Examples:
  memdir user confirm fridays
  memdir user confirm --all")]
    Confirm {
        /// Words that are all in the observation or its heading
        #[arg(required_unless_present = "all", num_args = 1..)]
        topic: Vec<String>,
        /// Everything that waits
        #[arg(long, conflicts_with = "topic")]
        all: bool,
        #[command(flatten)]
        manner: Manner,
    },
    /// Remove what is known about a topic: shows it, asks, removes it
    #[command(
        after_help = "Exits with 1 if nothing is known about it. What was removed stays in history, and `memdir undo --dir` of the
profile brings it back, unless --purge takes it from there too.

Examples:
  memdir user forget tabs
  memdir user forget old employer --purge --yes"
    )]
    Forget {
        /// Words that are all in the item or its heading
        #[arg(required = true, num_args = 1..)]
        topic: Vec<String>,
        /// Only in this category
        #[arg(long)]
        category: Option<CategoryName>,
        /// Take it out of every version in history too; this cannot be undone
        #[arg(long)]
        purge: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        manner: Manner,
    },
    /// Say what was changed, by whom and when
    #[command(after_help = "Examples:
  memdir user history
  memdir user history --json -n 100")]
    History {
        /// At most so many operations
        #[arg(short = 'n', value_name = "N", default_value_t = 50)]
        limit: usize,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write the whole profile into one file
    #[command(after_help = "Examples:
  memdir user export me.json
  memdir user export | ssh other memdir user import - --yes")]
    Export {
        /// The file, which must not exist yet; without one, standard output
        file: Option<Utf8PathBuf>,
    },
    /// Merge an export: validated, shown as a diff, asked, then added to what is there
    #[command(
        after_help = "Nothing of yours is removed or replaced: items that you do not have are added under their heading.

Examples:
  memdir user import me.json
  memdir user import me.json --dry-run
  memdir user import - --yes < me.json"
    )]
    Import {
        /// The export, `-` for standard input
        file: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        manner: Manner,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CategoryName {
    /// Who you are
    Profile,
    /// What you want
    Preferences,
    /// How you want to be spoken to
    Communication,
    /// What you know and work with
    Technical,
    /// What agents noticed
    Observations,
    /// What worked and what did not
    Feedback,
}

impl CategoryName {
    fn category(self) -> Category {
        match self {
            Self::Profile => Category::Profile,
            Self::Preferences => Category::Preferences,
            Self::Communication => Category::Communication,
            Self::Technical => Category::Technical,
            Self::Observations => Category::Observations,
            Self::Feedback => Category::Feedback,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum YesNo {
    /// It did
    Yes,
    /// It did not
    No,
}

impl Run for User {
    fn run(self, world: &mut World) -> Result<Exit> {
        let profile = Profile::open(&world.env()?)?;
        match self.action {
            None => show::show(&profile, None, self.json, world),
            Some(Action::Show { told: true, budget, json, .. }) => show::told(&profile, budget, json, world),
            Some(Action::Show { category, json, .. }) => {
                show::show(&profile, category.map(CategoryName::category), json, world)
            }
            Some(Action::Update { category, text, file, heading, observed, worked, replaces, manner }) => {
                let update = update::Update {
                    category: category.category(),
                    text,
                    file,
                    heading,
                    observed,
                    worked: worked.map(|worked| worked == YesNo::Yes),
                    replaces,
                };
                update::update(profile, update, &manner, world)
            }
            Some(Action::Confirm { topic, all, manner }) => {
                let topic = (!all).then(|| topic.join(" "));
                update::confirm(profile, topic.as_deref(), &manner, world)
            }
            Some(Action::Forget { topic, category, purge, yes, manner }) => {
                let topic = topic.join(" ");
                let forget =
                    forget::Forget { topic, category: category.map(CategoryName::category), purge, yes };
                forget.run(profile, &manner, world)
            }
            Some(Action::History { limit, json }) => history::history(profile, limit, json, world),
            Some(Action::Export { file }) => exchange::export(&profile, file.as_deref(), world),
            Some(Action::Import { file, yes, manner }) => {
                exchange::import(profile, &file, yes, &manner, world)
            }
        }
    }
}
