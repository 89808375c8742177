#!/usr/bin/env bash
# terminal.sh NVIM SOURCE: what a user sees of examples/wrong.cu in a real terminal (tmux), with cute-analyzer on
# PATH and no configuration but the plugin. Reports in the Test Anything Protocol; what the screen showed is left
# in the folder ARTEFACTS, with its colours, where that is set.
set -euo pipefail
NVIM=$1 SOURCE=$(realpath "$2") PLUGIN=$(realpath "$(dirname "$0")/..")
HOME_FOLDER=$(mktemp -d); SOCKET=cute-nvim-$$
trap 'tmux -L "$SOCKET" kill-server 2>/dev/null || true; rm -rf "$HOME_FOLDER"' EXIT
mkdir -p "$HOME_FOLDER/nvim"
echo "vim.opt.runtimepath:append('$PLUGIN'); vim.o.swapfile = false; vim.o.termguicolors = true" >"$HOME_FOLDER/nvim/init.lua"
export XDG_CONFIG_HOME=$HOME_FOLDER XDG_STATE_HOME=$HOME_FOLDER XDG_DATA_HOME=$HOME_FOLDER XDG_CACHE_HOME=$HOME_FOLDER LC_ALL=C.UTF-8
tmux -L "$SOCKET" -f /dev/null new-session -d -x 160 -y 40 "TERM=tmux-256color COLORTERM=truecolor '$NVIM' '$SOURCE'"
shows() { # FLAGS PATTERN: awaits it on the screen
  for _ in $(seq 150); do
    tmux -L "$SOCKET" capture-pane -p $1 | grep -qE "$2" && return
    sleep 0.2
  done
  return 1
}
failed=0; count=0
check() { # NAME FLAGS PATTERN
  count=$((count + 1))
  if shows "$2" "$3"; then echo "ok $count - $1"; else
    failed=1; echo "not ok $count - $1"; tmux -L "$SOCKET" capture-pane -p
  fi
}
keep() { # NAME: leaves what the screen shows
  if [ -n "${ARTEFACTS:-}" ]; then tmux -L "$SOCKET" capture-pane -pe >"$ARTEFACTS/$1.ansi"; fi
}
check "the terminal shows the layout in its line" "" 'auto columns .*\(4,3\):\(3,1\)'
tmux -L "$SOCKET" send-keys '18G' '^' 'w' 'K'
check "K shows what is known of the layout" "" '\(_4,_3\):\(_3,_1\)'
check "with its picture" "" '│ +9 +10 +11 │'
check "in the picture's colours" "-e" '48;2;181;221;245m'
keep hover
tmux -L "$SOCKET" send-keys 'h' 'l' ':CuteLayout' Enter
check ":CuteLayout draws it beside the text" "" '│ +9 +10 +11 │'
check "in the colours of its picture" "-e" '48;2;181;221;245m'
tmux -L "$SOCKET" send-keys '32G' '^' 'w'
check "it follows the cursor to a composition" "" 'A o B'
keep split
echo "1..$count"
exit "$failed"
