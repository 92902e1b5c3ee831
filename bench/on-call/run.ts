/**
 * Floods one inbound monitor with 10,000 alerts in a minute, then opens 10,000 incidents with an escalation policy and
 * measures how late their second steps are: `npm run bench -- on-call`. `--write` updates bench/results/on-call.md;
 * `-- smoke` sends a tenth, to check the benchmark.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { firstAdmin } from "@sonde/testing/api";
import { ms, percentile } from "@sonde/testing/figures";
import { reportFigures } from "@sonde/testing/report";
import { startWhole } from "@sonde/testing/whole";
import type { WebhookEvent } from "@sonde/proto/http/notifications/webhook-event";

const tenth = process.argv.includes("smoke") ? 10 : 1;
const flood = 10_000 / tenth;
const [monitors, alertsEach] = [Math.ceil(20 / tenth), 500];
const minuteMs = 60_000 / tenth;
/** The second step; a policy counts in minutes. */
const afterMs = 60_000;

const decided = new Map<string, number[]>();
const hooks = createServer(async (request, response) => {
  const { timestamp, data } = (await json(request)) as WebhookEvent;
  decided.set(data.incident.id, [...(decided.get(data.incident.id) ?? []), Date.parse(timestamp)]);
  response.end();
});
await once(hooks.listen(0, "127.0.0.1"), "listening");
const hookUrl = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}`;

const sonde = await startWhole();
try {
  const { token } = await firstAdmin(sonde.url);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(sonde.url + path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, retryAfter: response.headers.get("retry-after"), text: await response.text() };
  };
  const create = async (method: string, path: string, body: unknown) => {
    const { status, text } = await call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`);
    return JSON.parse(text) as Record<string, { id: number; inboundUrl: string }>;
  };
  const inbound = async (name: string) => {
    const { monitor } = await create("POST", "/api/monitors", { type: "inbound", name, format: "generic" });
    const { pathname } = new URL(monitor!.inboundUrl);
    // Gateways learn of a new address within moments.
    while ((await call("POST", pathname, [])).status === 404) await sleep(100);
    return { id: monitor!.id, path: pathname };
  };
  const openCount = async (id: number) => {
    const { text } = await call("GET", `/api/incidents?open=true&target=monitor:${id}&pageSize=1`);
    return (JSON.parse(text) as { total: number }).total;
  };
  /** Time of an ordinary request, ten times a second, while something else happens. */
  const during = async (work: Promise<unknown>) => {
    const times: number[] = [];
    let isOver = false;
    const done = work.finally(() => (isOver = true));
    while (!isOver) {
      const startedMs = performance.now();
      const { status } = await call("GET", "/api/monitors?pageSize=20");
      if (status !== 200) throw new Error(`The list of monitors returned ${status} in the meantime`);
      times.push(performance.now() - startedMs);
      await sleep(100);
    }
    await done;
    return percentile(Float64Array.from(times), 0.95);
  };

  const quietMs = await during(sleep(10_000));
  const one = await inbound("Flood");
  const answers = new Map<number, number>();
  let withoutRetryAfter = 0;
  const floodedMs = await during(
    (async () => {
      const startedMs = performance.now();
      const sending: Promise<void>[] = [];
      for (let n = 0; n < flood; n++) {
        await sleep(Math.max(0, startedMs + (n * minuteMs) / flood - performance.now()));
        const send = async () => {
          const { status, retryAfter } = await call("POST", one.path, { title: `Flood ${n}` });
          answers.set(status, (answers.get(status) ?? 0) + 1);
          if (status !== 202 && retryAfter === null) withoutRetryAfter += 1;
        };
        sending.push(send());
      }
      await Promise.all(sending);
    })(),
  );
  const openOfOne = await openCount(one.id);

  const channel = await create("POST", "/api/notifications/channels", {
    type: "webhook",
    name: "Steps",
    config: { url: hookUrl },
  });
  const notify = [`channel:${channel["channel"]!.id}`];
  const steps = [
    { after: 0, notify },
    { after: 1, notify },
  ];
  const { policy } = await create("POST", "/api/on-call/policies", { name: "Bench", steps });
  for (let n = 0; n < monitors; n++) {
    const { id, path } = await inbound(`Source ${n}`);
    const settings = { enabled: true, channels: [], policyId: policy!.id };
    await create("PUT", `/api/notifications/settings/monitor/${id}`, settings);
    for (let from = 0; from < alertsEach; from += 50) {
      const alerts = Array.from({ length: 50 }, (_, k) => ({ title: `Alert ${from + k} of ${n}` }));
      while ((await call("POST", path, alerts)).status !== 202) await sleep(500);
    }
  }
  const incidents = monitors * alertsEach;
  const complete = () => [...decided.values()].filter(({ length }) => length >= 2).length;
  for (let waited = 0; waited < 600 && complete() < incidents; waited++) await sleep(1000);
  const late = Float64Array.from(
    [...decided.values()].flatMap(([first, second]) => (second === undefined ? [] : [second - first! - afterMs])),
  );
  const counted = [...answers].map(([status, count]) => `${count} × ${status}`).join(", ");
  await reportFigures("bench/results/on-call", [
    { goal: "–", what: "list of monitors, 95th percentile: quiet", wanted: "–", measured: ms(quietMs), held: false },
    { goal: "–", what: "the same during the flood", wanted: "–", measured: ms(floodedMs), held: false },
    { goal: "O1", what: `responses to ${flood} alerts`, wanted: "–", measured: counted, held: false },
    {
      goal: "O1",
      what: "refusals without Retry-After",
      wanted: "0",
      measured: String(withoutRetryAfter),
      held: withoutRetryAfter === 0,
    },
    {
      goal: "O1",
      what: "open incidents after it",
      wanted: "≤ 501",
      measured: String(openOfOne),
      held: openOfOne <= 501,
    },
    {
      goal: "O2",
      what: `incidents whose second step arrived within ten minutes, of ${incidents} open ones`,
      wanted: "–",
      measured: String(late.length),
      held: false,
    },
    {
      goal: "O2",
      what: "their steps were late by: 50 %",
      wanted: "–",
      measured: ms(percentile(late, 0.5)),
      held: false,
    },
    {
      goal: "O2",
      what: "the latest one",
      wanted: "≤ 2000 ms",
      measured: ms(percentile(late, 1)),
      held: percentile(late, 1) <= 2000,
    },
  ]);
} finally {
  hooks.closeAllConnections();
  hooks.close();
  await sonde.close();
}
process.exit(0);
