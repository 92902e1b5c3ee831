import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "../../kills/load.ts";
import { createUntouched } from "../../kills/monitors.ts";
import { deletePod } from "../cluster/disrupt.ts";
import { isReady } from "../cluster/objects.ts";
import { allReady, podsByComponent, until } from "../cluster/wait.ts";
import { judgeAndTidy } from "../judge/close.ts";
import { startRequests } from "../load/requests.ts";
import { figure, lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { openAlertLog } from "../sonde/alerts.ts";
import { prepare } from "../sonde/prepare.ts";
import { createSwitches } from "../sonde/switches.ts";
import { countTrouble } from "../sonde/trouble.ts";

const [warmMs, betweenMs] = [12_000, 15_000];

export const servers: Scenario = {
  name: "servers",
  about: "deletion of the NATS and PostgreSQL pods under load",
  async run(ground) {
    const { namespace, url, target, api, token, call, from } = await prepare(ground);
    const alerts = await openAlertLog(api, target, `servers-${from}`);
    const switches = await createSwitches(api, target, from, 2);
    const untouched = await createUntouched(call, token, target.url);
    const trouble = await countTrouble(namespace);
    const load = ground.during(await startLoad(call, token, target.url, from));
    await sleep(warmMs);

    const rows: Row[] = [];
    for (const [index, server] of ["nats", "postgres"].entries()) {
      const requests = ground.during(startRequests({ url, token }));
      const pod = (await podsByComponent(namespace)).get(server)?.find(isReady);
      if (pod === undefined) throw new Error(`no ready pod of ${server}`);
      await switches[index]?.fail();
      const beganMs = performance.now();
      await deletePod(namespace, pod);
      await until(`${server} is back`, async () =>
        (await podsByComponent(namespace))
          .get(server)
          ?.find((one) => isReady(one) && one.metadata.uid !== pod.metadata.uid),
      );
      const backSeconds = (performance.now() - beganMs) / 1000;
      await allReady(namespace);
      const readySeconds = (performance.now() - beganMs) / 1000;
      await switches[index]?.becomes("down");
      await sleep(betweenMs);
      await switches[index]?.heal();
      await requests.stop();
      const { fresh, reused } = requests;
      const failures = [...fresh.failures, ...reused.failures];
      const kinds = Map.groupBy(failures, (failure) => failure.slice(failure.indexOf(": ") + 2));
      const failed = [...kinds].map(([kind, list]) => `${list.length} × ${kind}`).join(", ") || "nothing";
      rows.push(
        figure(
          `the pod of ${server} deleted without grace: failed reads`,
          `back after ${backSeconds.toFixed(0)} s, all ready after ${readySeconds.toFixed(0)} s; of ${failures.length + fresh.answered + reused.answered} reads: ${failed}`,
        ),
      );
    }
    for (const one of switches) await one.becomes("up");
    await sleep(warmMs);
    await load.stop();
    const expected = switches.map(({ monitorId }) => ({ monitorId, downs: 1, recoveries: 1 }));
    const { counted, losses, verdict } = await judgeAndTidy({
      namespace,
      target,
      api,
      call,
      token,
      untouched,
      load,
      alerts,
      expected,
      kills: [],
      trouble: trouble.sum,
      log: ground.log,
    });
    const unanswered = load.ledgers.reduce((sum, { counts }) => sum + counts.unanswered, 0);
    return [
      ...rows,
      lossless("acknowledged data after both", "nothing lost, no false DOWN", counted, losses),
      lossless("webhook alerts during both", "each sent once", `${expected.length * 2} sent`, [
        ...verdict.lost,
        ...verdict.doubled,
      ]),
      figure("unacknowledged writes; repeated reports", `${unanswered}; ${load.agents.reports.unanswered}`),
    ];
  },
};
