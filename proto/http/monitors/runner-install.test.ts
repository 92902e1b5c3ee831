import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runnerCommands, runnerScript } from "./runner-install.ts";

const made = { token: "one-time", version: "1.2.0", scriptSha256: "ab".repeat(32) };

test("the script is valid for sh, and refuses to start without a token or with an unknown option", () => {
  const script = runnerScript("cd".repeat(32));
  expect(spawnSync("sh", ["-n"], { input: script }).status).toBe(0);
  const run = (args: string[], env: Record<string, string>) =>
    spawnSync("sh", ["-s", "--", ...args], {
      input: script,
      env: { PATH: process.env.PATH, ...env },
    }).stderr.toString();
  expect(run(["--server", "https://sonde.example.com"], {})).toContain("SONDE_TOKEN is not set");
  expect(run(["--fast"], { SONDE_TOKEN: "one-time" })).toContain("There is no option --fast");
});

test("the token is no argument of the script, and plain HTTP compares the script with its checksum", () => {
  const https = runnerCommands({ ...made, origin: "https://sonde.example.com" });
  expect(https.script).toBe(
    "curl --proto '=https' -fsSL 'https://sonde.example.com/downloads/runner.sh' | SONDE_TOKEN='one-time' sh -s -- --server 'https://sonde.example.com'",
  );
  expect(https.docker).toContain("sonde}/probe-runner:${SONDE_VERSION:-1.2.0}");
  const http = runnerCommands({ ...made, origin: "http://sonde.lan" });
  expect(http.script).toContain(`echo '${made.scriptSha256}  sonde-runner.sh' | sha256sum -c -`);
  expect(http.script).toContain("--allow-http");
  expect(http.docker).toContain("--env SONDE_ALLOW_HTTP=1");
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sonde-runner-install-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Installs the service on a machine whose commands are imitated, and returns what it wrote. */
function installService(environment: Record<string, string>, nodeFolder = "/usr/bin") {
  const programs = join(folder, "bin");
  mkdirSync(programs);
  const imitate = (name: string, text: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  imitate("id", "echo 0");
  imitate("node", "exit 0");
  imitate("readlink", `echo ${nodeFolder}/node`);
  imitate("curl", 'while [ "$1" != -fsSLo ]; do shift; done; printf runner >"$2"');
  imitate("install", `case "$*" in *"-m 0600 /dev/stdin /etc/sonde-runner.env") cat >${folder}/env ;; esac`);
  imitate("tee", `cat >${folder}/unit`);
  imitate("systemctl", "");
  const script = runnerScript(hash("sha256", "runner")).replace("-d /run/systemd/system", "-d /");
  const { status, stderr } = spawnSync("sh", ["-s", "--", "--server", "https://example.com/uptime", "--service"], {
    input: script,
    env: { PATH: `${programs}:${process.env.PATH}`, SONDE_TOKEN: "one-time", ...environment },
  });
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return { status, stderr: stderr.toString(), read };
}

test("the service keeps the runner's variables, and only root can read the token", () => {
  const kept = { HTTPS_PROXY: "http://proxy:3128", no_proxy: "lan", CA_FILE: "/etc/ca.pem", PROBE_DENY_CIDRS: "none" };
  const { status, read } = installService({ ...kept, HOME: "/root", PROXY: "other" });
  expect(status).toBe(0);
  const [url, allowHttp, token, ...variables] = read("env").trim().split("\n");
  expect([url, allowHttp, token]).toEqual([
    "SONDE_URL=https://example.com/uptime",
    "SONDE_ALLOW_HTTP=0",
    "SONDE_TOKEN=one-time",
  ]);
  expect(variables.sort()).toEqual(
    Object.entries(kept)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
  expect(read("unit")).not.toContain("one-time");
  expect(read("unit")).toContain(`ExecStart=${folder}/bin/node /usr/local/lib/sonde/sonde-runner.mjs\n`);
  expect(read("unit")).toContain("RestartPreventExitStatus=2 3 4\n");
  // Without these, ping cannot run on Debian 12.
  for (const line of ["AmbientCapabilities=CAP_NET_RAW", "SystemCallFilter=capset setuid"])
    expect(read("unit")).toContain(`\n${line}\n`);
});

test("the service is not installed with a Node.js in a home folder, which it could not read", () => {
  const { status, stderr } = installService({}, "/root/.nvm/versions/node/v24/bin");
  expect([status, stderr]).toEqual([1, expect.stringContaining("Install Node.js for all users")]);
});
