import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
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
