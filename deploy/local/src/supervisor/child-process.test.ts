import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findStartError, startChild } from "./child-process.ts";
import { isAlive } from "@sonde/embedded/process-identity";
import { EventEmitter } from "node:events";

async function startFakeService() {
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
  const terminal = { info: () => {}, service: () => {}, warn: (line: string) => void warnings.push(line) };
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
    restarted: () => once(starts, "start"),
    pass: (seconds: number) => Array.from({ length: seconds }).forEach(() => second()),
    warnings,
    async end() {
      child.kill();
      await rm(folder, { recursive: true });
    },
  };
}

it("restarts a process that hangs for 30 s, with a warning", async () => {
  const service = await startFakeService();
  const first = service.pid();
  process.kill(first, "SIGSTOP");
  const restarted = service.restarted();

  service.pass(30);
  await restarted;

  expect(isAlive(first)).toBe(false);
  expect(service.pid()).not.toBe(first);
  expect(service.warnings).toEqual([
    "The metrics process has not responded for 10 s; it will be restarted after 30 s.",
    "The metrics process does not respond and was killed.",
    "The metrics process ended (SIGKILL); restarting in 0.5 s.",
  ]);
  await service.end();
});

it("restarts a process that dies", async () => {
  const service = await startFakeService();
  const first = service.pid();
  const restarted = service.restarted();

  process.kill(first, "SIGKILL");
  await restarted;

  expect(service.pid()).not.toBe(first);
  expect(service.warnings).toEqual([
    "The metrics process was killed, possibly because memory ran out; restarting in 0.5 s.",
  ]);
  await service.end();
});

it("finds the reason why a process could not start", () => {
  const output = [
    "(node:1) Warning: something",
    "core could not start: Error: Port 8080 is in use",
    "    at listen (file.ts:1:2)",
  ];

  expect(findStartError(output)).toBe("Port 8080 is in use");
});

it("omits the severity of a server's error", () => {
  const output = ['core could not start: error: password authentication failed for user "sonde"'];

  expect(findStartError(output)).toBe('password authentication failed for user "sonde"');
});

it("returns every error of a configuration", () => {
  const output = [
    "core could not start: The configuration is not valid.",
    "  PORT: must be a port",
    "  HOST: required",
    "",
  ];

  expect(findStartError(output)).toBe("The configuration is not valid.\n  PORT: must be a port\n  HOST: required");
});

it("falls back to the error that ended it", () => {
  expect(findStartError(["file.ts:1", "TypeError: x is not a function", "    at file.ts:1"])).toBe(
    "TypeError: x is not a function",
  );
  expect(findStartError(["", "nothing of note"])).toBeUndefined();
});

it("finds the error of a module that cannot be loaded", () => {
  const output = [
    "core could not start: file:///a.ts:2",
    "import { a } from 'b';",
    "SyntaxError: no export named 'a'",
    "    at x",
  ];

  expect(findStartError(output)).toBe("SyntaxError: no export named 'a'");
});
