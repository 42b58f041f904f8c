//! Every corpus of the fuzz targets, replayed.

use crate::parsers::TARGETS;

#[test]
#[expect(clippy::disallowed_methods, reason = "the corpora are files of this crate")]
fn every_input_of_every_corpus_passes() {
    let corpora = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for (name, body) in TARGETS {
        let inputs: Vec<_> =
            std::fs::read_dir(corpora.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!inputs.is_empty(), "{name}");
        for input in inputs {
            body(&std::fs::read(&input).unwrap());
        }
    }
}
