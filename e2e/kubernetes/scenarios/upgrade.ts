import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "../../kills/load.ts";
import { createUntouched } from "../../kills/monitors.ts";
import { allReady } from "../cluster/wait.ts";
import { judgeAndTidy } from "../judge/close.ts";
import { startRequests } from "../load/requests.ts";
import { startStreams } from "../load/streams.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { openAlertLog } from "../sonde/alerts.ts";
import { installChart, overlay, release } from "../sonde/chart.ts";
import { prepare } from "../sonde/prepare.ts";
import { createSwitches } from "../sonde/switches.ts";
import { countTrouble } from "../sonde/trouble.ts";

const [warmMs, rollbackTimeoutMs, readers] = [12_000, 400_000, 5];

export const upgrade: Scenario = {
  name: "upgrade",
  about: "helm upgrade that rolls every Deployment, and helm rollback, under load",
  async run(ground) {
    const { namespace, url, values, target, api, token, call, from } = await prepare(ground);
    const { upgradeTag } = ground.options;
    const change =
      upgradeTag === undefined
        ? { defaults: { podAnnotations: { "sonde/rolled": "once" } } }
        : { image: { tag: upgradeTag } };
    const alerts = await openAlertLog(api, target, `upgrade-${from}`);
    const switches = await createSwitches(api, target, from, 2);
    const untouched = await createUntouched(call, token, target.url);
    const trouble = await countTrouble(namespace);
    const load = ground.during(await startLoad(call, token, target.url, from));
    const requests = ground.during(startRequests({ url, token }));
    const streams = ground.during(startStreams(url, token, readers));
    await sleep(warmMs);
    const before = new Set((await namespace.pods()).map(({ metadata }) => metadata.name));

    const beganMs = performance.now();
    await switches[0]?.fail();
    await installChart(namespace, "upgrade", await ground.chart(), overlay(values, change));
    await allReady(namespace);
    const upgradeSeconds = (performance.now() - beganMs) / 1000;
    const remaining = (await namespace.pods("app.kubernetes.io/name=sonde")).filter(
      // A terminating pod stays for a while to end its open streams.
      ({ metadata }) =>
        before.has(metadata.name) &&
        metadata.deletionTimestamp === undefined &&
        !/-(postgres|nats|clickhouse)-\d+$/.test(metadata.name),
    );
    await Promise.all([switches[0]?.heal(), switches[1]?.fail()]);
    const backMs = performance.now();
    await namespace.helm(["rollback", release, "--wait", "--timeout", "360s"], { timeoutMs: rollbackTimeoutMs });
    await allReady(namespace);
    const rollbackSeconds = (performance.now() - backMs) / 1000;
    await switches[1]?.heal();
    await sleep(warmMs);
    await Promise.all([load.stop(), requests.stop(), streams.stop()]);
    for (const one of switches) await one.becomes("up");

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
    const writes = load.ledgers.reduce((sum, { counts }) => sum + counts.acknowledged, 0);
    const unanswered = load.ledgers.flatMap((ledger) => [...ledger.refusals, ...ledger.unanswered]);
    const { reports } = load.agents;
    const failedReports = reports.unanswered > 0 ? [`${reports.unanswered} reports had to be repeated`] : [];
    for (const loss of [...requests.fresh.failures, ...requests.reused.failures, ...unanswered]) {
      ground.log(`  LOST: ${loss}`);
    }
    const resets = streams.readers.reduce((sum, reader) => sum + reader.resets, 0);
    return [
      lossless(
        `\`helm upgrade\` ${upgradeTag === undefined ? "of the pods' template" : `to ${upgradeTag}`}, \`helm rollback\``,
        "every Deployment rolled",
        `${upgradeSeconds.toFixed(0)} s, ${rollbackSeconds.toFixed(0)} s`,
        remaining.map(({ metadata }) => `${metadata.name} was not replaced`),
      ),
      lossless(
        "R7: requests over new connections",
        "none fails",
        `${requests.fresh.answered} answered`,
        requests.fresh.failures,
      ),
      lossless(
        "R7: requests over keep-alive connections",
        "none fails",
        `${requests.reused.answered} answered`,
        requests.reused.failures,
      ),
      lossless("R7: writes: monitors, users, sessions, agents", "none fails", `${writes} acknowledged`, unanswered),
      lossless("R7: agent reports", "none fails", `${reports.acknowledged} acknowledged`, failedReports),
      lossless(
        `R7: ${readers} event streams`,
        "reconnect at once and miss no event without refetching everything",
        `${streams.reconnected} reconnections, ${streams.events()} events, everything refetched ${resets} times`,
        [
          ...streams.failures,
          ...streams
            .missed()
            .filter((missed, reader) => missed > 0 && streams.readers[reader]?.resets === 0)
            .map((missed) => `a stream missed ${missed} events`),
        ],
      ),
      lossless("acknowledged data and slots", "nothing lost, no slot missed", counted, losses),
      lossless("webhook alerts", "each sent once", `${expected.length * 2} sent`, [
        ...verdict.lost,
        ...verdict.doubled,
      ]),
    ];
  },
};
