use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::vocabulary::WordHasher;

/// The languages whose cues are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Language {
    #[default]
    English,
    Spanish,
    German,
    French,
    Portuguese,
    Chinese,
    Japanese,
}

impl Language {
    /// Every language, in the order of their numbers.
    pub(super) const ALL: [Self; 7] = [
        Self::English,
        Self::Spanish,
        Self::German,
        Self::French,
        Self::Portuguese,
        Self::Chinese,
        Self::Japanese,
    ];

    /// Its phrases: what they are signs of, and how notes say what people say.
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::English => include_str!("cues/english.txt"),
            Self::Spanish => include_str!("cues/spanish.txt"),
            Self::German => include_str!("cues/german.txt"),
            Self::French => include_str!("cues/french.txt"),
            Self::Portuguese => include_str!("cues/portuguese.txt"),
            Self::Chinese => include_str!("cues/chinese.txt"),
            Self::Japanese => include_str!("cues/japanese.txt"),
        }
    }

    /// Whether words are written without spaces between them.
    pub(super) fn is_eastern(self) -> bool {
        matches!(self, Self::Chinese | Self::Japanese)
    }

    /// Whether a folded word only holds sentences together, in any of the languages.
    pub(super) fn is_small_word(word: &str) -> bool {
        SMALL_WORDS.contains_key(word)
    }

    /// The language of a text: by its script, then by the small words that only one language uses. `otherwise` decides
    /// where nothing tells.
    pub(super) fn of(text: &str, otherwise: Self) -> Self {
        Tally::of(text).language(&|| text.to_owned(), otherwise)
    }
}

/// What of a text tells its language. The tally of a text is the sum of those of its sentences.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    kana: usize,
    han: usize,
    letters: usize,
    scores: [u32; 5],
}

impl Tally {
    pub(super) fn of(text: &str) -> Self {
        let mut tally = Self::default();
        // Letters only matter where there is something else to weigh them against.
        if !text.is_ascii() {
            for character in text.chars() {
                match character {
                    '\u{3041}'..='\u{30ff}' => tally.kana += 1,
                    '\u{3400}'..='\u{9fff}' => tally.han += 1,
                    _ if character.is_alphabetic() => tally.letters += 1,
                    _ => {}
                }
            }
        } else {
            tally.letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
        }
        if text.is_ascii() {
            // The longest small word is shorter, and most pieces of a text are words.
            for word in text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()) {
                if (1..12).contains(&word.len()) {
                    tally.count(std::str::from_utf8(word).unwrap_or_default());
                }
            }
        } else {
            for word in text.split(|character: char| !character.is_alphanumeric()) {
                if (1..12).contains(&word.len()) {
                    tally.count(word);
                }
            }
        }
        tally
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.kana += other.kana;
        self.han += other.han;
        self.letters += other.letters;
        for (score, more) in self.scores.iter_mut().zip(other.scores) {
            *score += more;
        }
    }

    /// The language of the text that was tallied, which is asked for only where two languages are as likely.
    pub(super) fn language(&self, text: &dyn Fn() -> String, otherwise: Language) -> Language {
        // A technical text in either is full of Latin words, and a character says as much as three letters.
        if (self.kana + self.han) * 6 > self.letters {
            return if self.kana * 12 > self.han { Language::Japanese } else { Language::Chinese };
        }
        self.by_small_words(text).unwrap_or(otherwise)
    }

    fn count(&mut self, word: &str) {
        // Most words are in lower case already; only the others need a copy.
        let has_upper = if word.is_ascii() {
            word.bytes().any(|byte| byte.is_ascii_uppercase())
        } else {
            word.chars().any(char::is_uppercase)
        };
        let lower = if has_upper { word.to_lowercase().into() } else { Cow::Borrowed(word) };
        let Some(votes) = SMALL_WORDS.get(lower.as_ref()) else { return };
        // A word of two languages says less than a word of one.
        let weight = if votes.count_ones() == 1 { 2 } else { 1 };
        for (_, score) in self.scores.iter_mut().enumerate().filter(|(place, _)| votes >> place & 1 == 1) {
            *score += weight;
        }
    }

    fn by_small_words(&self, text: &dyn Fn() -> String) -> Option<Language> {
        let best = self.scores.iter().max().copied().filter(|best| *best > 0)?;
        let mut winners = self.scores.iter().zip(LATIN).filter(|(score, _)| **score == best);
        let winner = winners.next().map(|(_, language)| language);
        match (winner, winners.next().map(|(_, language)| language), winners.next()) {
            (winner, None, _) => winner,
            (Some(Language::Spanish), Some(Language::Portuguese), None) => Some(iberian(&text())),
            _ => None,
        }
    }
}

