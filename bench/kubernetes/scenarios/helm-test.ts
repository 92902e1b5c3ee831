import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { release } from "../sonde/chart.ts";

const timeoutMs = 240_000;

export const helmTest: Scenario = {
  name: "helm-test",
  about: "helm test: logs in, adds a monitor, sees its result",
  async run(ground) {
    const { namespace } = await ground.sonde();
    await ground.admin();
    const beganMs = performance.now();
    const said = await namespace.helm(["test", release, "--timeout", "200s"], { timeoutMs });
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    const failed = /Phase:\s+Succeeded/.test(said) ? [] : [said.trim()];
    return [lossless("`helm test`", "succeeds", `succeeded in ${seconds} s`, failed)];
  },
};
