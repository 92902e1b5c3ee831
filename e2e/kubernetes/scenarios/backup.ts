import { installChart, overlay, release } from "../sonde/chart.ts";
import { locate } from "../ground.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { adminOf } from "../sonde/account.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { readLasting, lostOf, withNewCheck } from "../sonde/lasting.ts";
import { createSwitches } from "../sonde/switches.ts";

const uninstallTimeoutMs = 200_000;
const volumes = "app.kubernetes.io/name=sonde,app.kubernetes.io/component in (postgres, nats, metrics)";

export const backup: Scenario = {
  name: "backup",
  about: "restore of the CronJob's archive by the Job after the volumes were deleted",
  async run(ground) {
    const installed = await ground.sonde();
    const { namespace } = installed;
    const chart = await ground.chart();
    const values = overlay(installed.values, { backup: { enabled: true, storage: { size: "4Gi" } } });
    await installChart(namespace, "upgrade", chart, values);
    const { api } = await ground.admin();
    const switches = await createSwitches(api, await ground.target(namespace), ground.next(), 5);
    await switches[0]?.fail();
    await switches[0]?.becomes("down");
    const before = await readLasting(api);

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
    Object.assign(installed, { values, ...(await locate(ground, namespace, values)) });
    const again = await adminOf(installed.url, installed.setupCode);
    const after = await readLasting(again.api);
    await switches[0]?.heal();
    await withNewCheck(again.api, after);
    await deleteMonitors(again.api);
    return [
      lossless(
        "the CronJob's archive on a volume, restored with `restore.from` after all other volumes were deleted",
        "same login, monitors, incidents, users and checks",
        `archive after ${backUpSeconds.toFixed(0)} s, services ready ${restoreSeconds.toFixed(0)} s after the new installation: ${before.monitors.length} monitors, ${before.users.length} users, ${before.checks.length} checks`,
        lostOf(before, after),
      ),
    ];
  },
};
