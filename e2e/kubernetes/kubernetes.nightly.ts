import { expect, test } from "vitest";
import { runScript } from "../support/run-script.ts";

test("the chart holds on a cluster", { timeout: 7_200_000 }, async ({ skip }) => {
  skip(!process.env["KUBECONFIG"], "KUBECONFIG names no cluster");
  const { code, output } = await runScript("e2e/kubernetes/run.ts", "--quick");
  expect(code, output).toBe(0);
});
