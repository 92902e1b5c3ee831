import { type InstallInput, needs, plainHttpFlag, shellQuote, sumsFile, systemdUnit, verifySums } from "./install.ts";

/** Path of the script on the gateway. */
export const installScriptPath = "/install.sh";
/** File name of the downloaded script. */
const savedAs = "sonde-install.sh";

/** `downloadUrl` is `null` if the server itself provides the archives. */
type ScriptInput = { downloadUrl: string | null; downloadKey: string | null };

/**
 * Returns the script behind the guide's one-line install for Linux. It downloads and verifies the agent, registers the
 * machine and runs the agent as a systemd service, or with `--no-service` as the current user. It is the same for every
 * machine: the command line contains the server's address and the token. Problems are reported before the token is
 * used.
 */
export function installScript({ downloadUrl, downloadKey }: ScriptInput): string {
  const tools = downloadKey === null ? ["curl", "xz"] : ["curl", "xz", "openssl"];
  const files = ['"$archive"', sumsFile, ...(downloadKey === null ? [] : [`${sumsFile}.sig`])];
  return `#!/bin/sh
# Installs the Sonde agent on Linux: downloads and verifies it, registers this machine, and runs the agent as a systemd
# service under a user of its own. Installing the service needs root: run by another user, the script asks sudo.
#
#   SONDE_AGENT_TOKEN=TOKEN sh ${savedAs} --server ADDRESS [--allow-http] [--interval SECONDS] [--no-service]
#
# --no-service: nothing needs root. The agent lies in the present folder and runs until it is stopped.

fail() {
  printf '%s\\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# The token goes in on standard input: an argument could be read by every user of the machine.
register() {
  printf '%s\\n' "$token" | "$@" register --server "$server" $allow_http --interval "$interval"
}

main() {
  set -eu
  server='' interval=10 allow_http='' service=yes token=\${SONDE_AGENT_TOKEN:-}
  unset SONDE_AGENT_TOKEN
  while [ $# -gt 0 ]; do
    case $1 in
      --allow-http) allow_http=--allow-http ;;
      --no-service) service='' ;;
      --server | --interval)
        [ $# -ge 2 ] || fail "$1 needs a value"
        if [ "$1" = --server ]; then server=$2; else interval=$2; fi
        shift
        ;;
      *) fail "There is no option $1" ;;
    esac
    shift
  done
  [ -n "$server" ] || fail 'The address of Sonde is missing: --server ADDRESS'
  [ -n "$token" ] || fail 'SONDE_AGENT_TOKEN is not set: copy the whole line from the guide'
  [ "$(uname -s)" = Linux ] || fail 'This script is for Linux. The guide has commands for macOS and Windows.'
  ${needs(tools).trimEnd().replaceAll("\n", "\n  ")}
  if [ -n "$service" ]; then
    [ -d /run/systemd/system ] || fail 'systemd does not run on this machine. Add --no-service to run the agent without it.'
    if [ "$(id -u)" -ne 0 ]; then
      command -v sudo >/dev/null || fail 'Installing the service needs root. Run this as root, or add --no-service.'
      echo 'Installing the service needs root: sudo may ask for your password.'
      sudo true
    fi
  fi

  here=$PWD
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cd "$folder"
  echo 'Downloading the agent'
  archive="sonde-agent-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/').tar.xz"
  url=${downloadUrl === null ? "$server/downloads" : shellQuote(downloadUrl)}
  # From an https address nothing is taken by another protocol, whatever it redirects to.
  case $url in https:*) protocols='=https' ;; *) protocols='=http,https' ;; esac
  for file in ${files.join(" ")}; do
    curl --proto "$protocols" -fsSLo "$file" "$url/$file" || fail "$url/$file cannot be downloaded"
  done
${downloadKey === null ? "" : verifySums(downloadKey)}  grep " $archive\\$" ${sumsFile} | sha256sum -c -
  tar -xJf "$archive" sonde-agent

  if [ -z "$service" ]; then
    mv -f sonde-agent "$here/sonde-agent"
    cd "$here"
    rm -rf "$folder"
    register ./sonde-agent
    echo 'The agent runs until it is stopped (Ctrl-C). To start it again: ./sonde-agent run'
    exec ./sonde-agent run </dev/null
  fi

  echo 'Installing the service'
  as_root install -o root -g root -m 0755 sonde-agent /usr/local/bin/sonde-agent
  id sonde-agent >/dev/null 2>&1 ||
    as_root useradd --system --user-group --home-dir /var/lib/sonde-agent --shell /usr/sbin/nologin sonde-agent
  as_root install -d -o sonde-agent -g sonde-agent -m 0700 /var/lib/sonde-agent
  register as_root env SONDE_AGENT_DIR=/var/lib/sonde-agent \\
    setpriv --reuid=sonde-agent --regid=sonde-agent --clear-groups /usr/local/bin/sonde-agent
  as_root tee /etc/systemd/system/sonde-agent.service >/dev/null <<'UNIT'
${systemdUnit()}UNIT
  as_root systemctl daemon-reload
  as_root systemctl enable sonde-agent
  as_root systemctl restart sonde-agent
  echo 'The agent runs, and starts with the machine. How it is: systemctl status sonde-agent'
}

# Only once the whole script is here.
main "$@"
`;
}

type LineInput = Pick<InstallInput, "origin" | "token" | "intervalSeconds"> & {
  /** Hex SHA-256 of the script. */
  scriptSha256: string;
  withoutService?: boolean;
};

/**
 * Returns the guide's one-line install for Linux. The token precedes `sh`, so that it is only in that shell's
 * environment and never an argument. Over plain HTTP an attacker on the network could change what root runs, so the
 * line also contains the script's checksum.
 */
export function installLine({
  origin,
  token,
  intervalSeconds,
  scriptSha256,
  withoutService = false,
}: LineInput): string {
  const service = withoutService ? " --no-service" : "";
  const options = `--server ${shellQuote(origin)}${plainHttpFlag(origin)} --interval ${intervalSeconds}${service}`;
  const variable = `SONDE_AGENT_TOKEN=${shellQuote(token)}`;
  return fetchAndRun({ origin, path: installScriptPath, scriptSha256, savedAs, variable, options });
}

type FetchedScript = {
  origin: string;
  path: string;
  scriptSha256: string;
  savedAs: string;
  /** Assignment of the token. */
  variable: string;
  options: string;
};

/** Returns the line that downloads one of the gateway's scripts and runs it. */
export function fetchAndRun({ origin, path, scriptSha256, savedAs, variable, options }: FetchedScript): string {
  const url = shellQuote(origin + path);
  if (plainHttpFlag(origin) !== "") {
    const verified = `echo '${scriptSha256}  ${savedAs}' | sha256sum -c -`;
    return `curl -fsSLo ${savedAs} ${url} && ${verified} && ${variable} sh ${savedAs} ${options}`;
  }
  const protocol = origin.startsWith("https:") ? "--proto '=https' " : "";
  return `curl ${protocol}-fsSL ${url} | ${variable} sh -s -- ${options}`;
}
