#!/usr/bin/env bash
# kernels.sh NVIM CORPUS: kernels of other projects in a real terminal (tmux), with cute-analyzer on PATH and no configuration
# but the plugin; CORPUS is target/oracles, where `cargo xtask fetch` puts them. Reports in the Test Anything Protocol; what the
# screen showed is left in the folder ARTEFACTS, with its colours, where that is set.
set -euo pipefail
NVIM=$(realpath "$1") CORPUS=$(realpath "$2") PLUGIN=$(realpath "$(dirname "$0")/..")
HOME_FOLDER=$(mktemp -d); SOCKET=cute-kernels-$$
trap 'tmux -L "$SOCKET" kill-server 2>/dev/null || true; rm -rf "$HOME_FOLDER"' EXIT
mkdir -p "$HOME_FOLDER/nvim"
echo "vim.opt.runtimepath:append('$PLUGIN'); vim.o.swapfile = false; vim.o.termguicolors = true" >"$HOME_FOLDER/nvim/init.lua"
export XDG_CONFIG_HOME=$HOME_FOLDER XDG_STATE_HOME=$HOME_FOLDER XDG_DATA_HOME=$HOME_FOLDER XDG_CACHE_HOME=$HOME_FOLDER LC_ALL=C.UTF-8
shows() { # PATTERN: awaits it on the screen
  for _ in $(seq 300); do
    tmux -L "$SOCKET" capture-pane -p 2>/dev/null | grep -qE "$1" && return
    sleep 0.2
  done
  return 1
}
failed=0; count=0
kernel() { # NAME FILE SEARCH HINT HOVER WORD: opens a file at a text, awaits a hint, then the hover of the word there
  count=$((count + 1))
  local home=$HOME_FOLDER/$1
  mkdir -p "$home"
  cp -rL "$(dirname "$CORPUS/$2")/.." "$home/project"
  echo "include = [\"$CORPUS/cutlass/include\"]" >"$home/project/cute-analyzer.toml"
  local file
  file=$home/project/$(basename "$(dirname "$2")")/$(basename "$2")
  tmux -L "$SOCKET" -f /dev/null new-session -d -x 140 -y 44 -c "$home/project" "TERM=tmux-256color COLORTERM=truecolor '$NVIM' '+/$3' '$file'"
  if shows "$4" && tmux -L "$SOCKET" send-keys 'zz' '/\<'"$6"'\>' Enter 'K' && shows "$5"; then
    echo "ok $count - $1 has its hint and its hover"
  else
    failed=1; echo "not ok $count - $1 has its hint and its hover"; tmux -L "$SOCKET" capture-pane -p
  fi
  if [ -n "${ARTEFACTS:-}" ]; then tmux -L "$SOCKET" capture-pane -pe >"$ARTEFACTS/$1.ansi"; fi
  tmux -L "$SOCKET" kill-server
}
kernel flash-attention-2 flash-attention/csrc/flash_attn/src/flash_fwd_kernel.h 'Tensor sV = make_tensor' 'Sw<3,3,3> o' 'sV: Tensor' sV
kernel flash-attention-on-hopper cutlass/examples/88_hopper_fmha/collective/fmha_collective_tma_warpspecialized.hpp 'Tensor sQ = make_tensor' 'Sw<2,4,3> o' 'sQ: Tensor' sQ
kernel flash-attention-3-in-the-dsl flash-attention/flash_attn/cute/flash_fwd.py 'sQ_layout_atom = warpgroup' 'S<3,4,3> o' 'sQ_layout_atom: ' sQ_layout_atom
kernel mla-on-blackwell cutlass/examples/77_blackwell_fmha/kernel/sm100_fmha_mla_tma_warpspecialized.hpp 'Tensor sQ = make_tensor' 'Sw<2,4,3> o' 'sQ: Tensor' sQ
kernel flash-attention-4 flash-attention/flash_attn/cute/flash_fwd_sm100.py 'sQ_layout = sm100' 'S<3,4,3> o' 'sQ_layout: ' sQ_layout
echo "1..$count"
exit $failed
