import { expect, test } from "vitest";
import { runScript } from "../support/run-script.ts";

test("no check or sample is lost and memory stays flat for 10 minutes", { timeout: 1_800_000 }, async () => {
  const args = ["--monitors", "500", "--agents", "500", "--minutes", "10"];
  const { code, output } = await runScript("e2e/soak/run.ts", ...args);
  expect(code, output).toBe(0);
});
