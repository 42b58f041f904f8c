//! What speaks for and against each kind, in tenths: below zero a sentence is not of that kind.

use super::{FEEDBACK_LINE, Sentence, Turn};
use crate::extract::cues::Cue;

/// Praise of fewer words is politeness.
const APPROVAL_WORDS: usize = 5;

impl Sentence<'_> {
    /// The sum of what speaks for and against, in tenths.
    fn weigh(&self, weights: &[(Cue, i32)]) -> i32 {
        weights.iter().filter(|(cue, _)| self.cues.has(*cue)).map(|(_, weight)| weight).sum()
    }

    pub(super) fn feedback(&self, turn: &Turn) -> i32 {
        // `Ab jetzt` holds a word for now, and is meant for good.
        let is_lasting = self.cues.has(Cue::FeedbackStrong) && self.cues.has(Cue::Durable);
        // `I'd rather you told me` is a wish, not a report.
        let is_own = self
            .cues
            .place(Cue::FeedbackStrong)
            .is_some_and(|strong| Some(strong) < self.cues.place(Cue::Reported));
        let signs = self.weigh(&[
            (Cue::FeedbackStrong, 30),
            (Cue::Feedback, 20),
            (Cue::FeedbackWeak, 5),
            (Cue::Durable, 10),
            (Cue::Directive, 10),
            (Cue::Process, 10),
            (Cue::Preference, 15),
            (Cue::Generic, 10),
            (Cue::Scope, 10),
            (Cue::Experience, 10),
            (Cue::Complaint, 10),
            (Cue::Specific, -20),
            (Cue::Spec, -20),
            (Cue::OneOff, if is_lasting { -5 } else { -40 }),
            (Cue::Soon, -20),
            (Cue::Task, -10),
            (Cue::Reported, if is_own { -20 } else { -60 }),
        ]);
        let approval = self.approval(turn);
        let commands =
            [Cue::FeedbackStrong, Cue::Feedback, Cue::FeedbackWeak, Cue::Directive, Cue::Preference];
        if approval == 0 && !commands.iter().any(|cue| self.cues.has(*cue)) {
            return -1;
        }
        let around = if turn.explains || self.cues.has(Cue::Reason) { 5 } else { 0 }
            + if turn.is_liked { 10 } else { 0 }
            + if turn.is_corrected { 15 } else { 0 }
            - if turn.is_task { 15 } else { 0 }
            - if turn.is_one_off { 20 } else { 0 }
            - if turn.asks && !self.cues.has(Cue::FeedbackStrong) { 10 } else { 0 };
        // A particular file is named in passing wishes more often than in rules.
        let path = if self.names_file && !self.cues.has(Cue::FeedbackStrong) { 10 } else { 0 };
        signs + approval + around - path - FEEDBACK_LINE
    }

    /// Praise for what the agent chose, said in more than a word.
    fn approval(&self, turn: &Turn) -> i32 {
        match turn.answers && self.cues.has(Cue::Approval) {
            true if self.words >= APPROVAL_WORDS => 40,
            true => 20,
            false => 0,
        }
    }

    pub(super) fn user(&self) -> i32 {
        self.weigh(&[
            (Cue::User, 25),
            (Cue::Habit, 20),
            (Cue::Reported, -30),
            (Cue::OneOff, -5),
            (Cue::Spec, -10),
        ]) - 20
    }

    pub(super) fn project(&self, turn: &Turn) -> i32 {
        let cues = &self.cues;
        // A deadline and a cure are of one thing by nature.
        let is_event = self.is_deadline() || cues.has(Cue::HardWon);
        let mut score = self.weigh(&[
            (Cue::Project, 25),
            (Cue::ProjectWeak, 10),
            (Cue::Reason, 7),
            (Cue::Scope, 3),
            (Cue::OneOff, -25),
            (Cue::Task, -15),
            (Cue::Specific, if is_event { 0 } else { -7 }),
            (Cue::Spec, -7),
            (Cue::Reported, -30),
        ]);
        if cues.has(Cue::External) && cues.has(Cue::Modal) {
            let is_product = cues.has(Cue::Spec);
            score += if is_product {
                8
            } else if self.says_we {
                25
            } else {
                20
            };
        } else if cues.has(Cue::External) && cues.has(Cue::Reason) && self.says_we {
            score += 20;
        }
        if self.is_deadline() {
            score += 25;
        } else if !self.days.is_empty() {
            score += 7;
        }
        if cues.has(Cue::HardWon) {
            score += if self.has_code { 30 } else { 20 } + if turn.answers { 3 } else { 0 };
        } else if self.past && !cues.has(Cue::External) {
            let is_decision = cues.has(Cue::Project) && self.says_we;
            score -= if is_decision {
                0
            } else if cues.has(Cue::Project) {
                10
            } else {
                15
            };
        }
        // What only concerns the code at hand is work, not a decision to remember.
        let is_founded =
            cues.has(Cue::HardWon) || cues.has(Cue::Reason) || cues.has(Cue::External) || self.is_deadline();
        if cues.has(Cue::Process) && !is_founded {
            score -= 5;
        }
        // A limit from outside that ends some day is not a passing wish.
        if cues.has(Cue::OneOff) && (cues.has(Cue::External) || self.is_deadline()) {
            score += 15;
        }
        if turn.is_task {
            score -= 10;
        } else if turn.wants_work {
            score -= 5;
        }
        score - 25
    }

    pub(super) fn reference(&self, turn: &Turn) -> i32 {
        let mut score = self.weigh(&[
            (Cue::Kept, 15),
            (Cue::Locative, 10),
            (Cue::OneOff, -20),
            (Cue::Task, -15),
            (Cue::Reported, -10),
            (Cue::Specific, -5),
        ]);
        if self.has_place {
            score += 15;
        }
        if turn.asks || turn.wants_work {
            score -= 10;
        }
        if self.has_place { score - 25 } else { -1 }
    }

    /// An event with a day that is still to come.
    pub(super) fn is_deadline(&self) -> bool {
        self.cues.has(Cue::Deadline) && !self.days.is_empty()
    }
}
