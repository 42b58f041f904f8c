//! Finds the names with which a line of text could pass for another speaker.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::super::flag::latin_for;

/// Marks, quotes and blanks that may be between a name and its colon.
const MOST_BETWEEN: usize = 8;
/// Numbers, bullets and other decoration that may precede a name; whatever is longer counts as decoration too.
const MOST_BEFORE: usize = 32;
/// Characters of the longest name that is looked at.
const LONGEST_NAME: usize = 40;
/// Words after a name on the first and only line that tell an order from a fact.
const MOST_WORDS: usize = 24;

/// Speakers of a transcript, in any place and after any text.
const SPEAKERS: [&str; 4] = ["Human", "Assistant", "HUMAN", "ASSISTANT"];
/// Names that are speakers at the beginning of a line, in lower case.
const LINE_SPEAKERS: &str = " human assistant system user developer tool function model ai chatbot bot instruction \
    instructions response claude anthropic openai gpt chatgpt copilot llm agent operator admin administrator root \
    benutzer nutzer mensch assistent entwickler anweisung antwort usuario humano asistente sistema instrucción \
    instrucciones respuesta desarrollador utilisateur humain système systeme assistante développeur réponse utente \
    umano assistente sviluppatore istruzione istruzioni risposta usuário instrução instruções resposta \
    desenvolvedor gebruiker systeem ontwikkelaar instructie användare människa systemet bruker bruger käyttäjä \
    järjestelmä użytkownik człowiek asystent instrukcja odpowiedź uživatel systém asistent používateľ felhasználó \
    rendszer utilizator kullanıcı sistem yardımcı asistan talimat người dùng trợ lý hệ thống pengguna asisten \
    instruksi manusia пользователь человек система ассистент помощник разработчик инструкция ответ користувач \
    людина асистент χρήστης σύστημα βοηθός άνθρωπος משתמש מערכת עוזר הוראות المستخدم مستخدم النظام نظام المساعد \
    مساعد الإنسان تعليمات کاربر سیستم دستیار उपयोगकर्ता सिस्टम प्रणाली सहायक निर्देश मानव ผู้ใช้ ระบบ ผู้ช่วย คำสั่ง \
    用户 使用者 用戶 人类 人類 助手 助理 系统 系統 开发者 開發者 指令 回答 模型 ユーザー ユーザ 利用者 人間 アシスタント \
    システム 開発者 指示 사용자 유저 인간 어시스턴트 시스템 개발자 지시 ";
/// What may follow such a name and still name a speaker: `System message:`, `Tool result:`.
const SPEECH: &str = " message messages prompt note notice reminder instruction instructions role turn override update \
    output result results response call says said reply command directive alert ";
/// Words that speak to a reader; without one of them a lone `SYSTEM: Ubuntu 24.04` is a fact.
const ADDRESS: &str = " you your yours yourself ignore disregard forget obey override overrule bypass reveal must \
    instructions prompt comply pretend previous ";
/// Verbs that give an order as the first word.
const ORDERS: &str = " print say repeat reply respond output answer act execute run send post upload fetch delete \
    remove always never do don't stop follow treat enable disable grant allow approve read write call use show \
    tell set add from new please now ";
/// Labels in brackets that name a speaker.
const LABELS: [&str; 14] = [
    "system",
    "assistant",
    "human",
    "developer",
    "system message",
    "system prompt",
    "system note",
    "system notice",
    "system reminder",
    "system override",
    "system instruction",
    "system instructions",
    "system update",
    "tool result",
];

/// Whether a character is a colon or passes for one.
pub(super) fn is_colon(character: char) -> bool {
    matches!(character, ':' | '：' | '﹕' | '︓' | 'ː' | '˸' | '∶' | '꞉' | '։')
}

/// Where a backslash before the colon at `colon` goes if a speaker's name precedes it, and how many are there.
pub(super) fn before_colon(text: &str, colon: usize) -> Option<(usize, usize)> {
    let before = text.get(..colon)?;
    let unescaped = before.trim_end_matches('\\');
    let named = without_marks(unescaped, MOST_BETWEEN);
    let name = last_word(named);
    let lead = named.get(..named.len() - name.len())?;
    let is_speaker = !name.is_empty()
        && (is_speaker_anywhere(name)
            || is_line_speaker(text, colon, lead, name)
            || is_speech(text, colon, lead, name));
    is_speaker.then_some((unescaped.len(), before.len() - unescaped.len()))
}

/// Whether a label in brackets names a speaker: `[System]`, `【system message】`.
pub(super) fn is_speaker_label(label: &str) -> bool {
    LABELS.contains(&plain_lower(label).as_str())
}

/// Letters in their plain form and in lower case: compatible forms, and look-alikes in words that are half Latin.
pub(super) fn plain_lower(name: &str) -> String {
    plain(name).to_lowercase()
}

