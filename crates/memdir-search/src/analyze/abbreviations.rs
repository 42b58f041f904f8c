//! Short forms that programmers write for longer words.

/// The word that an abbreviation means.
pub(super) fn long_form(word: &str) -> Option<&'static str> {
    let at = FORMS.binary_search_by_key(&word, |(form, _)| form).ok()?;
    FORMS.get(at).map(|(_, long)| *long)
}

/// Sorted by the short form. Only forms that mean one thing.
#[rustfmt::skip]
static FORMS: &[(&str, &str)] = &[
    ("admin", "administrator"), ("app", "application"), ("apps", "application"), ("arg", "argument"),
    ("args", "argument"), ("arr", "array"), ("async", "asynchronous"), ("attr", "attribute"),
    ("attrs", "attribute"), ("avg", "average"), ("bool", "boolean"), ("btn", "button"),
    ("calc", "calculate"), ("cfg", "configuration"), ("char", "character"), ("chars", "character"),
    ("cmd", "command"), ("cmds", "command"), ("col", "column"), ("cols", "column"),
    ("conf", "configuration"), ("config", "configuration"), ("configs", "configuration"),
    ("ctx", "context"), ("cur", "current"), ("curr", "current"), ("db", "database"), ("dbs", "database"),
    ("del", "delete"), ("deps", "dependency"), ("desc", "description"), ("dest", "destination"),
    ("dev", "development"), ("dict", "dictionary"), ("dicts", "dictionary"), ("diff", "difference"),
    ("dir", "directory"), ("dirs", "directory"), ("doc", "document"), ("docs", "document"),
    ("dst", "destination"), ("elem", "element"), ("env", "environment"), ("err", "error"),
    ("errs", "error"), ("exec", "execute"), ("fmt", "format"), ("fn", "function"), ("fns", "function"),
    ("freq", "frequency"), ("func", "function"), ("funcs", "function"), ("idx", "index"), ("img", "image"),
    ("imgs", "image"), ("impl", "implement"), ("info", "information"), ("init", "initialize"),
    ("int", "integer"), ("ints", "integer"), ("iter", "iterate"), ("js", "javascript"),
    ("k8s", "kubernetes"), ("lang", "language"), ("len", "length"), ("lib", "library"), ("libs", "library"),
    ("max", "maximum"), ("mem", "memory"), ("mgr", "manager"), ("min", "minimum"), ("mongodb", "mongo"),
    ("msg", "message"), ("msgs", "message"), ("num", "number"), ("nums", "number"), ("obj", "object"),
    ("objs", "object"), ("param", "parameter"), ("params", "parameter"), ("passwd", "password"),
    ("perms", "permission"), ("pg", "postgres"), ("pic", "picture"), ("pics", "picture"),
    ("pkg", "package"), ("pos", "position"), ("postgresql", "postgres"), ("prev", "previous"),
    ("proc", "process"), ("prod", "production"), ("ptr", "pointer"), ("pwd", "password"), ("py", "python"),
    ("ref", "reference"), ("refs", "reference"), ("regexp", "regex"), ("repo", "repository"),
    ("repos", "repository"), ("req", "request"), ("resp", "response"), ("rm", "remove"),
    ("spec", "specification"), ("specs", "specification"), ("src", "source"), ("str", "string"),
    ("strs", "string"), ("temp", "temporary"), ("tmp", "temporary"), ("ts", "typescript"), ("txt", "text"),
    ("usr", "user"), ("util", "utility"), ("utils", "utility"), ("val", "value"), ("vals", "value"),
    ("var", "variable"), ("vars", "variable"), ("ver", "version"), ("vs", "versus"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_sorted() {
        assert!(super::FORMS.is_sorted());
    }
}
