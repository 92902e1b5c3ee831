/**
 * Input of the install guide. `downloadUrl` is the folder of the archives, without a trailing slash. `downloadKey`
 * verifies the signature of their checksums (P-256, SubjectPublicKeyInfo in base64), if known.
 */
export interface InstallInput {
  origin: string;
  token: string;
  intervalSeconds: number;
  downloadUrl: string;
  downloadKey?: string | null;
}

/** Platforms with a binary. Archives are named `sonde-agent-<platform>.tar.xz`, or .zip for Windows. */
export const agentPlatforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win-x64"] as const;
export type AgentPlatform = (typeof agentPlatforms)[number];

/**
 * Checksums of all archives, in the same folder. `SHA256SUMS.sig` is the signature for OpenSSL, `SHA256SUMS.p1363` for
 * .NET.
 */
export const sumsFile = "SHA256SUMS";

export function agentArchive(platform: AgentPlatform): string {
  return `sonde-agent-${platform}.${platform.startsWith("win-") ? "zip" : "tar.xz"}`;
}

/**
 * Returns true if a platform's archive can be downloaded: it exists and its checksum, the last step of a build, is
 * written. Without a checksum it is incomplete or left over from an aborted build.
 * @param sums the text of `SHA256SUMS`, empty if missing
 * @param files the names of the folder's files
 */
export function isArchiveReady(platform: AgentPlatform, sums: string, files: readonly string[]): boolean {
  const archive = agentArchive(platform);
  return files.includes(archive) && sums.split("\n").some((line) => line.endsWith(` ${archive}`));
}

/**
 * Exit code of `sonde-agent run` after the server rejected its key permanently; service managers must not restart it.
 */
export const keyRefusedExitCode = 4;

export const shellQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const powershellQuote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const xmlText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Plain HTTP to another machine requires an explicit flag, because all traffic can be read. */
export function plainHttpFlag(origin: string): string {
  const url = new URL(origin);
  const loopback = url.hostname === "localhost" || url.hostname === "[::1]" || url.hostname.startsWith("127.");
  return url.protocol === "http:" && !loopback ? " --allow-http" : "";
}

/**
 * Passes the token on standard input, never as an argument, which every user of the machine can read. `then` runs on
 * success.
 */
function register(program: string, input: InstallInput, then = ""): string {
  const server = `--server ${shellQuote(input.origin)}${plainHttpFlag(input.origin)}`;
  return `${program} register ${server} --interval ${input.intervalSeconds} <<'TOKEN'${then}\n${input.token}\nTOKEN`;
}

/** Runs lines in a subshell that stops at the first failing command, so that the user's shell stays open. */
const together = (lines: string) => `(\nset -e\n${lines}\n)`;

/** A minimal Debian has none of these tools. */
export function needs(tools: readonly string[]): string {
  const named = `${tools.slice(0, -1).join(", ")} and ${tools.at(-1)}`;
  const packages = tools.map((tool) => (tool === "xz" ? "xz-utils" : tool)).join(" ");
  return `if ! { ${tools.map((tool) => `command -v ${tool}`).join(" && ")}; } >/dev/null; then
  echo '${named} are needed. Debian, Ubuntu: apt-get install ${packages} ca-certificates' >&2
  exit 1
fi
`;
}

/** For https addresses, redirects to other protocols are rejected. */
const curl = (url: string) => (url.startsWith("https:") ? "curl --proto '=https'" : "curl");

/** The key is embedded because it comes from Sonde itself; others may be able to write the archives. */
export const verifySums = (
  key: string,
) => `openssl dgst -sha256 -verify /dev/stdin -signature ${sumsFile}.sig ${sumsFile} <<'KEY'
-----BEGIN PUBLIC KEY-----
${(key.match(/.{1,64}/g) ?? []).join("\n")}
-----END PUBLIC KEY-----
KEY
`;

