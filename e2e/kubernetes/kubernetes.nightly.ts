import { expect, test } from "vitest";
import { runScript } from "../support/run-script.ts";

test("the chart works on a cluster", { timeout: 7_200_000 }, async ({ skip }) => {
  skip(!process.env["KUBECONFIG"], "KUBECONFIG is not set");
  const { code, output } = await runScript("e2e/kubernetes/run.ts", "--quick");
  expect(code, output).toBe(0);
});
