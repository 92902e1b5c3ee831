import { expect, test } from "vitest";
import { runScript } from "../support/run-script.ts";

test("nothing is lost while services are killed 20 times", { timeout: 1_800_000 }, async () => {
  const { code, output } = await runScript("e2e/kills/run.ts", "20");
  expect(code, output).toBe(0);
});
