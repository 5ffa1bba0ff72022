# Installs npm packages into a folder, with what they depend on, as they are: no scripts of theirs run.
#
# Arguments after the folder: each package as NAME@VERSION. Asks only the registry that npm is configured with. The npm of this
# system, or with the variables NPM_NODE and NPM_CLI that program and that script of it.

run_npm() {
  if [ -n "${NPM_CLI:-}" ]; then
    "$NPM_NODE" "$NPM_CLI" "$@"
  else
    npm "$@"
  fi
}

# What a package expects its user to bring (peers) is left out: only files of theirs are wanted here.
run_npm install --prefix "$folder" --ignore-scripts --legacy-peer-deps --no-audit --no-fund --loglevel=error \
  "$@" >"$folder/log" 2>&1 || {
  tail -n 3 "$folder/log"
  exit 1
}
rm -f "$folder/log"
chmod -R a+rX,go-w "$folder"
