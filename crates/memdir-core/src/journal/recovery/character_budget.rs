/// Characters that are left for a text.
pub(super) struct CharacterBudget {
    left: usize,
}

impl CharacterBudget {
    pub(super) fn new(left: usize) -> Self {
        Self { left }
    }

    pub(super) fn left(&self) -> usize {
        self.left
    }

    pub(super) fn take(&mut self, characters: usize) {
        self.left = self.left.saturating_sub(characters);
    }

    /// Takes the room for a text if there is enough.
    pub(super) fn fits(&mut self, text: &str) -> bool {
        let length = text.chars().count();
        let fits = length <= self.left;
        if fits {
            self.left -= length;
        }
        fits
    }

    /// Lets `make` use one part of so many; what it does not take stays.
    pub(super) fn part_of<T>(&mut self, parts: usize, make: impl FnOnce(&mut Self) -> T) -> T {
        let share = self.left / parts;
        let mut part = Self::new(share);
        let made = make(&mut part);
        self.left -= share - part.left;
        made
    }

    /// The same for a text.
    pub(super) fn part(&mut self, parts: usize, make: impl FnOnce(&mut Self) -> String) -> String {
        self.part_of(parts, make)
    }
}
