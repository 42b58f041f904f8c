//! What kind of thing a prompt asks for. Most prompts that need no memory say so: they ask for an explanation, a new
//! name, a list. The words are in English, German, French, Spanish, Portuguese, Japanese and Chinese, folded.

use crate::analyze::fold_text;

/// Each but the last is 1 if a word of its list occurs in the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Intent {
    pub(super) explain: f32,
    pub(super) mechanical: f32,
    pub(super) look: f32,
    pub(super) social: f32,
    pub(super) question_word: f32,
    pub(super) task: f32,
    pub(super) question_mark: f32,
    /// How many words the prompt has, as a logarithm.
    pub(super) words: f32,
}

/// What comes later in a prompt is mostly material.
const MAX_BYTES: usize = 4_000;

impl Intent {
    pub(super) fn of(prompt: &str) -> Self {
        let text = fold_text(prompt.get(..prompt.floor_char_boundary(MAX_BYTES)).unwrap_or_default());
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
        let holds = |list: &[&str]| {
            let is_in = |sign: &&str| {
                // Scripts without spaces have no words to compare.
                if sign.starts_with(|c| c >= '\u{3000}') {
                    text.contains(*sign)
                } else {
                    words.contains(sign)
                }
            };
            f32::from(list.iter().any(is_in))
        };
        Self {
            explain: holds(EXPLAIN),
            mechanical: holds(MECHANICAL),
            look: holds(LOOK),
            social: holds(SOCIAL),
            question_word: holds(QUESTION),
            task: holds(TASK),
            question_mark: f32::from(text.contains(['?', '？', '¿'])),
            words: length_of(&text).ln_1p(),
        }
    }
}

/// How many words a text has. Scripts without spaces have words of two or three characters.
fn length_of(text: &str) -> f32 {
    const CHARACTERS_PER_WORD: f32 = 2.5;
    let dense = text.chars().filter(|c| *c > '\u{3000}').count();
    text.split_whitespace().count() as f32 + dense as f32 / CHARACTERS_PER_WORD
}

/// They ask for an explanation.
#[rustfmt::skip]
static EXPLAIN: &[&str] = &[
    "explain", "explanation", "explained", "describe", "meaning", "means", "mean", "difference",
    "differ", "differs", "understand", "erklar", "erklare", "erklaren", "bedeutet", "bedeutung",
    "unterschied", "verstehe", "explique", "expliquer", "signifie", "explica", "explicar", "significa",
    "diferencia", "explicame", "significado", "diferenca", "説明", "意味", "違い", "解释", "区别", "意思",
];

/// They ask for something that needs no knowledge of the project.
#[rustfmt::skip]
static MECHANICAL: &[&str] = &[
    "rename", "renames", "reformat", "format", "formats", "formatting", "sort", "sorts",
    "alphabetically", "indent", "indentation", "typo", "typos", "docstring", "docstrings", "kdoc",
    "javadoc", "rustdoc", "comment", "comments", "translate", "shorten", "undo", "revert", "unused",
    "whitespace", "umbenennen", "benenne", "umbenenne", "formatiere", "formatieren", "sortiere",
    "sortieren", "tippfehler", "kommentar", "kommentare", "ubersetze", "ubersetz", "kurze",
    "ruckgangig", "renomme", "renommer", "formate", "trie", "trier", "coquille", "commentaire",
    "traduis", "raccourcis", "annule", "renombra", "renombrar", "formatea", "ordena", "errata",
    "comentario", "traduce", "acorta", "deshaz", "renomeia", "traduz", "誤字", "コメント", "整形", "翻訳", "名前",
    "注释", "重命名", "翻译", "错别字",
];

/// They ask what is there.
#[rustfmt::skip]
static LOOK: &[&str] = &[
    "show", "shows", "list", "lists", "print", "count", "counts", "many", "who", "whose", "last",
    "latest", "history", "blame", "log", "commits", "commit", "diff", "branch", "git", "cherry",
    "squash", "rebase", "stash", "grep", "where", "which", "zeig", "zeige", "liste", "zahle", "viele",
    "wer", "letzte", "letzten", "montre", "affiche", "combien", "qui", "dernier", "derniers",
    "muestra", "muestrame", "lista", "cuantos", "cuantas", "quien", "ultimo", "ultimos", "mostra",
    "quantos", "quem", "一覧", "見せ", "誰", "列出", "显示", "谁",
];

/// They thank or agree.
#[rustfmt::skip]
static SOCIAL: &[&str] = &[
    "thanks", "thank", "ok", "okay", "continue", "yes", "great", "perfect", "good", "please", "danke",
    "weiter", "gut", "merci", "parfait", "gracias", "perfecto", "obrigado", "continua", "ありかとう", "続け",
    "谢谢", "继续",
];

/// They ask.
#[rustfmt::skip]
static QUESTION: &[&str] = &[
    "general", "idiomatic", "example", "regex", "regexp", "syntax", "how", "what", "why", "does", "do",
    "wie", "was", "warum", "comment", "quoi", "pourquoi", "como", "que", "por", "とう", "何", "なせ", "怎么",
    "什么", "为什么",
];

/// They give a task.
#[rustfmt::skip]
static TASK: &[&str] = &[
    "add", "write", "implement", "make", "create", "build", "change", "replace", "remove", "delete",
    "move", "use", "put", "set", "let", "send", "store", "deploy", "release", "migrate", "upgrade",
    "bump", "switch", "enable", "disable", "open", "fuge", "schreibe", "baue", "andere", "entferne",
    "ajoute", "ecris", "cree", "supprime", "remplace", "anade", "escribe", "crea", "cambia", "elimina",
    "adiciona", "追加", "書いて", "作って", "削除", "変更", "添加", "写", "删除",
];

#[cfg(test)]
mod tests {
    use super::Intent;

    #[test]
    fn the_same_request_is_understood_in_several_languages() {
        for prompt in ["Rename it to total", "Renomme cette variable", "この関数のコメントを直して"]
        {
            assert_eq!(Intent::of(prompt).mechanical, 1.0, "{prompt}");
        }
        for prompt in ["Explain this loop", "Erkläre mir das", "¿Qué significa?", "説明してください"]
        {
            assert_eq!(Intent::of(prompt).explain, 1.0, "{prompt}");
        }
        let words = Intent::of("deploy the hotfix tonight").words;
        assert_eq!(words, 5.0_f32.ln());
        assert_eq!(Intent::of("deploy the hotfix tonight"), Intent { task: 1.0, words, ..Intent::default() });
        assert!(Intent::of("説明してください").words > 1.5, "a language without spaces has words, too");
    }
}
