//! Words that say how a sentence is built rather than what it is about.

/// How much a word says about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Nothing: it is not indexed.
    None,
    /// Little: it helps to tell apart what the other words find.
    Little,
    /// As much as its rarity says.
    Full,
}

/// How much a folded word says.
pub(super) fn weight(word: &str) -> Weight {
    let letter = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if letter || NOTHING.binary_search(&word).is_ok() {
        Weight::None
    } else if LITTLE.binary_search(&word).is_ok() {
        Weight::Little
    } else {
        Weight::Full
    }
}

/// Sorted. Question words and the verbs that questions are built with belong to it: without them a question
/// finds other questions instead of its answer.
#[rustfmt::skip]
static NOTHING: &[&str] = &[
    "about", "above", "ago", "ah", "almost", "alone", "already", "also", "although", "am", "among", "an",
    "and", "another", "anybody", "anyone", "anything", "anyway", "anywhere", "are", "arent", "as", "at",
    "away", "aye", "be", "became", "because", "become", "becomes", "been", "behind", "being", "below",
    "beside", "besides", "beyond", "but", "by", "can", "cannot", "cant", "could", "couldnt", "did", "didnt",
    "do", "does", "doesnt", "doing", "done", "dont", "during", "either", "etc", "even", "ever", "everybody",
    "everyone", "everything", "everywhere", "for", "further", "gonna", "gotta", "gotten", "had", "hadnt",
    "has", "hasnt", "have", "havent", "having", "he", "hed", "hello", "hence", "her", "here", "heres",
    "hers", "herself", "hes", "hey", "hi", "him", "himself", "his", "how", "however", "hows", "id", "ie",
    "if", "ill", "im", "in", "indeed", "instead", "is", "isnt", "it", "itd", "itll", "its", "itself", "ive",
    "lately", "lest", "let", "lets", "mainly", "may", "maybe", "me", "might", "mine", "moreover", "mostly",
    "must", "mustnt", "my", "myself", "nearly", "neither", "nevertheless", "nobody", "none", "nor",
    "nothing", "now", "nowhere", "of", "often", "oh", "ok", "okay", "on", "once", "onto", "or", "otherwise",
    "our", "ours", "ourselves", "per", "perhaps", "please", "probably", "quite", "rather", "re", "really",
    "regarding", "seem", "seemed", "seems", "several", "shall", "shant", "she", "shed", "shell", "shes",
    "should", "shouldnt", "so", "some", "somebody", "somehow", "someone", "something", "sometime",
    "sometimes", "somewhere", "soon", "such", "sure", "than", "thank", "thanks", "that", "thatd", "thatll",
    "thats", "the", "their", "theirs", "them", "themselves", "then", "there", "therefore", "theres",
    "these", "they", "theyd", "theyll", "theyre", "theyve", "this", "those", "though", "throughout", "thus",
    "till", "to", "too", "toward", "towards", "unless", "unlike", "upon", "us", "usually", "various", "ve",
    "very", "was", "wasnt", "we", "wed", "were", "werent", "weve", "what", "whatever", "whats", "when",
    "whenever", "where", "wheres", "wherever", "whether", "which", "whichever", "who", "whod", "whoever",
    "whole", "wholl", "whom", "whos", "whose", "why", "will", "wish", "with", "wont", "would", "wouldnt",
    "wow", "yeah", "yep", "yes", "yet", "you", "youd", "youll", "your", "youre", "yours", "yourself",
    "yourselves", "youve",
];

/// Sorted. Words that are empty in talk and mean something in code: `get`, `between`, `last`.
#[rustfmt::skip]
static LITTLE: &[&str] = &[
    "across", "after", "again", "against", "all", "along", "always", "any", "around", "before", "between",
    "both", "came", "come", "comes", "coming", "down", "each", "else", "enough", "every", "few", "first",
    "from", "gave", "get", "gets", "getting", "give", "given", "gives", "giving", "go", "goes", "going",
    "gone", "got", "happen", "happened", "happening", "happens", "into", "just", "keep", "keeps", "kept",
    "kind", "last", "least", "less", "like", "likely", "likes", "lot", "lots", "made", "make", "makes",
    "making", "many", "mean", "means", "more", "most", "much", "never", "next", "no", "not", "off", "one",
    "ones", "only", "other", "others", "out", "over", "own", "put", "said", "same", "saw", "say", "saying",
    "says", "see", "seen", "set", "since", "still", "take", "taken", "takes", "taking", "tell", "tells",
    "thing", "things", "think", "through", "together", "took", "tried", "tries", "try", "trying", "under",
    "until", "up", "use", "used", "uses", "using", "via", "want", "wanted", "wants", "way", "well", "went",
    "while", "within", "without",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_apart() {
        assert!(NOTHING.is_sorted() && LITTLE.is_sorted());
        assert!(NOTHING.iter().all(|word| LITTLE.binary_search(word).is_err()));
    }
}
