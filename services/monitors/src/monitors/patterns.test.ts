import { createGuard } from "@sonde/kit/egress/guard";
import { AppError } from "@sonde/kit/errors";
import { secretBox } from "@sonde/kit/secrets";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Definition } from "./monitor.ts";
import { applyInput, type RuleContext } from "./rules.ts";

const ctx: RuleContext = {
  guard: createGuard(),
  secrets: secretBox(randomBytes(32).toString("base64")),
  minIntervalMs: 60_000,
  hasLocation: () => true,
};
const matching = (...values: string[]) =>
  values.map((value) => ({ source: "body", property: "", op: "matches", value }));
const input = { name: "one", url: "https://example.com/" };
const saved = (before: Definition | null, patch: object) => {
  try {
    return applyInput(ctx, patch, before);
  } catch (error) {
    return error instanceof AppError ? error.details.map(({ path }) => path) : error;
  }
};

test("a pattern is refused in its place, and only where it is a pattern", () => {
  expect(saved(null, { ...input, assertions: matching("(a", "ok", "a{9999}") })).toEqual([
    "assertions.0.value",
    "assertions.2.value",
  ]);
  const [text] = matching("(a");
  expect(saved(null, { ...input, assertions: [{ ...text, op: "contains" }] })).toMatchObject({ name: "one" });
});

test("one that stands there from before is refused when it is sent again, not when something else changes", () => {
  const before = { ...(saved(null, input) as Definition), assertions: matching("(a") };
  expect(saved(before, { name: "two" })).toMatchObject({ name: "two" });
  expect(saved(before, { assertions: matching("(a") })).toEqual(["assertions.0.value"]);
});
