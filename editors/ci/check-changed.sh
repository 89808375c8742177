#!/bin/sh
# Checks the sources that a branch changes: check-changed.sh BASE [OPTION OF `cute-analyzer check`...]
#
# BASE is the commit that the branch is compared with. Exit code: 0 no finding of severity error, 1 some.
set -eu

base=$1
shift

changed=$(mktemp)
trap 'rm -f "$changed"' EXIT
git diff --relative --name-only -z --diff-filter=d "$base...HEAD" -- \
  '*.cu' '*.cuh' '*.cpp' '*.cc' '*.cxx' '*.h' '*.hpp' '*.hxx' '*.py' '*.rs' > "$changed"

if [ ! -s "$changed" ]; then
  echo "no source has changed since $base"
  exit 0
fi
xargs -0 cute-analyzer check "$@" -- < "$changed" || exit 1