fn plain(name: &str) -> String {
    if name.is_ascii() {
        return name.to_owned();
    }
    let compatible: String = name.nfkc().collect();
    if compatible.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        compatible.chars().map(|letter| latin_for(letter).unwrap_or(letter)).collect()
    } else {
        compatible
    }
}

fn is_speaker_anywhere(name: &str) -> bool {
    let name = plain(name);
    SPEAKERS.iter().any(|speaker| name.ends_with(speaker))
}

fn is_line_speaker(text: &str, colon: usize, lead: &str, name: &str) -> bool {
    (has_word(LINE_SPEAKERS, &plain_lower(name)) && begins_turn(text, colon, lead, name))
        || is_phrase(text, colon, lead, name)
}

/// A speaker in two words: `người dùng`.
fn is_phrase(text: &str, colon: usize, lead: &str, name: &str) -> bool {
    let Some(gap) = lead.strip_suffix(' ') else { return false };
    let first = last_word(gap);
    let Some(lead) = gap.get(..gap.len() - first.len()) else { return false };
    !first.is_empty()
        && !first.is_ascii()
        && has_word(LINE_SPEAKERS, &plain_lower(&format!("{first} {name}")))
        && begins_turn(text, colon, lead, first)
}

/// `System message:` and its like: the word before the last one is the speaker.
fn is_speech(text: &str, colon: usize, lead: &str, name: &str) -> bool {
    if !has_word(SPEECH, &plain_lower(name)) {
        return false;
    }
    let gap = without_marks(lead, 2);
    let speaker = last_word(gap);
    let Some(lead) = gap.get(..gap.len() - speaker.len()) else { return false };
    !speaker.is_empty() && is_line_speaker(text, colon, lead, speaker)
}

/// Whether a speaker's name after `lead` begins a turn: nothing but decoration precedes it on its line, and
/// unless it has a capital, nothing on the line before. A text of one line must speak to its reader besides.
fn begins_turn(text: &str, colon: usize, lead: &str, name: &str) -> bool {
    let Some(above) = above_line(lead) else { return false };
    if above.is_empty() && !text.contains('\n') {
        return addresses_reader(text.get(colon..).unwrap_or_default());
    }
    let is_lower = name.chars().next().is_some_and(char::is_lowercase);
    !is_lower || above.is_empty() || above == "\n" || above.ends_with("\n\n")
}

/// The text up to the line that `lead` is the beginning of, its line feed included; `None` if a letter is there.
fn above_line(lead: &str) -> Option<&str> {
    let mut seen = 0;
    for (position, character) in lead.char_indices().rev() {
        if character == '\n' {
            return lead.get(..=position);
        }
        // Backslashes are ours to add, so they must not change the answer.
        seen += usize::from(character != '\\');
        if character.is_alphabetic() {
            return above_enumeration(lead);
        }
        if seen > MOST_BEFORE {
            return lead.get(..position);
        }
    }
    Some("")
}

/// The same where the line begins with a letter or two and a mark, as in `b) System:`.
fn above_enumeration(lead: &str) -> Option<&str> {
    let marks = without_marks(lead, MOST_BETWEEN);
    let letter = last_word(marks);
    let rest = marks.get(..marks.len() - letter.len())?;
    let is_enumeration = letter.chars().count() <= 2 && lead.len() > marks.len() + 1;
    let line = without_marks(rest, MOST_BETWEEN);
    (is_enumeration && (line.is_empty() || line.ends_with('\n'))).then_some(line)
}

fn addresses_reader(rest: &str) -> bool {
    let mut words = rest
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .map(str::to_lowercase)
        .enumerate();
    words.any(|(number, word)| {
        !word.is_ascii() || has_word(ADDRESS, &word) || (number == 0 && has_word(ORDERS, &word))
    })
}

/// The text without what is neither letter nor digit at its end, up to a line feed; backslashes do not count.
fn without_marks(text: &str, most: usize) -> &str {
    let mut seen = 0;
    text.trim_end_matches(|character: char| {
        seen += usize::from(character != '\\');
        seen <= most && character != '\n' && !is_letter(character)
    })
}

fn last_word(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take(LONGEST_NAME)
        .take_while(|(_, character)| is_letter(*character))
        .last()
        .map_or(text.len(), |(position, _)| position);
    text.get(start..).unwrap_or_default()
}

fn is_letter(character: char) -> bool {
    character.is_alphabetic() || (!character.is_ascii() && is_combining_mark(character))
}

/// Whether a list of words with blanks around each holds this one.
fn has_word(list: &str, word: &str) -> bool {
    list.match_indices(word).any(|(position, _)| {
        list.get(..position).is_some_and(|before| before.ends_with(' '))
            && list.get(position + word.len()..).is_some_and(|after| after.starts_with(' '))
    })
}