/** Leaves the program in the current folder; for use in `together`. */
function unpack(system: "linux" | "darwin", { downloadUrl: url, downloadKey: key }: InstallInput): string {
  const sum = system === "linux" ? "sha256sum -c -" : "shasum -a 256 -c -";
  const tools = key ? ["curl", "xz", "openssl"] : ["curl", "xz"];
  const files = ['"$archive"', sumsFile, ...(key ? [`${sumsFile}.sig`] : [])];
  return `${system === "linux" ? needs(tools) : ""}archive="sonde-agent-${system}-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/').tar.xz"
url=${shellQuote(url)}
for file in ${files.join(" ")}; do ${curl(url)} -fsSLo "$file" "$url/$file"; done
${key ? verifySums(key) : ""}grep " $archive\\$" ${sumsFile} | ${sum}
tar -xJf "$archive" sonde-agent`;
}

/** Unit with a dedicated user. `systemd-analyze security --offline=true` rates it 2.0 or better. */
export function systemdUnit(): string {
  return `[Unit]
Description=Sonde agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/local/bin/sonde-agent run
Environment=SONDE_AGENT_DIR=/var/lib/sonde-agent
User=sonde-agent
Group=sonde-agent
StateDirectory=sonde-agent
StateDirectoryMode=0700
UMask=0077
Restart=always
RestartSec=5
RestartPreventExitStatus=2 3 ${keyRefusedExitCode}
MemoryMax=128M
TasksMax=32
Nice=5
# Home directories stay visible, read-only: a file system mounted there is measured too.
ProtectHome=read-only
ProtectSystem=strict
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
KeyringMode=private
CapabilityBoundingSet=
AmbientCapabilities=
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/**
 * launchd daemon for macOS, run as an unprivileged system user. It is restarted after any exit code, at most every 30
 * s, because launchd has no final exit code.
 */
function launchdPlist(directory: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>sonde.agent</string>
  <key>ProgramArguments</key><array><string>/usr/local/bin/sonde-agent</string><string>run</string></array>
  <key>EnvironmentVariables</key><dict><key>SONDE_AGENT_DIR</key><string>${xmlText(directory)}</string></dict>
  <key>UserName</key><string>nobody</string>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ThrottleInterval</key><integer>30</integer>
</dict>
</plist>
`;
}

function linux(input: InstallInput): string {
  return `# 1. Download
${together(unpack("linux", input))}

# 2. Run
${register("./sonde-agent", input, " && ./sonde-agent run")}
`;
}

function systemd(input: InstallInput): string {
  const program =
    "SONDE_AGENT_DIR=/var/lib/sonde-agent setpriv --reuid=sonde-agent --regid=sonde-agent --clear-groups /usr/local/bin/sonde-agent";
  return `# As root. 1. Download
${together(`${unpack("linux", input)}
install -o root -g root -m 0755 sonde-agent /usr/local/bin/sonde-agent

# 2. Register, as a user that owns nothing else
id sonde-agent >/dev/null 2>&1 || useradd --system --user-group --home-dir /var/lib/sonde-agent --shell /usr/sbin/nologin sonde-agent
install -d -o sonde-agent -g sonde-agent -m 0700 /var/lib/sonde-agent
${register(program, input)}

# 3. Run as a service
cat >/etc/systemd/system/sonde-agent.service <<'UNIT'
${systemdUnit()}UNIT
systemctl daemon-reload
systemctl enable sonde-agent
systemctl restart sonde-agent`)}
`;
}

function macos(input: InstallInput): string {
  const directory = "/usr/local/var/sonde-agent";
  return `# 1. Download
${together(unpack("darwin", input))}
codesign --force --sign - sonde-agent
sudo install -d /usr/local/bin && sudo install -m 0755 sonde-agent /usr/local/bin/sonde-agent

# 2. Register
sudo install -d -o nobody -m 0700 ${directory}
${register(`sudo -u nobody SONDE_AGENT_DIR=${directory} /usr/local/bin/sonde-agent`, input)}

# 3. Run as a service
sudo tee /Library/LaunchDaemons/sonde.agent.plist >/dev/null <<'PLIST'
${launchdPlist(directory)}PLIST
sudo launchctl bootstrap system /Library/LaunchDaemons/sonde.agent.plist
`;
}

