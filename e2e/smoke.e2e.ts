import { freePort } from "@sonde/embedded/free-port";
import { smoke } from "@sonde/setup/smoke";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget } from "@sonde/testing/target";

// Runs the smoke test of `helm test` against an installation.
let product: Product;
let target: Awaited<ReturnType<typeof startTarget>>;
beforeAll(async () => {
  target = await startTarget();
  product = await startProduct({
    AUTH_REGISTRATION: "approval",
    AUTH_SETUP_CODE: "abcd-efgh",
    MONITOR_MIN_INTERVAL_SECONDS: "1",
  });
});
afterAll(async () => {
  await product?.remove();
  await target?.stop();
});

/** Returns the log lines. If the test fails, the last one contains the error. */
async function run(overrides: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const lines: string[] = [];
  const environment = {
    SONDE_URL: product.url,
    SETUP_CODE: "abcd-efgh",
    TEST_USERNAME: "helm-test",
    TEST_PASSWORD: "a-long-password",
    ...overrides,
  };
  await smoke(environment, (line) => lines.push(line)).catch((error: Error) => lines.push(`FAILED ${error.message}`));
  return lines;
}

test("creates the first account, waits for a monitor's first result, and deletes the monitor", async () => {
  const wrong = await run({ SETUP_CODE: "wrong" });
  expect(wrong.at(-1)).toBe(
    "FAILED helm-test cannot register: The setup code is not correct. SETUP_CODE must be the code that the auth service was started with.",
  );
  const first = await run();
  expect(first[1]).toBe("helm-test is the first account and an administrator.");
  expect(first).toContainEqual(expect.stringMatching(/^First result: up, [\d.]+ ms\.$/));
  expect(first.slice(-2)).toEqual(["Deleted the monitor.", "Sonde works."]);
});

test("logs in to the existing account, and checks the given address", async () => {
  const lines = await run({ TARGET_URL: target.url });
  expect(lines[1]).toBe("helm-test has logged in.");
  expect(lines.at(-1)).toBe("Sonde works.");
});

test("reports why a check failed, and deletes its monitor", async () => {
  const lines = await run({ TARGET_URL: `http://127.0.0.1:${await freePort()}/` });
  expect(lines.at(-1)).toMatch(/^FAILED The check of http:\/\/127\.0\.0\.1:\d+\/ failed: /);
  expect(lines.at(-2)).toBe("Deleted the monitor.");
});

test("explains what to do about an account that waits for approval or has another password", async () => {
  const waiting =
    "FAILED The account other is waiting for approval: approve it under User Management in Sonde, then run the test again.";
  expect((await run({ TEST_USERNAME: "other" })).at(-1)).toBe(waiting);
  expect((await run({ TEST_USERNAME: "other" })).at(-1)).toBe(waiting);
  expect((await run({ TEST_PASSWORD: "another-password" })).at(-1)).toMatch(
    /^FAILED helm-test cannot register: .* An account with this name exists with another password/,
  );
});

test("reports that the address is not Sonde, or rejects the host name", async () => {
  expect((await run({ SONDE_URL: target.url })).at(-1)).toMatch(
    /^FAILED http.*a response that this version does not understand/,
  );
  expect((await run({ SONDE_HOST: "elsewhere.example.com" })).at(-1)).toMatch(/^FAILED http.*\(421\)$/);
});
