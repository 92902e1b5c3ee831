import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runCommand } from "../cli.ts";
import { temporaryFolder } from "../testing/fixture.ts";
import { accept, fakeServer, json, type Respond } from "../testing/server.ts";

const limits = { minIntervalSeconds: 1, maxBatchSamples: 50, maxBodyBytes: 100_000, reportsPerMinute: 6000 };
const registered: Respond = (response) => json(response, 201, { success: true, agentId: 7, key: "the-key", limits });
const main = new URL("../main.ts", import.meta.url).pathname;

async function call(directory: string, args: string[], input = "") {
  const lines = { out: [] as string[], err: [] as string[] };
  const code = await runCommand({
    args,
    env: { SONDE_AGENT_DIR: directory },
    out: (line) => lines.out.push(line),
    err: (line) => lines.err.push(line),
    stdin: (async function* () {
      yield Buffer.from(input);
    })(),
    signal: new AbortController().signal,
  });
  return { code, out: lines.out.join("\n"), err: lines.err.join("\n") };
}

const register = (directory: string, url: string, more: string[] = []) =>
  call(directory, ["register", "--server", url, "--interval", "1", ...more], "tok_123\n");

function start(directory: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, "run"], {
    env: { PATH: process.env.PATH, SONDE_AGENT_DIR: directory, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  return { child, exited: once(child, "exit"), output: () => output };
}

test("register uses the token from standard input and stores the key for its owner only", async () => {
  const server = await fakeServer([registered]);
  const directory = join(temporaryFolder(), "agent");
  const { code, out } = await register(directory, server.url, ["--name", "web-1"]);
  expect(code).toBe(0);
  expect(out).toMatch(/agent 7/);
  const body = JSON.parse(String(server.received[0]?.body)) as Record<string, unknown>;
  expect(server.received[0]?.path).toBe("/agent/v1/register");
  expect(body).toMatchObject({
    token: "tok_123",
    name: "web-1",
    interval: 1,
    version: expect.any(String),
    hostname: expect.any(String),
  });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, "config.json")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(directory, "config.json"), "utf8")).not.toContain("tok_123");
  expect(readdirSync(directory)).toEqual(["config.json"]);
});

test("a token file is deleted only after it was used", async () => {
  const folder = temporaryFolder();
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, "tok_123\n");
  const server = await fakeServer([
    (response) => json(response, 401, { success: false, message: "The token was used" }),
    registered,
  ]);
  const args = ["register", "--server", server.url, "--token-file", tokenFile];
  const refused = await call(join(folder, "a"), args);
  expect(refused).toMatchObject({ code: 4, err: "The server rejected the token: The token was used" });
  expect(existsSync(tokenFile)).toBe(true);
  expect((await call(join(folder, "a"), args)).code).toBe(0);
  expect(existsSync(tokenFile)).toBe(false);
});

test.each([
  [["register"], 2, /--server is missing/],
  [["register", "--server", "sonde"], 2, /not an address/],
  [["register", "--server", "ftp://x"], 2, /https/],
  [["register", "--server", "https://user:pw@x"], 2, /cannot contain a password/],
  [["register", "--server", "http://sonde.example.com"], 2, /Plain HTTP/],
  [["register", "--server", "https://x", "--interval", "0"], 2, /--interval/],
  [["register", "--server", "https://x"], 2, /standard input/],
  [["register", "tok_123"], 2, /positional/],
  [["run"], 3, /not registered/],
  [["status"], 3, /not registered/],
  [["uninstall"], 2, /--yes/],
  [["dance"], 2, /Unknown command/],
  [["constructor"], 2, /Unknown command/],
])("%j exits with %i and a reason", async (args, code, message) => {
  const directory = join(temporaryFolder(), "agent");
  const result = await call(directory, args);
  expect(result.code).toBe(code);
  expect(result.err).toMatch(message);
});

test("a server that is not a Sonde, and an unreachable one, are reported", async () => {
  const server = await fakeServer([(response) => void response.writeHead(200).end("<html>")]);
  expect((await register(temporaryFolder(), server.url)).err).toMatch(/does not look like a Sonde server/);
  server.close();
  const gone = await register(temporaryFolder(), server.url);
  expect(gone.err).toMatch(/cannot be reached/);
  expect(gone.code).toBe(1);
});

test("help and version go to standard output", async () => {
  expect((await call("", ["--help"])).out).toMatch(/sonde-agent register/);
  expect((await call("", ["run", "--help"])).code).toBe(0);
  expect((await call("", ["--version"])).out).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await call("", [])).code).toBe(2);
});

