import { installChart, release } from "../sonde/chart.ts";
import { whereabouts } from "../ground.ts";
import { until } from "../cluster/wait.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { adminOf } from "../sonde/account.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { kept, lostOf, withNewCheck } from "../sonde/kept.ts";
import { makeSwitches } from "../sonde/switches.ts";

const uninstallTimeoutMs = 200_000;

export const reinstall: Scenario = {
  name: "reinstall",
  about: "helm uninstall, and install again on the kept volumes and Secrets",
  async run(ground) {
    const installed = await ground.sonde();
    const { namespace, values } = installed;
    const { api } = await ground.admin();
    const target = await ground.target(namespace);
    const switches = await makeSwitches(api, target, ground.next(), 5);
    await switches[0]?.fail();
    await switches[0]?.becomes("down");
    const before = await kept(api);

    const uninstall = ["uninstall", release, "--wait", "--timeout", "180s"];
    await namespace.helm(uninstall, { timeoutMs: uninstallTimeoutMs });
    await until("no pod of Sonde is left", async () =>
      (await namespace.pods("app.kubernetes.io/name=sonde")).length === 0 ? true : undefined,
    );
    const beganMs = performance.now();
    await installChart(namespace, "install", await ground.chart(), values);
    const seconds = (performance.now() - beganMs) / 1000;
    Object.assign(installed, await whereabouts(ground, namespace, values));
    const again = await adminOf(installed.url, installed.setupCode);
    const after = await kept(again.api);
    await switches[0]?.heal();
    const fresh = await withNewCheck(again.api, after);
    await deleteMonitors(again.api);
    return [
      lossless(
        "`helm uninstall`, `helm install` again",
        "the same login, monitors, incidents, users, checks",
        `ready after ${seconds.toFixed(0)} s: ${before.monitors.length} monitors, ${before.users.length} users, ${before.checks.length} checks, then ${fresh.checks.length}`,
        lostOf(before, after),
      ),
    ];
  },
};
