#!/usr/bin/env bash
# install-code-server.sh DIR VERSION: a real VS Code workbench with its extension host (code-server 4.100.3 is
# VS Code 1.100.3 and runs on Node 20), from npm alone. DIR/code-server is the program to start: it is written
# last, so that where it is there all of it is. Says where it stopped, if it did.
# Needs: a C++ compiler, make, python3, ripgrep (Debian: g++ make python3 ripgrep), and Node's headers.
#
# A plain `npm install code-server` fails without GitHub, which ripgrep's install script asks; and it
# refuses root. So nothing's install script is run: native modules are rebuilt by name, the system's
# ripgrep is linked into its place, and the links that the postinstall makes are made here.
set -Eeuo pipefail
trap 'echo "install-code-server.sh: line $LINENO stopped with $?: $BASH_COMMAND" >&2' ERR
DIR=$(realpath -m "${1:?usage: install-code-server.sh DIR VERSION}") VERSION=${2:?usage: install-code-server.sh DIR VERSION}
for tool in node npm python3 make g++ rg; do
  command -v "$tool" >/dev/null || { echo "install-code-server.sh: $tool is needed" >&2; exit 1; }
done
RIPGREP=$(command -v rg)
export npm_config_loglevel=warn npm_config_yes=true npm_config_legacy_peer_deps=true
HEADERS=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
if [ -d "$HEADERS/include/node" ]; then export npm_config_nodedir="$HEADERS"; fi

rm -rf "$DIR"; mkdir -p "$DIR"; cd "$DIR"
echo '{"private":true}' >package.json
npm install --no-audit --no-fund --ignore-scripts --no-save "code-server@$VERSION"
cd node_modules/code-server
npm rebuild --prefix "$DIR" argon2
cd lib/vscode
npm install --no-audit --no-fund --ignore-scripts --omit=dev
# Kerberos is for proxies that ask for it; its headers are no part of a bare machine.
find node_modules -maxdepth 3 -name binding.gyp -printf '%h\n' | sed 's#^node_modules/##' |
  grep -v -e windows -e kerberos | sort | xargs npm rebuild --foreground-scripts
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$RIPGREP" node_modules/@vscode/ripgrep/bin/rg
ln -sfn node_modules node_modules.asar
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
(cd extensions && npm install --no-audit --no-fund --ignore-scripts --omit=dev)
ENTRY=$DIR/node_modules/code-server/out/node/entry.js
node "$ENTRY" --version
printf '#!/bin/sh\nexec node "%s" "$@"\n' "$ENTRY" >"$DIR/code-server.new"
chmod +x "$DIR/code-server.new"
mv "$DIR/code-server.new" "$DIR/code-server"
