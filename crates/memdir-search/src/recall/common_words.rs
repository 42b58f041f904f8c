//! Words that nearly every request to a coding agent holds. They say what is to be done, not what it is about.

/// Whether a term, already stemmed, is one of them.
pub(super) fn is_common(stem: &str) -> bool {
    COMMON.binary_search(&stem).is_ok()
}

/// Sorted stems.
#[rustfmt::skip]
static COMMON: &[&str] = &[
    "add", "adjust", "allow", "anoth", "answer", "anyth", "append", "apply", "ask", "avail", "back", "bad",
    "better", "big", "bit", "bug", "build", "call", "case", "chang", "check", "clean", "clear", "code",
    "complet", "contain", "continu", "convert", "copi", "correct", "count", "creat", "current", "debug",
    "defin", "delet", "describ", "detail", "differ", "difficult", "direct", "directori", "document", "done",
    "duplic", "easi", "edit", "empti", "end", "enough", "ensur", "error", "exact", "exampl", "except",
    "exist", "expect", "explain", "explan", "fail", "failur", "featur", "field", "file", "final", "find",
    "fine", "fix", "folder", "follow", "found", "full", "function", "generat", "good", "great", "handl",
    "hello", "help", "idea", "implement", "import", "improv", "includ", "inform", "input", "insert",
    "insid", "instead", "interest", "issu", "item", "kind", "know", "larg", "let", "letter", "line", "list",
    "littl", "load", "local", "long", "look", "loop", "main", "mani", "mean", "method", "miss", "modul",
    "more", "move", "name", "need", "new", "nice", "note", "noth", "number", "object", "old", "open",
    "option", "order", "output", "paragraph", "parameter", "part", "path", "perform", "person", "place",
    "plan", "please", "point", "possibl", "print", "problem", "process", "project", "proper", "provid",
    "put", "question", "quick", "read", "reason", "refactor", "refer", "remov", "renam", "replac", "report",
    "request", "requir", "rest", "result", "return", "review", "rewrit", "right", "run", "same", "save",
    "script", "second", "seem", "select", "separ", "show", "similar", "simpl", "simplifi", "singl", "size",
    "skip", "small", "solut", "solv", "some", "sort", "source", "specif", "split", "start", "state",
    "statement", "step", "stop", "string", "structur", "suggest", "summar", "sure", "task", "tell", "test",
    "text", "thank", "thing", "time", "togeth", "tri", "turn", "typ", "type", "understand", "undo", "unit",
    "updat", "us", "use", "user", "valu", "variabl", "version", "view", "wait", "want", "way", "well",
    "word", "work", "write", "wrong", "yes",
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_sorted() {
        assert!(super::COMMON.is_sorted());
    }
}