/// Spanish and Portuguese share most small words; their sounds tell them apart.
fn iberian(text: &str) -> Language {
    let lower = text.to_lowercase();
    let spanish = ["ie", "ue", "ñ", "ción", "¿", "¡", "ll"]
        .iter()
        .map(|sign| lower.matches(sign).count())
        .sum::<usize>();
    // `que` is a word of both.
    let spanish = spanish.saturating_sub(lower.matches("que").count());
    let portuguese =
        ["ã", "õ", "ç", "lh", "nh", "ê", "ei"].iter().map(|sign| lower.matches(sign).count()).sum::<usize>();
    if portuguese > spanish { Language::Portuguese } else { Language::Spanish }
}

const LATIN: [Language; 5] =
    [Language::English, Language::Spanish, Language::German, Language::French, Language::Portuguese];

/// Small words, with a bit for each language of [`LATIN`] that uses them.
static SMALL_WORDS: LazyLock<HashMap<&'static str, u8, BuildHasherDefault<WordHasher>>> =
    LazyLock::new(|| {
        let mut words: HashMap<&'static str, u8, BuildHasherDefault<WordHasher>> = HashMap::default();
        for (place, list) in [ENGLISH, SPANISH, GERMAN, FRENCH, PORTUGUESE].into_iter().enumerate() {
            for word in list.split(' ') {
                *words.entry(word).or_default() |= 1 << place;
            }
        }
        words
    });

const ENGLISH: &str = "the and is are was were of to in it that this for with on you your i we our my be have has do \
    don does did not but or if so at by from as an a they them he she its can could should would will just please when \
    what why how there here never always only use all no any then than into about because before after";
const SPANISH: &str = "el la los las un una y o de del que en es son no por para con se su sus lo al como más pero si sí \
    ya me mi te tu nos este esta esto eso esa aquí cuando siempre nunca porque está están hay fue ser soy eres antes \
    después cada todo todos también muy sin sobre qué cómo dónde hasta desde usa usamos hace haz deja favor ahora así";
const GERMAN: &str = "der die das den dem des ein eine einen einem einer und oder nicht kein keine ist sind war bin bist \
    ich du er sie es wir ihr mir mich dich uns bitte auch auf für mit von zu zum zur im in am an bei aus nach vor über \
    unter wenn weil dass ob als wie was wo immer nie niemals nur noch schon mal hier jetzt sich wird werden haben hat \
    habe muss soll sollen kann können so aber denn ab alle alles jede jeden jeder";
const FRENCH: &str = "le la les un une des et ou de du que qui en est sont ne pas plus pour par avec se sa son ses ce \
    cette ces au aux mais si je tu il elle on nous vous ils mon ma mes ton ta tes notre nos y à où comment pourquoi \
    toujours jamais parce ça c d l n j m s t quand avant après chaque tout tous aussi très sans sur chez ici fait \
    faut être suis es avons maintenant dans merci voici juste";
const PORTUGUESE: &str = "o a os as um uma e ou de do da dos das que em no na nos nas é são não por para com se seu sua \
    ao à pelo pela como mais mas já me meu minha te você vocês nós eu ele ela este esta isso isto aqui quando sempre \
    nunca porque está estão tem há foi ser sou antes depois cada tudo todos também muito sem sobre até desde usa use \
    usamos faz deixa gente agora só neste nesta nesse num numa pra pro rode";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_sentence_is_enough() {
        let check = |text: &str, expected: Language| {
            assert_eq!(Language::of(text, Language::English), expected, "{text}");
        };
        check("use the second one", Language::English);
        check("usa siempre tabuladores", Language::Spanish);
        check("immer Tabs verwenden", Language::German);
        check("on ne mocke jamais la base", Language::French);
        check("não precisa resumir tudo", Language::Portuguese);
        check("缩进一律用 tab", Language::Chinese);
        check("lint を実行して", Language::Japanese);
        check("pnpm", Language::English);
    }
}
