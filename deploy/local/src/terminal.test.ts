import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTerminal, prefixed, readable } from "./terminal.ts";

const entry = (level: string, more: object = {}) =>
  JSON.stringify({ level, time: "2026-01-02T03:04:05.678Z", service: "auth", msg: "disconnected from NATS", ...more });

it("shows warnings and errors as a line for a person", () => {
  expect(readable("core", entry("warn"))).toBe("03:04:05 auth warning: disconnected from NATS");
  expect(readable("core", entry("error", { err: { message: "refused\nmore" } }))).toBe(
    "03:04:05 auth error: disconnected from NATS: refused more",
  );
});

it("shows any line behind its program's name, with a log's fields and an error's stack", () => {
  expect(prefixed("web", "ready in 300 ms")).toBe("web          │ ready in 300 ms");
  expect(prefixed("auth", entry("debug", { id: 7, pid: 1 }))).toBe(
    "auth         │ 03:04:05 debug disconnected from NATS id=7",
  );
  expect(prefixed("auth", entry("error", { err: { message: "refused", stack: "Error: refused\n    at x" } }))).toBe(
    "auth         │ 03:04:05 error disconnected from NATS\nauth         │ Error: refused\nauth         │     at x",
  );
});

it("shows why a statement failed, not the statement", () => {
  const message =
    'insert into "monitors" ("name", "url")\n  values ($1, $2) - could not extend file: No space left on device';

  expect(readable("core", entry("error", { err: { message } }))).toBe(
    "03:04:05 auth error: disconnected from NATS: could not extend file: No space left on device",
  );
});

it("shows what each attempt at an address met, and a reason without an error", () => {
  const aggregateErrors = [
    { message: "connect ECONNREFUSED ::1:5432" },
    { message: "connect ECONNREFUSED 127.0.0.1:5432" },
  ];

  expect(readable("core", entry("warn", { err: { message: "", aggregateErrors } }))).toBe(
    "03:04:05 auth warning: disconnected from NATS: connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432",
  );
  expect(readable("core", entry("warn", { reason: "no route" }))).toBe(
    "03:04:05 auth warning: disconnected from NATS: no route",
  );
});

it("shows nothing of lesser lines, nor of what is no log", () => {
  expect(readable("core", entry("info"))).toBeUndefined();
  expect(readable("core", "listening")).toBeUndefined();
  expect(readable("core", "42")).toBeUndefined();
});

it("keeps every line in the log file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sonde-terminal-"));
  const file = join(folder, "logs", "sonde.log");

  openTerminal(file).service("core", entry("info"));

  expect(await readFile(file, "utf8")).toBe(`${entry("info")}\n`);
  await rm(folder, { recursive: true });
});