test("run reports, status shows it, a second run is rejected, and SIGTERM ends it cleanly", async () => {
  const server = await fakeServer([registered, accept]);
  const directory = temporaryFolder();
  await register(directory, server.url);
  const { child, exited } = start(directory);
  await vi.waitFor(() => expect(server.received.length).toBeGreaterThan(2), { timeout: 20_000 });
  const report = server.received[1]?.report;
  expect(server.received[1]?.headers.authorization).toBe("Bearer the-key");
  expect(report?.samples[0]?.memory?.total).toBeGreaterThan(0);
  expect(report?.samples[0]?.cpu?.usage).toBeDefined();
  expect(report?.samples[0]?.footprint?.rss).toBeGreaterThan(0);
  expect(report?.host?.hostname).not.toBe("");
  expect(report?.host?.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(server.received[2]?.report?.samples).not.toEqual([]);
  expect(server.received[2]?.report?.host).toBeUndefined();
  await vi.waitFor(async () => expect((await call(directory, ["status"])).code).toBe(0), { timeout: 10_000 });
  expect((await call(directory, ["status", "--json"])).out).toContain('"running":true');
  expect((await call(directory, ["uninstall", "--yes"])).err).toMatch(/is still running/);
  const second = start(directory);
  expect((await second.exited)[0]).toBe(1);
  expect(second.output()).toMatch(/Another agent is using/);
  child.kill("SIGTERM");
  expect((await exited)[0]).toBe(0);
  expect((await call(directory, ["status"])).code).toBe(1);
  expect((await call(directory, ["uninstall", "--yes"])).code).toBe(0);
  expect(readdirSync(directory)).toEqual([]);
});

test("samples from an outage and from before kill -9 arrive once, with their own times", async () => {
  const away: Respond = (response) => json(response, 503, { success: false, message: "away" });
  let open = false;
  const server = await fakeServer([registered, (response, received) => (open ? accept : away)(response, received)]);
  const directory = temporaryFolder();
  await register(directory, server.url);
  const first = start(directory);
  const attempted = () => server.received.flatMap(({ report }) => report?.samples ?? []);
  await vi.waitFor(() => expect(new Set(attempted().map((sample) => sample.sequence)).size).toBeGreaterThan(2), {
    timeout: 30_000,
  });
  first.child.kill("SIGKILL");
  await first.exited;
  const sampled = new Set(attempted().map((sample) => sample.sequence));
  const killedAt = Date.now();
  open = true;
  const before = server.received.length;
  const second = start(directory);
  const arrived = () => server.received.slice(before).flatMap(({ report }) => report?.samples ?? []);
  await vi.waitFor(() => expect(arrived().some((sample) => Number(sample.at?.seconds) * 1000 > killedAt)).toBe(true), {
    timeout: 30_000,
  });
  second.child.kill("SIGTERM");
  await second.exited;
  const sequences = arrived().map((sample) => sample.sequence!);
  expect([...sampled].filter((sequence) => !sequences.includes(sequence!))).toEqual([]);
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
});

test("a rejected key ends run with its own exit code and instructions", async () => {
  const server = await fakeServer([
    registered,
    (response) => json(response, 401, { success: false, message: "revoked" }),
  ]);
  const directory = temporaryFolder();
  await register(directory, server.url);
  const { exited, output } = start(directory);
  expect((await exited)[0]).toBe(4);
  expect(output()).toMatch(/rejected this agent's key \(revoked\).*new token/);
  expect(output()).not.toContain("the-key");
});

test("run uses the interval that the server requests", async () => {
  const server = await fakeServer([
    registered,
    (response) =>
      json(response, 200, { success: true, accepted: 1, serverTime: new Date().toISOString(), interval: 2 }),
  ]);
  const directory = temporaryFolder();
  await register(directory, server.url);
  const { child, exited, output } = start(directory);
  await vi.waitFor(() => expect(server.received.some(({ report }) => report?.interval === 2)).toBe(true), {
    timeout: 20_000,
  });
  child.kill("SIGTERM");
  await exited;
  expect(output()).toMatch(/The interval is now 2 s/);
});

test("doctor reports problems before a registration", async () => {
  const { code, out } = await call(temporaryFolder(), ["doctor"]);
  expect(code).toBe(1);
  expect(out).toMatch(/Memory +\d/);
  expect(out).toMatch(/Problem: This agent is not registered/);
});
