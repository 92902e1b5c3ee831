import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { faultIn, startChild } from "./child-process.ts";
import { isAlive } from "@sonde/embedded/process-identity";
import { EventEmitter } from "node:events";

/** A service process that is up at once and lives on; answers the numbers of the processes that were started for it. */
async function startLiving() {
  const folder = await mkdtemp(join(tmpdir(), "sonde-child-"));
  const program = join(folder, "child.mjs");
  await writeFile(
    program,
    `process.send({ ready: "x" }); setInterval(() => process.send({ alive: true }), 50);
     process.on("disconnect", () => process.exit());`,
  );
  const starts = new EventEmitter();
  const warnings: string[] = [];
  let second = () => {};
  const terminal = { say: () => {}, service: () => {}, warn: (line: string) => void warnings.push(line) };
  const eachSecond = (run: () => void) => {
    second = run;
    return () => {};
  };
  let pid = 0;
  const onStarted = (started: number) => {
    pid = started;
    starts.emit("start");
  };
  const child = startChild({ name: "metrics", environment: process.env, terminal, onStarted, program, eachSecond });
  await child.ready;
  return {
    pid: () => pid,
    again: () => once(starts, "start"),
    pass: (seconds: number) => Array.from({ length: seconds }).forEach(() => second()),
    warnings,
    async end() {
      child.kill();
      await rm(folder, { recursive: true });
    },
  };
}

it("starts a process anew that stands still for 30 s, and says so", async () => {
  const living = await startLiving();
  const first = living.pid();
  process.kill(first, "SIGSTOP");
  const again = living.again();

  living.pass(30);
  await again;

  expect(isAlive(first)).toBe(false);
  expect(living.pid()).not.toBe(first);
  expect(living.warnings).toEqual([
    "The metrics process has not responded for 10 s; after 30 s it is restarted.",
    "The metrics process does not respond: killed.",
    "The metrics process ended (SIGKILL); restarting in 0.5 s.",
  ]);
  await living.end();
});

it("starts a process anew that dies", async () => {
  const living = await startLiving();
  const first = living.pid();
  const again = living.again();

  process.kill(first, "SIGKILL");
  await again;

  expect(living.pid()).not.toBe(first);
  expect(living.warnings).toEqual([
    "The metrics process was killed, possibly because memory ran out; restarting in 0.5 s.",
  ]);
  await living.end();
});

it("finds the sentence in which a process said why it could not start", () => {
  const words = [
    "(node:1) Warning: something",
    "core could not start: Error: Port 8080 is in use",
    "    at listen (file.ts:1:2)",
  ];

  expect(faultIn(words)).toBe("Port 8080 is in use");
});

it("leaves out the kind of an error that a server answered with", () => {
  const words = ['core could not start: error: password authentication failed for user "sonde"'];

  expect(faultIn(words)).toBe('password authentication failed for user "sonde"');
});

it("keeps every fault of a configuration", () => {
  const words = [
    "core could not start: The configuration is not valid.",
    "  PORT: must be a port",
    "  HOST: required",
    "",
  ];

  expect(faultIn(words)).toBe("The configuration is not valid.\n  PORT: must be a port\n  HOST: required");
});

it("falls back to the error that ended it", () => {
  expect(faultIn(["file.ts:1", "TypeError: x is not a function", "    at file.ts:1"])).toBe(
    "TypeError: x is not a function",
  );
  expect(faultIn(["", "nothing of note"])).toBeUndefined();
});

it("finds the error of a module that cannot be loaded", () => {
  const words = [
    "core could not start: file:///a.ts:2",
    "import { a } from 'b';",
    "SyntaxError: no export named 'a'",
    "    at x",
  ];

  expect(faultIn(words)).toBe("SyntaxError: no export named 'a'");
});
