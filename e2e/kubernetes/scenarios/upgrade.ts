import { setTimeout as sleep } from "node:timers/promises";
import { startLoad } from "../../kills/load.ts";
import { makeUntouched } from "../../kills/monitors.ts";
import { allReady } from "../cluster/wait.ts";
import { judgeAndTidy } from "../judge/close.ts";
import { startRequests } from "../load/requests.ts";
import { startStreams } from "../load/streams.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { openAlertLog } from "../sonde/alerts.ts";
import { installChart, overlay, release } from "../sonde/chart.ts";
import { prepare } from "../sonde/prepare.ts";
import { makeSwitches } from "../sonde/switches.ts";
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
    const switches = await makeSwitches(api, target, from, 2);
    const untouched = await makeUntouched(call, token, target.url);
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
    const kept = (await namespace.pods("app.kubernetes.io/name=sonde")).filter(
      // One that ends its open streams is still there for a while.
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
      say: ground.say,
    });
    const writes = load.ledgers.reduce((sum, { counts }) => sum + counts.acknowledged, 0);
    const unanswered = load.ledgers.flatMap((ledger) => [...ledger.refusals, ...ledger.unanswered]);
    const { reports } = load.agents;
    const failedReports = reports.unanswered > 0 ? [`${reports.unanswered} reports had to be sent again`] : [];
    for (const loss of [...requests.fresh.failures, ...requests.kept.failures, ...unanswered]) {
      ground.say(`  LOST: ${loss}`);
    }
    const resets = streams.readers.reduce((sum, reader) => sum + reader.resets, 0);
    return [
      lossless(
        `\`helm upgrade\` ${upgradeTag === undefined ? "of the pods' template" : `to ${upgradeTag}`}, \`helm rollback\``,
        "every Deployment rolled",
        `${upgradeSeconds.toFixed(0)} s, ${rollbackSeconds.toFixed(0)} s`,
        kept.map(({ metadata }) => `${metadata.name} was not replaced`),
      ),
      lossless(
        "R7: requests, each over a new connection",
        "0 fail",
        `${requests.fresh.answered} answered`,
        requests.fresh.failures,
      ),
      lossless(
        "R7: requests over kept connections",
        "0 fail",
        `${requests.kept.answered} answered`,
        requests.kept.failures,
      ),
      lossless("R7: writes: monitors, users, sessions, agents", "0 fail", `${writes} acknowledged`, unanswered),
      lossless("R7: reports of agents", "0 fail", `${reports.acknowledged} acknowledged`, failedReports),
      lossless(
        `R7: ${readers} streams of events`,
        "come back at once, miss no event without having to fetch everything again",
        `${streams.reconnected} reconnections, ${streams.events()} events, ${resets} times had to fetch everything again`,
        [
          ...streams.failures,
          ...streams
            .missed()
            .filter((missed, reader) => missed > 0 && streams.readers[reader]?.resets === 0)
            .map((missed) => `a stream missed ${missed} events`),
        ],
      ),
      lossless("what was acknowledged meanwhile; slots", "nothing lost, no slot missed", counted, losses),
      lossless("alerts by webhook meanwhile", "each once", `${expected.length * 2} sent`, [
        ...verdict.lost,
        ...verdict.doubled,
      ]),
    ];
  },
};
