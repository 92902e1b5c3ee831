import { expect, it } from "vitest";
import { createDialer } from "./dial.ts";

it.each([
  [["192.0.2.1", "192.0.2.2"], 1000, 334],
  [["192.0.2.1", "192.0.2.2", "192.0.2.3"], 400, 100],
  [["192.0.2.1", "192.0.2.2"], 60_000, 1000],
  [["192.0.2.1", "192.0.2.2"], undefined, 1000],
] as const)("of %j within %s ms, each but the last is tried for %s ms", (addresses, timeoutMs, attemptMs) => {
  const dialled = createDialer("a.test", 443, [...addresses] as [string, ...string[]], timeoutMs);
  expect(dialled).toMatchObject({ autoSelectFamilyAttemptTimeout: attemptMs });
});
