import { expect, it } from "vitest";
import { createLog } from "./log.ts";

it("writes a line of JSON with the level as a word and secrets redacted", () => {
  const lines: unknown[] = [];
  createLog("auth", "info", { write: (line) => void lines.push(JSON.parse(line)) }).warn({ password: "hunter2" }, "x");

  expect(lines).toEqual([expect.objectContaining({ level: "warn", service: "auth", password: "[secret]", msg: "x" })]);
});
