import { installChart, overlay, release } from "../sonde/chart.ts";
import { whereabouts } from "../ground.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { adminOf } from "../sonde/account.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { kept, lostOf, withNewCheck } from "../sonde/kept.ts";
import { makeSwitches } from "../sonde/switches.ts";

const uninstallTimeoutMs = 200_000;
const volumes = "app.kubernetes.io/name=sonde,app.kubernetes.io/component in (postgres, nats, metrics)";

export const backup: Scenario = {
  name: "backup",
  about: "the CronJob's archive, restored by the Job into an installation whose volumes are gone",
  async run(ground) {
    const installed = await ground.sonde();
    const { namespace } = installed;
    const chart = await ground.chart();
    const values = overlay(installed.values, { backup: { enabled: true, storage: { size: "4Gi" } } });
    await installChart(namespace, "upgrade", chart, values);
    const { api } = await ground.admin();
    const switches = await makeSwitches(api, await ground.target(namespace), ground.next(), 5);
    await switches[0]?.fail();
    await switches[0]?.becomes("down");
    const before = await kept(api);

    const backUpMs = performance.now();
    await namespace.kubectl("create", "job", "archive", `--from=cronjob/${release}-backup`);
    await namespace.kubectl("wait", "--for=condition=complete", "job/archive", "--timeout=240s");
    const backUpSeconds = (performance.now() - backUpMs) / 1000;
    await namespace.helm(["uninstall", release, "--wait", "--timeout", "180s"], { timeoutMs: uninstallTimeoutMs });
    await namespace.kubectl("delete", "job,pod", "-l", "job-name=archive");
    await namespace.kubectl("delete", "pvc", "-l", volumes);

    const restoreMs = performance.now();
    await installChart(namespace, "install", chart, overlay(values, { restore: { from: "/backups" } }));
    const job = ["job", "-l", "app.kubernetes.io/component=restore"];
    await namespace.kubectl("wait", "--for=condition=complete", "--timeout=300s", ...job);
    await installChart(namespace, "upgrade", chart, values);
    const restoreSeconds = (performance.now() - restoreMs) / 1000;
    Object.assign(installed, { values, ...(await whereabouts(ground, namespace, values)) });
    const again = await adminOf(installed.url, installed.setupCode);
    const after = await kept(again.api);
    await switches[0]?.heal();
    await withNewCheck(again.api, after);
    await deleteMonitors(again.api);
    return [
      lossless(
        "the CronJob's archive on a volume, `restore.from` with all other volumes gone",
        "the same login, monitors, incidents, users, checks",
        `archive after ${backUpSeconds.toFixed(0)} s, services ready ${restoreSeconds.toFixed(0)} s after the new installation: ${before.monitors.length} monitors, ${before.users.length} users, ${before.checks.length} checks`,
        lostOf(before, after),
      ),
    ];
  },
};
