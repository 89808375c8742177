#!/usr/bin/env bash
# helix.sh HX CONFIGURATION SOURCE: what Helix shows of examples/wrong.cu, in a real terminal (tmux), with
# cute-analyzer on PATH. Reports in the Test Anything Protocol.
set -euo pipefail
HX=$1 CONFIGURATION=$2 SOURCE=$3
HOME_FOLDER=$(mktemp -d); SOCKET=cute-helix-$$
trap 'tmux -L "$SOCKET" kill-server 2>/dev/null || true; rm -rf "$HOME_FOLDER"' EXIT
mkdir -p "$HOME_FOLDER/helix"
cp "$CONFIGURATION" "$HOME_FOLDER/helix/languages.toml"
printf '[editor.lsp]\ndisplay-inlay-hints = true\n' >"$HOME_FOLDER/helix/config.toml"
export XDG_CONFIG_HOME=$HOME_FOLDER XDG_CACHE_HOME=$HOME_FOLDER LC_ALL=C.UTF-8
tmux -L "$SOCKET" -f /dev/null new-session -d -x 140 -y 40 "TERM=tmux-256color COLORTERM=truecolor '$HX' '$SOURCE'"
shows() { # TEXT: awaits it on the screen
  for _ in $(seq 100); do
    tmux -L "$SOCKET" capture-pane -p | grep -qE "$1" && return
    sleep 0.2
  done
  return 1
}
failed=0; count=0
check() { # NAME TEXT
  count=$((count + 1))
  if shows "$2"; then echo "ok $count - $1"; else
    failed=1; echo "not ok $count - $1"; tmux -L "$SOCKET" capture-pane -p
  fi
}
check "Helix: the layout stands in its line" 'auto columns .*\(4,3\):\(3,1\)'
check "Helix: mistakes are marked" '● .*auto picked ='
tmux -L "$SOCKET" send-keys ':18' Enter
tmux -L "$SOCKET" send-keys 'fcl' ' ' 'k'
check "Helix: a hover has the layout" '\(_4,_3\):\(_3,_1\)'
echo "1..$count"
exit "$failed"
