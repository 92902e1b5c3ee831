import type { Namespace } from "../cluster/namespace.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fullname, release } from "../sonde/chart.ts";

const timeoutMs = 240_000;

export const helmTest: Scenario = {
  name: "helm-test",
  about: "helm test logs in, adds a monitor and waits for its result",
  async run(ground) {
    const { namespace } = await ground.sonde();
    await ground.admin();
    const beganMs = performance.now();
    const lines = await testRelease(namespace);
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    return [lossless("`helm test`", "succeeds", `${lines.at(-1)} (${seconds} s)`, [])];
  },
};

/** Returns the lines that the test logged. @throws Error with them if it failed */
export async function testRelease(namespace: Namespace): Promise<string[]> {
  const logs = async () => (await namespace.kubectl("logs", `${fullname}-smoke`)).trim().split("\n");
  await namespace.helm(["test", release, "--timeout", "200s"], { timeoutMs }).catch(async (error: Error) => {
    throw new Error(`${(await logs().catch(() => [])).join("; ")} (${error.message})`);
  });
  return logs();
}
