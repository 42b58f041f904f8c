//! Words that nearly every request to a coding agent holds. They say what is to be done, not what it is about.

/// Whether a term, already stemmed, is one of them.
pub(super) fn is_common(stem: &str) -> bool {
    // Japanese writes endings and particles in hiragana.
    let is_hiragana = |c: char| ('\u{3041}'..='\u{309f}').contains(&c);
    COMMON.binary_search(&stem).is_ok()
        || FOREIGN.binary_search(&stem).is_ok()
        || !stem.is_empty() && stem.chars().all(is_hiragana)
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

/// Function words and the words of every request in German, French, Spanish, Portuguese, Italian and Dutch, as the
/// analyzer leaves them. Words that mean something else in English are left out. Sorted.
#[rustfmt::skip]
static FOREIGN: &[&str] = &[
    "aan", "aber", "adiciona", "adicionar", "aggiungi", "agora", "ahi", "ahora", "ajout", "al", "ali",
    "all", "allem", "alli", "alor", "altijd", "altro", "anad", "anadir", "anch", "ander", "anderen",
    "ant", "ao", "apr", "aquel", "aqui", "archivo", "arquivo", "au", "auch", "auf", "aus", "aussi",
    "autr", "aux", "avait", "avant", "avec", "aver", "avoir", "bajo", "baue", "bedankt", "bei", "beim",
    "bien", "bij", "bis", "bist", "bitt", "ca", "cada", "cambia", "carpeta", "ce", "cela", "ces",
    "cet", "cett", "chaqu", "che", "chez", "chi", "ci", "clase", "class", "com", "combien", "come",
    "comm", "comment", "como", "con", "contr", "correggi", "corrig", "crea", "cree", "cria", "cual",
    "cuando", "cuanto", "da", "daar", "dabei", "damit", "dan", "dank", "dann", "daran", "darauf",
    "darf", "das", "dass", "dat", "datei", "davon", "dazu", "de", "debe", "debo", "dei", "dein",
    "deja", "dell", "della", "dem", "den", "denn", "depui", "der", "des", "desd", "deux", "deve",
    "devoir", "deze", "di", "dich", "dies", "diesem", "diesen", "dieser", "dit", "doch", "doi", "doit",
    "donc", "dond", "door", "dort", "dos", "dossier", "dove", "du", "durch", "durfen", "eat", "ecri",
    "ecrir", "ed", "een", "ein", "einem", "einen", "einer", "el", "ela", "ele", "ell", "ella", "ello",
    "em", "en", "encor", "entao", "entonc", "entr", "er", "era", "eran", "erklar", "erreur", "erro",
    "es", "esa", "escrev", "escrib", "escribir", "ese", "eso", "ess", "essa", "esser", "est", "esta",
    "estan", "estao", "estar", "esto", "et", "etait", "etr", "etwa", "eu", "euch", "explica",
    "expliqu", "fa", "fair", "fait", "fare", "faut", "favor", "faz", "fazer", "fehler", "ficheiro",
    "fichero", "fichier", "fonction", "fra", "fuge", "funcao", "funcion", "funktion", "fur", "ganz",
    "gegen", "geht", "gerad", "gern", "gia", "gibt", "gli", "gracia", "grazi", "ha", "haben", "haber",
    "habia", "hace", "hacer", "hacia", "han", "hanno", "hasta", "hatt", "hay", "hebben", "heeft",
    "heel", "het", "hier", "hij", "hin", "hoe", "ich", "ici", "ihm", "ihn", "ihnen", "ihr", "ihren",
    "ik", "il", "immer", "in", "io", "isso", "ist", "isto", "ja", "jamai", "je", "jede", "jeder",
    "jetzt", "jij", "jou", "jouw", "kan", "kann", "kein", "keinen", "klass", "konnen", "konnt",
    "kunnen", "la", "las", "le", "lei", "les", "leur", "lhe", "lign", "linea", "linha", "lista", "lo",
    "loro", "los", "luego", "lui", "ma", "maar", "mach", "machen", "macht", "mag", "mai", "mal", "mas",
    "meer", "meet", "mehr", "mein", "meinen", "meme", "meno", "merci", "mes", "mesma", "mesmo", "met",
    "mettr", "meu", "mi", "mia", "mich", "mij", "mijn", "minha", "mio", "mir", "mis", "misma", "mismo",
    "mit", "mocht", "moet", "moeten", "molto", "mon", "montr", "mostra", "mucho", "muda", "muestra",
    "muito", "muss", "mussen", "muy", "na", "naar", "nach", "namen", "nao", "nas", "ne", "necesito",
    "nein", "nel", "nella", "neu", "neue", "neuen", "ni", "nicht", "niet", "no", "noch", "nochmal",
    "nog", "noi", "nom", "nombr", "nome", "non", "nooit", "nos", "nosotro", "nossa", "nosso", "notr",
    "nous", "nouveau", "nouvell", "nova", "novo", "nu", "nuestra", "nuestro", "nueva", "nuevo", "nun",
    "nunca", "nur", "ob", "obrigado", "oder", "ogni", "ohn", "om", "on", "ond", "ont", "ook", "op",
    "ora", "ordner", "os", "otra", "otro", "ou", "oui", "outra", "outro", "over", "par", "para", "pas",
    "pasta", "pendant", "perch", "pero", "peut", "peux", "piu", "plait", "plus", "poco", "pode",
    "poder", "poe", "poi", "pon", "por", "porqu", "posso", "pouco", "pourquoi", "pouvoir", "preciso",
    "pued", "puedo", "puo", "qual", "quand", "quando", "quanto", "que", "quel", "quell", "quella",
    "quello", "quem", "quero", "questa", "questo", "qui", "quien", "quiero", "quoi", "sa", "san",
    "sao", "schon", "schreib", "scrivi", "se", "sehr", "sein", "seinen", "seit", "selbst", "sem",
    "sempr", "senza", "ser", "ses", "seu", "si", "sich", "sie", "siempr", "sind", "sobr", "soll",
    "sollen", "sollt", "solo", "sono", "sonst", "sont", "sous", "spiega", "statt", "stesso", "su",
    "sua", "suo", "sur", "sus", "ta", "tambem", "tambien", "tampoco", "te", "tem", "tener", "tengo",
    "ter", "tes", "texto", "ti", "tien", "toda", "todo", "ton", "toujour", "tous", "tout", "tra",
    "tras", "tres", "tu", "tus", "tutti", "tutto", "uber", "uberhaupt", "uit", "um", "uma", "un",
    "una", "und", "une", "uno", "unser", "unter", "va", "vai", "van", "ver", "veux", "vi", "viel",
    "voce", "voi", "vom", "von", "voor", "vor", "vos", "votr", "vou", "voudrai", "vous", "voy", "waar",
    "waarom", "wann", "wanneer", "ware", "waren", "warum", "wat", "weil", "welch", "welcher", "welk",
    "wenn", "wer", "werden", "wie", "wieder", "wij", "wir", "wird", "wo", "wohin", "wollen", "worden",
    "wordt", "wurd", "ya", "yo", "zeig", "zeil", "zij", "zijn", "zonder", "zu", "zum", "zur", "zwei",
    "zwischen",
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_lists_are_sorted() {
        assert!(super::COMMON.is_sorted() && super::FOREIGN.is_sorted());
        assert!(super::is_common("いて") && !super::is_common("漢字"));
    }
}
