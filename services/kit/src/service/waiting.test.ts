import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { reasonOf, reportWait } from "./waiting.ts";

function open() {
  const lines: string[] = [];
  const log = createLog("test", "info", { write: (line) => void lines.push(line) });
  let nowMs = 0;
  const wait = reportWait(log, "NATS at db:4222", { now: () => nowMs });
  const logged = () =>
    lines.splice(0).map((line) => {
      const { msg, reason, attempts } = JSON.parse(line) as Record<string, string | number | undefined>;
      return [msg, reason, attempts].filter((part) => part !== undefined).join(", ");
    });
  return { wait, logged, pass: (ms: number) => void (nowMs += ms) };
}

test("a wait is logged with its reason, then at growing intervals", () => {
  const { wait, logged, pass } = open();
  for (let second = 0; second < 600; second++) {
    wait.failed(new Error("connection refused"));
    pass(1_000);
  }
  expect(logged()).toEqual([
    "waiting for NATS at db:4222, connection refused",
    "still waiting for NATS at db:4222, connection refused, 61",
    "still waiting for NATS at db:4222, connection refused, 181",
    "still waiting for NATS at db:4222, connection refused, 421",
  ]);
});

test("a new reason is logged immediately, and so is the end of the wait", () => {
  const { wait, logged } = open();
  wait.failed(new Error("connection refused"));
  wait.failed(new Error("Authorization Violation"));
  wait.over();
  wait.over();
  expect(logged()).toEqual([
    "waiting for NATS at db:4222, connection refused",
    "waiting for NATS at db:4222, Authorization Violation",
    "NATS at db:4222 is reachable, 1",
  ]);
});

test("a reason includes each error of an aggregate and the cause", () => {
  const both = new AggregateError([new Error("refused ::1"), new Error("refused 127.0.0.1")]);
  expect(reasonOf(both)).toBe("refused ::1; refused 127.0.0.1");
  expect(reasonOf(new Error("could not connect", { cause: both }))).toBe(
    "could not connect: refused ::1; refused 127.0.0.1",
  );
});
