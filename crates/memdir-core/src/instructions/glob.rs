//! One component of a path against one component of a pattern, and lists of them against each other.
//!
//! Two dialects meet in instructions: the `paths` of rules follow ignore files, exclusions follow shell globs. They
//! differ in how a pattern is anchored and in their classes, and share everything below. No crate has the first
//! dialect's observed oddities, and this matcher is linear in the pattern times the path, whatever the pattern is.

/// Which dialect a class is read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Patterns of ignore files as the client applies them: case does not count, a negated class matches nothing.
    Ignore,
    /// Shell globs as the client applies them: case counts, `[^…]` negates, `!` in a class is a character.
    Shell,
}

/// One component of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Component {
    /// `**`: any number of components.
    AnyDepth,
    /// Everything else.
    Name(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Literal(char),
    AnyOne,
    AnyRun,
    Class { negated: bool, ranges: Vec<(char, char)> },
    Never,
}

impl Component {
    pub(super) fn parse(text: &str, dialect: Dialect) -> Self {
        if text == "**" {
            return Self::AnyDepth;
        }
        let mut pieces = Vec::new();
        let mut rest = text.chars();
        // Where one class never ends, none behind it does: looking again for each would take quadratic time.
        let mut classes_end = true;
        while let Some(character) = rest.next() {
            let piece = match character {
                '*' => Piece::AnyRun,
                '?' => Piece::AnyOne,
                '\\' => rest.next().map_or(Piece::Never, Piece::Literal),
                '[' if classes_end => match class(rest.as_str(), dialect) {
                    Some((piece, length)) => {
                        rest = rest.as_str().get(length..).unwrap_or_default().chars();
                        piece
                    }
                    None if dialect == Dialect::Ignore => return Self::Name(vec![Piece::Never]),
                    None => {
                        classes_end = false;
                        Piece::Literal('[')
                    }
                },
                other => Piece::Literal(other),
            };
            if !(piece == Piece::AnyRun && pieces.last() == Some(&Piece::AnyRun)) {
                pieces.push(piece);
            }
        }
        Self::Name(pieces)
    }

    fn matches(&self, name: &str, dialect: Dialect) -> bool {
        match self {
            Self::AnyDepth => true,
            Self::Name(pieces) => {
                let characters: Vec<char> = name.chars().collect();
                wildcard(
                    pieces,
                    &characters,
                    |piece| *piece == Piece::AnyRun,
                    |piece, character| piece.matches(*character, dialect),
                )
            }
        }
    }
}

impl Piece {
    fn matches(&self, character: char, dialect: Dialect) -> bool {
        match self {
            Self::Literal(literal) => fold(*literal, dialect) == fold(character, dialect),
            Self::AnyOne | Self::AnyRun => true,
            Self::Class { negated, ranges } => {
                let within = |character| ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
                let folded = dialect == Dialect::Ignore
                    && (within(character.to_ascii_lowercase()) || within(character.to_ascii_uppercase()));
                (within(character) || folded) != *negated
            }
            Self::Never => false,
        }
    }
}

/// Whether the components of a pattern match those of a path, from the first to the last.
pub(super) fn matches(pattern: &[Component], path: &[&str], dialect: Dialect) -> bool {
    wildcard(
        pattern,
        path,
        |component| *component == Component::AnyDepth,
        |component, name| component.matches(name, dialect),
    )
}

/// Matches a sequence in which some pattern items mean any run, by going back to the last such item only.
fn wildcard<P, T>(
    pattern: &[P],
    items: &[T],
    is_run: impl Fn(&P) -> bool,
    matches_one: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(item) = items.get(at) {
        match pattern.get(next) {
            Some(piece) if is_run(piece) => {
                retry = Some((at, next));
                next += 1;
            }
            Some(piece) if matches_one(piece, item) => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((tried, run)) = retry else { return false };
                at = tried + 1;
                next = run + 1;
                retry = Some((at, run));
            }
        }
    }
    pattern.get(next..).unwrap_or_default().iter().all(is_run)
}

fn fold(character: char, dialect: Dialect) -> char {
    if dialect == Dialect::Ignore { character.to_lowercase().next().unwrap_or(character) } else { character }
}

/// A class behind its `[`, and how many bytes it takes up to and with its `]`.
fn class(text: &str, dialect: Dialect) -> Option<(Piece, usize)> {
    let negated = text.starts_with('^') || (dialect == Dialect::Ignore && text.starts_with('!'));
    let mut characters = text.char_indices().peekable();
    if negated {
        characters.next();
    }
    let mut ranges: Vec<(char, char)> = Vec::new();
    while let Some((offset, character)) = characters.next() {
        let low = match character {
            ']' => {
                let piece = if ranges.is_empty() || (negated && dialect == Dialect::Ignore) {
                    Piece::Never
                } else {
                    Piece::Class { negated, ranges }
                };
                return Some((piece, offset + 1));
            }
            '\\' => characters.next()?.1,
            other => other,
        };
        let mut ahead = characters.clone();
        match (ahead.next(), ahead.next()) {
            (Some((_, '-')), Some((_, high))) if high != ']' => {
                ranges.push((low, high));
                characters = ahead;
            }
            _ => ranges.push((low, low)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_of_wildcards_stay_linear() {
        let pattern: Vec<Component> = (0..500)
            .flat_map(|_| [Component::AnyDepth, Component::parse("*a*a*a*b", Dialect::Shell)])
            .collect();
        let name = "a".repeat(200);
        let path = vec![name.as_str(); 200];
        assert!(!matches(&pattern, &path, Dialect::Shell));
    }
}