/** Windows takes the key as a blob: "ECS1", the number length 32, and both coordinates of the point. */
function verifySumsOnWindows(key: string): string {
  const point = atob(key).slice(-64);
  const blob = btoa(`ECS1\x20\0\0\0${point}`);
  return `Invoke-WebRequest "$url/${sumsFile}.p1363" -OutFile ${sumsFile}.p1363 -UseBasicParsing
$key = [Security.Cryptography.CngKey]::Import([Convert]::FromBase64String('${blob}'), [Security.Cryptography.CngKeyBlobFormat]::EccPublicBlob)
$sums = [IO.File]::ReadAllBytes((Convert-Path ${sumsFile}))
$signature = [IO.File]::ReadAllBytes((Convert-Path ${sumsFile}.p1363))
if (-not (New-Object Security.Cryptography.ECDsaCng $key).VerifyData($sums, $signature)) { throw 'The signature of the download is wrong' }
`;
}

/** Uses a scheduled task at startup, because a Windows service would need a wrapper program. */
function windows(input: InstallInput): string {
  const server = `--server ${powershellQuote(input.origin)}${plainHttpFlag(input.origin)}`;
  const archive = agentArchive("win-x64");
  return `# In PowerShell as administrator. 1. Download
$folder = "$env:ProgramFiles\\sonde-agent"
& {
$ErrorActionPreference = 'Stop'
New-Item -ItemType Directory -Force $folder | Out-Null
$url = ${powershellQuote(input.downloadUrl)}
Invoke-WebRequest "$url/${archive}" -OutFile sonde-agent.zip -UseBasicParsing
Invoke-WebRequest "$url/${sumsFile}" -OutFile ${sumsFile} -UseBasicParsing
${input.downloadKey ? verifySumsOnWindows(input.downloadKey) : ""}$sum = (Get-Content ${sumsFile} | Where-Object { $_ -match ' ${archive.replaceAll(".", "\\.")}$' }) -split ' ' | Select-Object -First 1
if ((Get-FileHash sonde-agent.zip -Algorithm SHA256).Hash -ne $sum) { throw 'The download is damaged' }
Expand-Archive sonde-agent.zip -DestinationPath $folder -Force
}

# 2. Register
$data = "$env:ProgramData\\sonde-agent"
New-Item -ItemType Directory -Force $data | Out-Null
icacls $data /inheritance:r /grant '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' '*S-1-5-19:(OI)(CI)M' | Out-Null
${powershellQuote(input.token)} | & "$folder\\sonde-agent.exe" register ${server} --interval ${input.intervalSeconds}

# 3. Run whenever the machine runs
$action = New-ScheduledTaskAction -Execute "$folder\\sonde-agent.exe" -Argument 'run'
$settings = New-ScheduledTaskSettingsSet -RestartCount 999 -RestartInterval (New-TimeSpan -Minutes 1) -ExecutionTimeLimit 0 -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
$principal = New-ScheduledTaskPrincipal -UserId 'NT AUTHORITY\\LOCAL SERVICE' -LogonType ServiceAccount
Register-ScheduledTask -TaskName 'Sonde agent' -Action $action -Trigger (New-ScheduledTaskTrigger -AtStartup) -Settings $settings -Principal $principal -Force | Out-Null
Start-ScheduledTask -TaskName 'Sonde agent'
`;
}

/** Commands of the add-agent guide. Each contains the token, which registers one agent once. */
export function agentInstall(input: InstallInput) {
  return { linux: linux(input), macos: macos(input), windows: windows(input), systemd: systemd(input) };
}
