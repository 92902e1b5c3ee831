import { expect, test } from "vitest";
import { runScript } from "../support/run-script.ts";

test("attacks do not affect other users", { timeout: 3_600_000 }, async () => {
  const { code, output } = await runScript("e2e/attacks/run.ts");
  expect(code, output).toBe(0);
});
