#!/bin/sh
# Installs memdir @VERSION@ into ~/.local/bin: downloads one archive, compares its checksum, copies one file.
#
#   curl -fsSL @URL@/install.sh | sh
#
# MEMDIR_INSTALL_DIR   another directory for the program
# MEMDIR_DOWNLOADS     another address of the archives; a local directory works too
set -eu

# In a function, so that a download that breaks off runs nothing.
main() {
  downloads=${MEMDIR_DOWNLOADS:-@URL@}
  into=${MEMDIR_INSTALL_DIR:-$HOME/.local/bin}
  target=$(this_system)
  expected=$(checksum_of "$target")
  [ -n "$expected" ] || fail "there is no program for $target; build it: cargo install memdir"
  temporary=$(mktemp -d)
  trap 'rm -rf "$temporary"' EXIT
  name=memdir-@VERSION@-$target
  fetch "$downloads/$name.tar.gz" "$temporary/archive"
  actual=$(sha256 "$temporary/archive")
  [ "$actual" = "$expected" ] || fail "the checksum of $downloads/$name.tar.gz is $actual, expected $expected"
  tar -xzf "$temporary/archive" -C "$temporary"
  mkdir -p "$into"
  # Copied beside and renamed, so that a running memdir is replaced as a whole.
  cp "$temporary/$name/memdir" "$into/.memdir.new"
  chmod 755 "$into/.memdir.new"
  mv -f "$into/.memdir.new" "$into/memdir"
  echo "installed $("$into/memdir" --version) as $into/memdir"
  case ":$PATH:" in
    *":$into:"*) echo 'next: memdir setup' ;;
    *) echo "hint: $into is not on the PATH; add it in your shell's profile: export PATH=\"$into:\$PATH\"" ;;
  esac
}

this_system() {
  case $(uname -m) in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail "there is no program for the processor $(uname -m)" ;;
  esac
  case $(uname -s) in
    Linux) echo "$processor-unknown-linux-gnu" ;;
    Darwin) echo "$processor-apple-darwin" ;;
    *) fail "there is no program for $(uname -s)" ;;
  esac
}

checksum_of() {
  case $1 in
@CHECKSUMS@
  esac
}

fetch() {
  case $1 in
    *://*)
      if command -v curl >/dev/null; then
        curl -fsSL --proto '=https' -o "$2" "$1"
      else
        wget -q -O "$2" "$1"
      fi ;;
    *) cp "$1" "$2" ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1" | cut -d ' ' -f 1
  else
    shasum -a 256 "$1" | cut -d ' ' -f 1
  fi
}

fail() {
  echo "install: $1" >&2
  exit 1
}

main
