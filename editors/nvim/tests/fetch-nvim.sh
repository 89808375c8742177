#!/usr/bin/env bash
# fetch-nvim.sh PREFIX [SUITE]: a private Neovim and luacheck from a Debian suite (default: trixie, which has Neovim
# 0.10.4), see ../../debian.sh. PREFIX/bin has `nvim` and `luacheck`. Elsewhere than on Debian, install both and set
# NVIM and LUACHECK to them.
. "$(dirname "$0")/../../debian.sh"
PREFIX=$(realpath -m "${1:?usage: fetch-nvim.sh PREFIX [SUITE]}") ROOT=$PREFIX/root
unpack "$PREFIX" "${2:-trixie}" neovim lua-check

LIBRARIES=$(dirname "$(find "$ROOT" -name 'libluajit-5.1.so.2' | head -n1)")
LOADER=$(dirname "$(find "$ROOT" -name 'ld-linux*.so.*' | sort | head -n1)")
LIBC=$(dirname "$(find "$ROOT" -name 'libc.so.6' | head -n1)")
NVIM=$(readlink -f "$ROOT/usr/bin/nvim"); [ -x "$NVIM" ] || NVIM=$ROOT/usr/bin/nvim
relocate "$PREFIX" "$LIBRARIES:$LOADER:$LIBC:$LIBRARIES/nvim" "$NVIM" "$ROOT/usr/bin/lua5.1"

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
