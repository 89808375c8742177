#!/usr/bin/env bash
# install-code-server.sh DIR: a real VS Code workbench with its extension host (code-server 4.100.3, which
# is VS Code 1.100.3), from npm alone; it runs on Node 20. Prints the path of the program to start.
# Needs: a C++ compiler, make, python3, ripgrep (Debian: g++ make python3 ripgrep), and Node's headers.
#
# A plain `npm install code-server` fails without GitHub, which ripgrep's install script asks; and it
# refuses root. So nothing's install script is run: native modules are rebuilt by name, the system's
# ripgrep is linked into its place, and the links that the postinstall makes are made here.
set -euo pipefail
VERSION=4.100.3
DIR=$(realpath -m "${1:?usage: install-code-server.sh DIR}")
RIPGREP=$(command -v rg) || { echo "install-code-server.sh: ripgrep is needed (Debian: apt-get install ripgrep)" >&2; exit 1; }
export npm_config_loglevel=error npm_config_yes=true npm_config_legacy_peer_deps=true
HEADERS=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
[ -d "$HEADERS/include/node" ] && export npm_config_nodedir="$HEADERS"

mkdir -p "$DIR"; cd "$DIR"
echo '{"private":true}' >package.json
npm install --no-audit --no-fund --ignore-scripts --no-save "code-server@$VERSION"
cd node_modules/code-server
npm rebuild --prefix "$DIR" argon2
cd lib/vscode
npm install --no-audit --no-fund --ignore-scripts --omit=dev
# Kerberos is for proxies that ask for it; its headers are no part of a bare machine.
find node_modules -maxdepth 3 -name binding.gyp -printf '%h\n' | sed 's#^node_modules/##' |
  grep -v -e windows -e kerberos | sort | xargs npm rebuild
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$RIPGREP" node_modules/@vscode/ripgrep/bin/rg
ln -sfn node_modules node_modules.asar
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
(cd extensions && npm install --no-audit --no-fund --ignore-scripts --omit=dev)
printf '#!/bin/sh\nexec node "%s" "$@"\n' "$DIR/node_modules/code-server/out/node/entry.js" >"$DIR/code-server"
chmod +x "$DIR/code-server"
"$DIR/code-server" --version
