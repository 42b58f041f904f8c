//! English forms that no rule of endings brings together.

/// The form under which an irregular one is found.
pub(super) fn base_form(word: &str) -> Option<&'static str> {
    let at = FORMS.binary_search_by_key(&word, |(form, _)| form).ok()?;
    FORMS.get(at).map(|(_, base)| *base)
}

/// Sorted by the irregular form.
#[rustfmt::skip]
static FORMS: &[(&str, &str)] = &[
    ("analyses", "analysis"), ("ate", "eat"), ("became", "become"), ("began", "begin"), ("begun", "begin"),
    ("bent", "bend"), ("best", "good"), ("better", "good"), ("bit", "bite"), ("bitten", "bite"),
    ("blew", "blow"), ("blown", "blow"), ("bought", "buy"), ("broke", "break"), ("broken", "break"),
    ("brought", "bring"), ("built", "build"), ("burnt", "burn"), ("caught", "catch"), ("children", "child"),
    ("chose", "choose"), ("chosen", "choose"), ("criteria", "criterion"), ("dealt", "deal"),
    ("died", "die"), ("drank", "drink"), ("drawn", "draw"), ("drew", "draw"), ("driven", "drive"),
    ("drove", "drive"), ("drunk", "drink"), ("dug", "dig"), ("dying", "die"), ("eaten", "eat"),
    ("fallen", "fall"), ("fed", "feed"), ("feet", "foot"), ("fell", "fall"), ("felt", "feel"),
    ("flew", "fly"), ("flown", "fly"), ("forgave", "forgive"), ("forgot", "forget"),
    ("forgotten", "forget"), ("fought", "fight"), ("found", "find"), ("froze", "freeze"),
    ("frozen", "freeze"), ("geese", "goose"), ("grew", "grow"), ("grown", "grow"), ("heard", "hear"),
    ("held", "hold"), ("hid", "hide"), ("hidden", "hide"), ("hung", "hang"), ("indices", "index"),
    ("knew", "know"), ("knives", "knife"), ("known", "know"), ("laid", "lay"), ("leant", "lean"),
    ("learnt", "learn"), ("leaves", "leaf"), ("led", "lead"), ("left", "leave"), ("lent", "lend"),
    ("lit", "light"), ("lives", "life"), ("loaves", "loaf"), ("lost", "lose"), ("lying", "lie"),
    ("matrices", "matrix"), ("meant", "mean"), ("men", "man"), ("met", "meet"), ("mice", "mouse"),
    ("overcame", "overcome"), ("overridden", "override"), ("overrode", "override"), ("paid", "pay"),
    ("people", "person"), ("proven", "prove"), ("ran", "run"), ("rang", "ring"), ("rebuilt", "rebuild"),
    ("rewritten", "rewrite"), ("rewrote", "rewrite"), ("ridden", "ride"), ("risen", "rise"),
    ("rode", "ride"), ("rose", "rise"), ("sang", "sing"), ("sent", "send"), ("shaken", "shake"),
    ("shelves", "shelf"), ("shone", "shine"), ("shook", "shake"), ("shot", "shoot"), ("shown", "show"),
    ("shrank", "shrink"), ("slept", "sleep"), ("slid", "slide"), ("sold", "sell"), ("sought", "seek"),
    ("spent", "spend"), ("spoke", "speak"), ("spoken", "speak"), ("sprang", "spring"), ("stole", "steal"),
    ("stolen", "steal"), ("stood", "stand"), ("struck", "strike"), ("stuck", "stick"), ("sung", "sing"),
    ("swam", "swim"), ("swept", "sweep"), ("swore", "swear"), ("sworn", "swear"), ("swum", "swim"),
    ("taught", "teach"), ("teeth", "tooth"), ("thieves", "thief"), ("thought", "think"), ("threw", "throw"),
    ("thrown", "throw"), ("told", "tell"), ("tore", "tear"), ("torn", "tear"), ("tying", "tie"),
    ("understood", "understand"), ("vertices", "vertex"), ("withdrew", "withdraw"), ("wives", "wife"),
    ("woke", "wake"), ("woken", "wake"), ("wolves", "wolf"), ("women", "woman"), ("won", "win"),
    ("wore", "wear"), ("worn", "wear"), ("worse", "bad"), ("worst", "bad"), ("written", "write"),
    ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_sorted() {
        assert!(super::FORMS.is_sorted());
    }
}
