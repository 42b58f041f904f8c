//! `memdir update`: a newer program in the place of this one.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use camino::Utf8Path;
use clap::Parser;
use flate2::read::GzDecoder;
use memdir_core::look::Look;
use memdir_disk::program_file::replace_program;
use memdir_disk::real_look::RealLook;
use memdir_disk::real_path::real_path;
use memdir_sync::http::bounded_process::{RunError, run};
use sha2::{Digest, Sha256};

use super::Run;
use crate::archive::ArchiveFormat;
use crate::exit::Exit;
use crate::world::World;

/// Replace memdir with a newer version
#[derive(Debug, Parser)]
#[command(
    name = "update",
    after_help = "Asks where the releases are, and only when you type this. What arrives is compared with the checksum in the list of the
release; a program that does not start leaves the old one in place. If a package manager installed memdir, this names the
command that updates it.

Examples:
  memdir update --check
  memdir update"
)]
pub(crate) struct Update {
    /// Say whether there is a newer version, and change nothing
    #[arg(long)]
    check: bool,
    /// The folder or the address (https) of a release
    #[arg(long, value_name = "FOLDER|URL")]
    from: Option<String>,
}

/// The same as `--from`.
const DOWNLOADS: &str = "MEMDIR_DOWNLOADS";
/// Where the newest release is; only a build that is published knows it.
const RELEASES: Option<&str> = option_env!("MEMDIR_RELEASES");
/// What this program was built for, as the names of archives have it.
const TARGET: &str = env!("MEMDIR_TARGET");
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");
/// No list of checksums and no archive is larger.
const MOST_LIST: u64 = 1 << 20;
const MOST_ARCHIVE: u64 = 64 << 20;

impl Run for Update {
    fn run(self, world: &mut World) -> Result<Exit> {
        let own = world.program.clone().context("cannot find this program's own file")?;
        let own = real_path(&own).unwrap_or(own);
        if let Some((manager, command)) = manager_of(&own) {
            if self.from.is_some() {
                bail!("{manager} installed `{own}`, so memdir does not replace it\nhint: {command}");
            }
            writeln!(
                world.stdout,
                "memdir {OWN_VERSION}, installed by {manager}. Update it with:\n  {command}"
            )?;
            return Ok(Exit::Yes);
        }
        let named = self.from.as_deref().or_else(|| world.vars.get(DOWNLOADS).map(String::as_str));
        let Some(from) = named.or(RELEASES).map(|from| from.trim_end_matches('/').to_owned()) else {
            writeln!(
                world.stdout,
                "memdir {OWN_VERSION}. This build knows no address of releases; pass one with --from."
            )?;
            return Ok(Exit::Yes);
        };
        let sums = fetch(&from, "SHA256SUMS", MOST_LIST)?;
        let Some(found) = newest(&String::from_utf8_lossy(&sums)) else {
            bail!("`{from}` has no memdir for {TARGET}");
        };
        if found.version <= Version::parse(OWN_VERSION).unwrap_or_default() {
            writeln!(world.stdout, "memdir {OWN_VERSION} is up to date.")?;
            return Ok(Exit::Yes);
        }
        if self.check {
            writeln!(
                world.stdout,
                "memdir {} is there; this is {OWN_VERSION}. `memdir update` replaces it.",
                found.text
            )?;
            return Ok(Exit::Yes);
        }
        let archive = fetch(&from, &found.archive, MOST_ARCHIVE)?;
        let sum: String = Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
        if sum != found.sha256 {
            bail!(
                "`{}` has the checksum {sum}, but the list says {}: nothing was replaced",
                found.archive,
                found.sha256
            );
        }
        let program = program_in(&archive, &found.archive)?;
        let says = format!("memdir {}", found.text);
        replace_program(&own, &program, |file| said_by(file).is_some_and(|said| said.trim() == says))?;
        writeln!(world.stdout, "Updated `{own}` from {OWN_VERSION} to {}.", found.text)?;
        Ok(Exit::Yes)
    }
}

/// Which package manager a program belongs to, by where it lies, and what updates it there.
fn manager_of(program: &Utf8Path) -> Option<(&'static str, &'static str)> {
    let path = program.as_str().replace('\\', "/");
    let places = [
        ("/node_modules/", "npm", "npm install -g memdir"),
        ("/uv/tools/", "uv", "uv tool upgrade memdir"),
        ("/pipx/venvs/", "pipx", "pipx upgrade memdir"),
        ("/Cellar/", "Homebrew", "brew upgrade memdir"),
        ("/nix/store/", "Nix", "nix profile upgrade memdir"),
        ("/scoop/apps/", "Scoop", "scoop update memdir"),
        ("/Microsoft/WinGet/", "winget", "winget upgrade memdir.memdir"),
        ("/.cargo/bin/", "Cargo", "cargo binstall memdir"),
    ];
    if let Some((_, manager, command)) = places.into_iter().find(|(place, ..)| path.contains(place)) {
        return Some((manager, command));
    }
    let is_there = |path: &str| RealLook.kind(Utf8Path::new(path)).is_some();
    if path == "/usr/bin/memdir" && is_there("/var/lib/dpkg/info/memdir.list") {
        return Some(("dpkg", "apt install memdir"));
    }
    // The wheel puts the program beside the interpreter of its environment.
    let is_environment = program
        .parent()
        .and_then(Utf8Path::parent)
        .is_some_and(|root| is_there(root.join("pyvenv.cfg").as_str()));
    is_environment.then_some(("pip", "pip install --upgrade memdir"))
}

