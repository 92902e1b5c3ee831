import { fetchAndRun } from "../agents/install-script.ts";
import { needs, plainHttpFlag, shellQuote } from "../agents/install.ts";

/** Paths on the gateway. */
export const runnerScriptPath = "/downloads/runner.sh";
export const runnerFilePath = "/downloads/sonde-runner.mjs";
/** Exit codes: the token was refused; the runner was revoked. Service managers must not restart it. */
export const tokenRefusedExitCode = 3;
export const revokedExitCode = 4;

type CommandInput = { origin: string; token: string; version: string; scriptSha256: string };

/** Commands that start a runner on another machine. As with Compose, the image is not pulled by default. */
export function runnerCommands({ origin, token, version, scriptSha256 }: CommandInput) {
  const flag = plainHttpFlag(origin);
  const environment = [`SONDE_URL=${shellQuote(origin)}`, `SONDE_TOKEN=${shellQuote(token)}`];
  if (flag !== "") environment.push("SONDE_ALLOW_HTTP=1");
  const image = `"\${SONDE_IMAGES:-sonde}/probe-runner:\${SONDE_VERSION:-${version}}"`;
  const options = ["--name sonde-runner", "--restart unless-stopped", "--volume sonde-runner:/data"];
  // Otherwise Docker would look for the image in its public registry, and hand it the token.
  options.push('--pull "${SONDE_PULL_POLICY:-never}"');
  return {
    docker: `docker run --detach ${options.join(" ")} ${environment.map((each) => `--env ${each}`).join(" ")} ${image}`,
    script: fetchAndRun({
      origin,
      path: runnerScriptPath,
      scriptSha256,
      savedAs: "sonde-runner.sh",
      variable: `SONDE_TOKEN=${shellQuote(token)}`,
      options: `--server ${shellQuote(origin)}${flag}`,
    }),
  };
}

/** Environment variables of the script that its service keeps. */
const serviceVariables = [
  "(https?|no)_proxy",
  "(HTTPS?|NO)_PROXY",
  "CA_FILE",
  "NODE_EXTRA_CA_CERTS",
  "PROBE_[A-Z_]+",
  "SONDE_RUNNER_NAME",
];

/**
 * Returns the script that downloads the runner, verifies it, and runs it in the current folder or, with `--service`, as
 * a systemd service. It contains no secret.
 * @param sha256 of the runner's file
 */
export function runnerScript(sha256: string): string {
  return `#!/bin/sh
# Downloads the Sonde probe runner, verifies it, registers it with a token, and runs it until it is stopped.
#
#   SONDE_TOKEN=TOKEN sh sonde-runner.sh --server ADDRESS [--allow-http] [--service]
#
# --service: installs it as a systemd service under a user of its own. This needs root; the script asks sudo. The service
# gets the runner's variables, such as HTTPS_PROXY, from /etc/sonde-runner.env.

fail() {
  printf '%s\\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

main() {
  set -eu
  server='' service='' allow_http=0 token=\${SONDE_TOKEN:-}
  unset SONDE_TOKEN
  while [ $# -gt 0 ]; do
    case $1 in
      --allow-http) allow_http=1 ;;
      --service) service=yes ;;
      --server)
        [ $# -ge 2 ] || fail "$1 needs a value"
        server=$2
        shift
        ;;
      *) fail "There is no option $1" ;;
    esac
    shift
  done
  [ -n "$server" ] || fail 'The address of Sonde is missing: --server ADDRESS'
  [ -n "$token" ] || fail 'SONDE_TOKEN is not set: copy the whole line from Sonde'
  ${needs(["curl", "node", "sha256sum"]).trimEnd().replaceAll("\n", "\n  ")}
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' ||
    fail "Node.js 20 or newer is needed; this is $(node --version)"
  if [ -n "$service" ]; then
    [ -d /run/systemd/system ] || fail 'systemd does not run on this machine. Leave out --service.'
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || fail 'Installing the service needs root.'
    node=$(command -v node)
    case $(readlink -f "$node") in
      /home/* | /root/*) fail "The service cannot run $node, which is in a home folder. Install Node.js for all users." ;;
    esac
  fi

  file=$(mktemp)
  trap 'rm -f "$file"' EXIT
  case $server in https:*) protocols='=https' ;; *) protocols='=http,https' ;; esac
  url=$server${runnerFilePath}
  curl --proto "$protocols" -fsSLo "$file" "$url" || fail "$url cannot be downloaded"
  echo "${sha256}  $file" | sha256sum -c - >/dev/null || fail "$url is damaged"

  if [ -z "$service" ]; then
    mv -f "$file" sonde-runner.mjs
    export SONDE_URL="$server" SONDE_ALLOW_HTTP="$allow_http" SONDE_TOKEN="$token"
    echo 'The runner runs until it is stopped (Ctrl-C). To start it again: node sonde-runner.mjs'
    exec node sonde-runner.mjs </dev/null
  fi

  as_root install -D -o root -g root -m 0644 "$file" /usr/local/lib/sonde/sonde-runner.mjs
  id sonde-runner >/dev/null 2>&1 ||
    as_root useradd --system --user-group --home-dir /var/lib/sonde-runner --shell /usr/sbin/nologin sonde-runner
  as_root install -d -o sonde-runner -g sonde-runner -m 0700 /var/lib/sonde-runner
  # Only root can read this file; arguments and units can be read by every user of the machine.
  {
    printf 'SONDE_URL=%s\\nSONDE_ALLOW_HTTP=%s\\nSONDE_TOKEN=%s\\n' "$server" "$allow_http" "$token"
    env | grep -E '^(${serviceVariables.join("|")})=' || true
  } | as_root install -o root -g root -m 0600 /dev/stdin /etc/sonde-runner.env
  as_root tee /etc/systemd/system/sonde-runner.service >/dev/null <<UNIT
[Unit]
Description=Sonde probe runner
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=$node /usr/local/lib/sonde/sonde-runner.mjs
EnvironmentFile=/etc/sonde-runner.env
Environment=SONDE_RUNNER_DIR=/var/lib/sonde-runner
User=sonde-runner
Group=sonde-runner
StateDirectory=sonde-runner
StateDirectoryMode=0700
UMask=0077
Restart=always
RestartSec=5
RestartPreventExitStatus=2 ${tokenRefusedExitCode} ${revokedExitCode}
ProtectHome=yes
ProtectSystem=strict
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
NoNewPrivileges=yes
KeyringMode=private
# ping, which runs as the same user, needs this capability on systems such as Debian 12, and drops all others.
CapabilityBoundingSet=CAP_NET_RAW
AmbientCapabilities=CAP_NET_RAW
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallFilter=capset setuid
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
UNIT
  as_root systemctl daemon-reload
  as_root systemctl enable sonde-runner
  as_root systemctl restart sonde-runner
  echo 'The runner runs, and starts with the machine. How it is: systemctl status sonde-runner'
}

# Only once the whole script is here.
main "$@"
`;
}
