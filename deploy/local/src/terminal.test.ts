import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anyLine, onceAMinute, openTerminal, warningIn } from "./terminal.ts";

const entry = (level: string, more: object = {}) =>
  JSON.stringify({ level, time: "2026-01-02T03:04:05.678Z", service: "auth", msg: "disconnected from NATS", ...more });

it("shows warnings and errors as readable lines", () => {
  expect(warningIn("core", entry("warn"))).toBe("03:04:05 auth warning: disconnected from NATS");
  expect(warningIn("core", entry("error", { err: { message: "refused\nmore" } }))).toBe(
    "03:04:05 auth error: disconnected from NATS: refused more",
  );
});

it("shows any line of a program, including log fields and error stacks", () => {
  expect(anyLine("web", "ready in 300 ms")).toBe("web: ready in 300 ms");
  expect(anyLine("auth", entry("debug", { id: 7 }))).toBe('auth: 03:04:05 debug disconnected from NATS {"id":7}');
  expect(anyLine("auth", entry("error", { err: { message: "refused", stack: "Error: refused\n    at x" } }))).toBe(
    "auth: 03:04:05 error disconnected from NATS\nError: refused\n    at x",
  );
});

it("shows why a statement failed, not the statement", () => {
  const message =
    'insert into "monitors" ("name", "url")\n  values ($1, $2) - could not extend file: No space left on device';

  expect(warningIn("core", entry("error", { err: { message } }))).toBe(
    "03:04:05 auth error: disconnected from NATS: could not extend file: No space left on device",
  );
});

it("shows why a configuration folder was not applied", () => {
  const problem = "/etc/sonde/config does not exist";
  expect(warningIn("core", entry("warn", { msg: "configuration folder not applied", problem }))).toBe(
    "03:04:05 auth warning: configuration folder not applied: /etc/sonde/config does not exist",
  );
});

it("shows a recurring warning once a minute", () => {
  const lines: string[] = [];
  let nowMs = 0;
  const show = onceAMinute(
    (line) => void lines.push(line),
    () => nowMs,
  );
  show("03:04:05 auth warning: a");
  show("03:04:06 auth warning: a");
  show("03:04:06 auth warning: b");
  expect(lines.splice(0)).toEqual(["03:04:05 auth warning: a", "03:04:06 auth warning: b"]);
  nowMs = 60_000;
  show("03:05:05 auth warning: a");
  expect(lines).toEqual(["03:05:05 auth warning: a"]);
});

it("shows the error of each attempt, and a reason without an error", () => {
  const aggregateErrors = [
    { message: "connect ECONNREFUSED ::1:5432" },
    { message: "connect ECONNREFUSED 127.0.0.1:5432" },
  ];

  expect(warningIn("core", entry("warn", { err: { message: "", aggregateErrors } }))).toBe(
    "03:04:05 auth warning: disconnected from NATS: connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432",
  );
  expect(warningIn("core", entry("warn", { reason: "no route" }))).toBe(
    "03:04:05 auth warning: disconnected from NATS: no route",
  );
});

it("hides lower levels and lines that are not a log", () => {
  expect(warningIn("core", entry("info"))).toBeUndefined();
  expect(warningIn("core", "listening")).toBeUndefined();
  expect(warningIn("core", "42")).toBeUndefined();
});

it("keeps every line in the log file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sonde-terminal-"));
  const file = join(folder, "logs", "sonde.log");

  openTerminal(file).service("core", entry("info"));

  expect(await readFile(file, "utf8")).toBe(`${entry("info")}\n`);
  await rm(folder, { recursive: true });
});