/// A version as numbers; one with a suffix comes before the same without.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Version([u64; 3], bool, String);

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let (numbers, suffix) = text.split_once('-').unwrap_or((text, ""));
        let mut parts = numbers.split('.').map(|part| part.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then(|| Self(numbers, suffix.is_empty(), suffix.to_owned()))
    }
}

/// An archive that a list of checksums names.
#[derive(Debug, PartialEq, Eq)]
struct Release {
    version: Version,
    text: String,
    archive: String,
    sha256: String,
}

/// The newest archive for this system in a list of checksums.
fn newest(sums: &str) -> Option<Release> {
    let found = sums.lines().filter_map(|line| {
        let (sha256, archive) = line.split_once("  ")?;
        let ending = [".tar.gz", ".zip"].iter().find_map(|ending| archive.strip_suffix(ending))?;
        let text = ending.strip_prefix("memdir-")?.strip_suffix(TARGET)?.strip_suffix('-')?;
        let (version, text) = (Version::parse(text)?, text.to_owned());
        Some(Release { version, text, archive: archive.to_owned(), sha256: sha256.to_lowercase() })
    });
    found.max_by(|one, other| one.version.cmp(&other.version))
}

/// A file of a release, from a folder or over HTTPS. The system's `curl` follows where the address leads.
fn fetch(from: &str, name: &str, most: u64) -> Result<Vec<u8>> {
    if !from.contains("://") {
        let path = Utf8Path::new(from).join(name);
        return RealLook.read(&path, most).with_context(|| format!("cannot read `{path}`"));
    }
    let address = format!("{from}/{name}");
    let mut curl = Command::new("curl");
    curl.args(["-q", "-fsSL", "--proto", "=https", "--proto-redir", "=https", "--", &address]);
    match run(curl, String::new(), Duration::from_secs(300), usize::try_from(most)?) {
        Ok(finished) if finished.status.success() => Ok(finished.output),
        Ok(finished) => bail!("cannot download `{address}`: {}", finished.complaint.trim()),
        Err(RunError::Start(error)) => bail!("cannot start `curl` to download `{address}`: {error}"),
        Err(RunError::TimedOut) => bail!("cannot download `{address}`: it takes longer than five minutes"),
        Err(RunError::TooLong) => bail!("cannot download `{address}`: it has more than {most} bytes"),
        Err(RunError::Read(error)) => bail!("cannot download `{address}`: {error}"),
    }
}

/// The program in an archive of a release.
fn program_in(archive: &[u8], name: &str) -> Result<Vec<u8>> {
    let wanted = format!("memdir{}", std::env::consts::EXE_SUFFIX);
    let is_wanted = |path: &str| path.rsplit('/').next() == Some(wanted.as_str());
    if name.ends_with(".zip") {
        let files = ArchiveFormat::Zip.unpack(archive)?;
        let found = files.into_iter().find(|(path, _)| is_wanted(path));
        return found.map(|(_, content)| content).with_context(|| format!("`{name}` holds no {wanted}"));
    }
    let mut tar = tar::Archive::new(GzDecoder::new(archive).take(4 * MOST_ARCHIVE));
    for entry in tar.entries()? {
        let mut entry = entry?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if entry.header().entry_type() == tar::EntryType::Regular && is_wanted(&path) {
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            return Ok(content);
        }
    }
    bail!("`{name}` holds no {wanted}")
}

/// What a program says when it is asked for its version; `None` if it does not start.
fn said_by(program: &Utf8Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_archive_for_this_system_counts() {
        let line = |version: &str, target: &str| format!("AB  memdir-{version}-{target}.tar.gz\n");
        let sums = line("0.9.0", TARGET) + &line("0.10.0-rc.1", TARGET) + &line("9.0.0", "other") + "x";
        let found = newest(&sums).unwrap();
        assert_eq!((found.text.as_str(), found.sha256.as_str()), ("0.10.0-rc.1", "ab"));
        assert_eq!(newest(&line("1.0", TARGET)), None);
        let version = |text| Version::parse(text).unwrap();
        assert!(version("1.0.0-rc.1") < version("1.0.0") && version("0.9.0") < version("0.10.0"));
    }

    #[test]
    fn a_package_manager_is_known_by_the_place() {
        let manager = |path: &str| manager_of(Utf8Path::new(path)).map(|(manager, _)| manager);
        assert_eq!(manager("/usr/lib/node_modules/@memdir/linux-x64/memdir"), Some("npm"));
        assert_eq!(manager(r"C:\Users\x\scoop\apps\memdir\current\memdir.exe"), Some("Scoop"));
        assert_eq!(manager("/home/x/.cargo/bin/memdir"), Some("Cargo"));
        assert_eq!(manager("/home/x/.local/bin/memdir"), None);
    }
}
