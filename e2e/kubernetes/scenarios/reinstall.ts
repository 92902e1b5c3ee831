import { installChart, release } from "../sonde/chart.ts";
import { locate } from "../ground.ts";
import { until } from "../cluster/wait.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { adminOf } from "../sonde/account.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { readLasting, lostOf, withNewCheck } from "../sonde/lasting.ts";
import { createSwitches } from "../sonde/switches.ts";

const uninstallTimeoutMs = 200_000;

export const reinstall: Scenario = {
  name: "reinstall",
  about: "helm uninstall, then helm install on the retained volumes and Secrets",
  async run(ground) {
    const installed = await ground.sonde();
    const { namespace, values } = installed;
    const { api } = await ground.admin();
    const target = await ground.target(namespace);
    const switches = await createSwitches(api, target, ground.next(), 5);
    await switches[0]?.fail();
    await switches[0]?.becomes("down");
    const before = await readLasting(api);

    const uninstall = ["uninstall", release, "--wait", "--timeout", "180s"];
    await namespace.helm(uninstall, { timeoutMs: uninstallTimeoutMs });
    await until("all pods of Sonde are deleted", async () =>
      (await namespace.pods("app.kubernetes.io/name=sonde")).length === 0 ? true : undefined,
    );
    const beganMs = performance.now();
    await installChart(namespace, "install", await ground.chart(), values);
    const seconds = (performance.now() - beganMs) / 1000;
    Object.assign(installed, await locate(ground, namespace, values));
    const again = await adminOf(installed.url, installed.setupCode);
    const after = await readLasting(again.api);
    await switches[0]?.heal();
    const fresh = await withNewCheck(again.api, after);
    await deleteMonitors(again.api);
    return [
      lossless(
        "`helm uninstall`, then `helm install`",
        "same login, monitors, incidents, users and checks",
        `ready after ${seconds.toFixed(0)} s: ${before.monitors.length} monitors, ${before.users.length} users, ${before.checks.length} checks, then ${fresh.checks.length}`,
        lostOf(before, after),
      ),
    ];
  },
};
