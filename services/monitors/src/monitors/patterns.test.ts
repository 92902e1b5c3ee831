import { createGuard } from "@sonde/kit/egress/guard";
import { AppError } from "@sonde/kit/errors";
import { createPatternChecker } from "@sonde/kit/patterns/checker";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import type { Definition } from "./monitor.ts";
import { patternErrors, mergeInput, type Patch, type RuleContext } from "./rules.ts";

const ctx: RuleContext = {
  guard: createGuard(),
  secrets: secretBox(deriveKeys(randomBytes(32).toString("base64"))),
  nowMs: Date.now,
  minIntervalMs: 60_000,
  locations: { liveLocations: () => ["default"] },
};
const matching = (...values: string[]) => values.map((value) => ({ source: "body", op: "matches", value }));
const input = { name: "one", check: { url: "https://example.com/" } };
const withAssertions = (assertions: object[]) => ({ ...input, check: { ...input.check, assertions } });
const checker = createPatternChecker();
afterAll(checker.stop);
const saved = async (before: Definition | null, patch: Patch) => {
  try {
    return mergeInput(ctx, patch, {
      before,
      errors: await patternErrors(checker, patch.check, before?.config ?? null),
    });
  } catch (error) {
    return error instanceof AppError ? error.details.map(({ path }) => path) : error;
  }
};

test("an invalid pattern is rejected with its path, and only where the field is a pattern", async () => {
  expect(await saved(null, withAssertions(matching("(a", "ok", "a{9999}")))).toEqual([
    "assertions.0.value",
    "assertions.2.value",
  ]);
  const text = { source: "body", value: "(a" };
  expect(await saved(null, withAssertions([{ ...text, op: "contains" }]))).toMatchObject({ name: "one" });
});

test("a stored invalid pattern is rejected when it is sent again, but not when other fields change", async () => {
  const plain = (await saved(null, input)) as Definition;
  const before = { ...plain, config: { ...plain.config, assertions: matching("(a") } };
  expect(await saved(before, { name: "two" })).toMatchObject({ name: "two" });
  expect(await saved(before, { check: { assertions: matching("(a") } })).toEqual(["assertions.0.value"]);
});

test("of many slow patterns the first is rejected", async () => {
  const folds = `(?i)${"[Ā-\u{10FFFF}]".repeat(332)}`;
  const many = Array.from({ length: 20 }, () => folds);
  expect(await saved(null, withAssertions(matching(...many)))).toEqual(["assertions.0.value"]);
});
