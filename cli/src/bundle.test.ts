import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleCommand } from "../build.ts";
import { applied, standIn } from "./testing/stand-in.ts";

/** Installed on the machine, because users run the command with their own Node. */
const nodes = ["/usr/bin/node", "/usr/local/bin/node"].filter((path) => existsSync(path));
let folder: string;
let command: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sonde-bundle-"));
  command = join(folder, "sonde.mjs");
  writeFileSync(command, await bundleCommand());
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Without a Node on the machine the test fails, rather than skipping what is promised. */
const node = nodes[0] ?? "/usr/bin/node";
const environment = (env: NodeJS.ProcessEnv = {}) => ({ PATH: process.env.PATH, HOME: folder, ...env });
async function run(args: string[], env: NodeJS.ProcessEnv = {}, kill?: (child: { pid?: number }) => void) {
  const child = spawn(node, [command, ...args], {
    cwd: folder,
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  kill?.(child);
  const code = await new Promise((done) => child.once("close", done));
  return { code, out, err };
}

test("runs without packages on the machine's own Node, which may be 20", async () => {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout;
  expect(Number(/^v(\d+)/.exec(version)?.[1])).toBeGreaterThanOrEqual(20);
  expect(readFileSync(command, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(await run(["init"])).toMatchObject({ code: 0, err: "" });
  expect(await run(["validate"])).toEqual({ code: 0, out: "1 object is valid\n", err: "" });
  const sonde = await standIn({ "POST /api/apply": applied({ create: ["monitors.website"] }) });
  const env = { SONDE_URL: sonde.url, SONDE_KEY: "sonde_x" };
  expect(await run(["diff"], env)).toMatchObject({ code: 2, err: "" });
  expect(await run(["apply", "--output", "json"], env)).toMatchObject({ code: 0, err: "" });
  writeFileSync(join(folder, "export.json"), '{"version":1,"monitors":[]}');
  const imported = await standIn({ "POST /api/import": { success: true, dryRun: false, will: [], cannot: [] } });
  expect(await run(["import", "export.json"], { ...env, SONDE_URL: imported.url })).toMatchObject({
    code: 0,
    out: "0 imported, 0 cannot be imported\n",
  });
});

test("a long plan is written completely to a pipe", async () => {
  const create = Array.from({ length: 9000 }, (_, at) => `monitors.monitor-with-a-long-name-${at}`);
  const sonde = await standIn({ "POST /api/apply": applied({ create }) });
  const { code, out } = await run(["diff"], { SONDE_URL: sonde.url, SONDE_KEY: "sonde_x" });
  expect([code, out.split("\n").length]).toEqual([2, 9002]);
});

test("login at a terminal does not echo the key", async () => {
  const sonde = await standIn({ "GET /api/monitors": { success: true, monitors: [] } });
  const child = spawn("script", ["-qec", `${node} ${command} login ${sonde.url}`, "/dev/null"], {
    env: environment(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
    if (String(chunk).includes("not shown")) child.stdin.write("sonde_canary1\r");
  });
  expect(await new Promise((done) => child.once("close", done))).toBe(0);
  expect(out).toContain("Logged in");
  expect(out).not.toContain("canary");
  expect(sonde.received[0]?.key).toBe("sonde_canary1");
});

describe("completion", () => {
  const complete = async (line: string) => {
    writeFileSync(join(folder, "completion.bash"), (await run(["completion", "bash"])).out);
    const words = line.split(" ");
    const script = `. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sonde; echo "\${COMPREPLY[*]}"`;
    return spawnSync("bash", ["-c", script, "bash", ...words], { cwd: folder, encoding: "utf8" }).stdout.trim();
  };

  test("for bash knows commands, options and their choices", async () => {
    expect(await complete("sonde va")).toBe("validate");
    expect(await complete("sonde apply --al")).toBe("--allow-delete");
    expect(await complete("sonde diff --output ")).toBe("text json github");
    expect(await complete("sonde get mon")).toBe("monitors");
  });

  test("for zsh has the same words", async () => {
    const { out } = await run(["completion", "zsh"]);
    expect(out).toMatch(/^#compdef sonde\n/);
    expect(out).toContain("diff:--output) compadd -- text json github ;;");
  });
});

describe("run", () => {
  const heartbeat = (answer: (count: number) => number = () => 200) => {
    let count = 0;
    const respond = () => ({ status: answer((count += 1)), body: "OK" });
    return standIn(
      Object.fromEntries(["start", "0", "3", "143", "127"].map((event) => [`POST /ping/abc/${event}`, respond])),
    );
  };

  test("sends the start, the exit code and the last output, and exits like the command", async () => {
    const sonde = await heartbeat();
    const script = `echo begin; head -c 20000 /dev/zero | tr '\\0' x; echo oops >&2; exit 3`;
    const { code, out, err } = await run(["run", "--ping", `${sonde.url}/ping/abc?create=1`, "--", "sh", "-c", script]);
    expect([code, out.length, err]).toEqual([3, 20_006, "oops\n"]);
    const [start, end] = sonde.received;
    const runId = /rid=([0-9a-f-]{36})$/.exec(start!.path)?.[1];
    expect(start!.path).toBe(`/ping/abc/start?create=1&rid=${runId}`);
    expect(end!.path).toBe(`/ping/abc/3?create=1&rid=${runId}`);
    expect(end!.body).toHaveLength(10_000);
    expect(end!.body).toMatch(/x(oops\n)?$/);
  });

  test("retries until the end is accepted", async () => {
    const sonde = await heartbeat((count) => (count < 4 ? 503 : 200));
    expect(await run(["run", "--ping", `${sonde.url}/ping/abc`, "--", "true"])).toEqual({ code: 0, out: "", err: "" });
    expect(sonde.received.at(-1)!.path).toMatch(/\/0\?rid=/);
    expect(sonde.received.length).toBeGreaterThanOrEqual(4);
  });

  test("exits like the command even if the heartbeat rejects it", async () => {
    const sonde = await standIn({});
    expect(await run(["run", "--ping", `${sonde.url}/ping/abc`, "--", "sh", "-c", "exit 7"])).toEqual({
      code: 7,
      out: "",
      err: "sonde: this run was not reported to the heartbeat: status 404\n",
    });
    expect(await run(["run", "--ping", "nowhere", "--", "true"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("address"),
    });
  });

  test("forwards signals, and reports a missing program", async () => {
    const sonde = await heartbeat();
    const ping = ["--ping", `${sonde.url}/ping/abc`, "--"];
    const killed = await run(["run", ...ping, "sh", "-c", "echo up; exec sleep 60"], {}, (child) => {
      const timer = setInterval(() => {
        if (sonde.received.length === 0) return;
        clearInterval(timer);
        process.kill(child.pid!, "SIGTERM");
      }, 50);
    });
    expect(killed.code).toBe(143);
    const missing = await run(["run", ...ping, "no-such-program"]);
    expect(missing).toMatchObject({
      code: 127,
      err: "sonde: no-such-program cannot be run (command not found)\n",
    });
    expect(
      sonde.received.map(({ path }) => path.replace(/\?.*/, "")).filter((path) => !path.endsWith("start")),
    ).toEqual(["/ping/abc/143", "/ping/abc/127"]);
  });
});
