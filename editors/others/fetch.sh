#!/usr/bin/env bash
# fetch.sh PREFIX: private copies of Helix and Emacs from Debian trixie, see ../debian.sh. Prints nothing;
# PREFIX/bin has `hx` and `emacs`.
. "$(dirname "$0")/../debian.sh"
PREFIX=$(realpath -m "${1:?usage: fetch.sh PREFIX}") ROOT=$PREFIX/root
unpack "$PREFIX" trixie hx emacs-nox

LIBRARIES=$(dirname "$(find "$ROOT" -name 'libc.so.6' | head -n1)")
EMACS=$(readlink -f "$ROOT/usr/bin/emacs-nox")
relocate "$PREFIX" "$LIBRARIES" "$ROOT/usr/lib/hx/hx" "$EMACS"
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
