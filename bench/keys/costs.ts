import { createKeyUse } from "../../services/gateway/src/sessions/key-use.ts";
import { requireScope } from "../../services/gateway/src/sessions/scopes.ts";
import type { Services } from "../../services/gateway/src/services.ts";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { principals } from "@sonde/gateway/testing/principals";
import { fakeMonitor } from "@sonde/gateway/testing/fakes";
import type { FakeSystem } from "@sonde/gateway/testing/fake-system";
import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, ms } from "../probe/figures.ts";
import { answerOf, startClient, type Watched } from "../gateway/processes.ts";

const [rounds, connections, ownCalls] = [12, 64, 50_000];
/** Each key may ask 600 times a minute; as many sessions, so that only what they are differs. */
const tokensOf = (letter: string) =>
  Array.from({ length: 1500 }, (_, at) => `sonde_${String(at).padStart(43, letter)}`);
const [sessions, secrets] = [tokensOf("s"), tokensOf("k")];
const path = "/api/metrics";
const count = 10_000;
const pauseMs = 10_500;
const scrapes = 5;

/** What only requests with keys do, by itself: it is far less than what two runs of whole requests differ by. */
export async function ownCost(): Promise<Figure> {
  const keys = secrets.map((_, id) => ({ id, scopes: ["metrics"] as const, allowFrom: [] }));
  const use = createKeyUse({ markKeysUsed: async () => ({}) } as unknown as Services["keys"], systemClock, silentLog);
  const route = { method: "GET", path, who: "session" };
  let leastUs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let at = 0; at < ownCalls; at += 1) {
      const key = keys[at % keys.length]!;
      requireScope(key, route);
      await use.count(key, "127.0.0.1");
    }
    const { user, system } = process.cpuUsage(before);
    leastUs = Math.min(leastUs, (user + system) / ownCalls);
  }
  await use.stop();
  return {
    goal: "K1",
    what: "scope, rate and use of a key, by themselves",
    wanted: "≤ 5 µs",
    measured: `${leastUs.toFixed(1)} µs`,
    held: leastUs <= 5,
  };
}

/** Whole requests with keys beside those with sessions, both answered from memory. */
export async function keyCosts(gateway: Watched, system: FakeSystem, measureMs: number): Promise<Figure> {
  for (const token of sessions) await system.putSession({ ...principals.user, token }, "user");
  for (const secret of secrets) await system.putKey(principals.user, secret, ["metrics"]);
  for (const tokens of [sessions, secrets]) await ask(gateway.port, tokens, measureMs / 4);
  // In turns, and the best of each, as for P12.
  let [sessionMs, keyMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round += 1) {
    sessionMs = Math.min(sessionMs, await cpuARequest(gateway, sessions, measureMs / rounds));
    keyMs = Math.min(keyMs, await cpuARequest(gateway, secrets, measureMs / rounds));
  }
  const moreUs = (keyMs - sessionMs) * 1000;
  return {
    goal: "–",
    what: "a whole request with a key, beside one with a session in turns",
    wanted: "–",
    measured: `${moreUs.toFixed(1)} µs more (× ${(keyMs / sessionMs).toFixed(3)} of ${ms(sessionMs)})`,
    held: false,
  };
}

/** What a scrape costs the gateway: reading, writing and compressing. */
export async function scrapeCosts(gateway: Watched, system: FakeSystem): Promise<Figure> {
  const { handlers } = system.fakes;
  const known = Array.from({ length: count }, (_, at) => ({
    ...fakeMonitor(7),
    id: at + 1,
    name: `monitor ${at + 1}`,
    tags: ["shop", "prod"],
    certificateExpiresAt: "2027-01-01T00:00:00.000Z",
    headers: [],
    assertions: [],
  }));
  handlers.monitors.listMonitors = async ({ page, pageSize }) => ({
    monitors: known.slice((page - 1) * pageSize, page * pageSize),
    total: count,
    restIds: [],
  });
  handlers.metrics.monitorUptimes = async ({ monitorIds }) => ({
    uptimes: monitorIds.map((monitorId) => ({ monitorId, h24: 99.95, d30: 99.9 })),
  });
  handlers.metrics.monitorPhases = async ({ monitorIds }) => ({
    monitors: monitorIds.map((monitorId) => ({
      monitorId,
      dnsMs: 1.1,
      connectMs: 2.2,
      tlsMs: 3.3,
      firstByteMs: 9.9,
      totalMs: 12.5,
    })),
  });
  const costs: number[] = [];
  let [bytes, lines] = [0, 0];
  for (let scrape = 0; scrape <= scrapes; scrape += 1) {
    // What was read stays for ten seconds.
    await sleep(pauseMs);
    const before = await gateway.cpuMs();
    const answer = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      headers: { authorization: `Bearer ${secrets[0]}`, "accept-encoding": "gzip" },
    });
    const text = await answer.text();
    costs.push((await gateway.cpuMs()) - before);
    [bytes, lines] = [text.length, text.split("\n").length];
    if (!text.includes(`sonde_monitor_up{id="${count}"`)) throw new Error(`no whole scrape: ${answer.status}`);
  }
  const [first = 0, ...others] = costs;
  const least = Math.min(...others);
  return {
    goal: "K3",
    what: `the gateway: ${count} monitors scraped, reading, writing and gzip`,
    wanted: "≤ 400 ms of CPU",
    measured: `${ms(least)} to ${ms(Math.max(...others))}, the first ${ms(first)}; ${lines} lines, ${(bytes / 1e6).toFixed(1)} MB`,
    held: least <= 400,
  };
}

async function cpuARequest({ port, cpuMs }: Watched, tokens: readonly string[], durationMs: number): Promise<number> {
  const before = await cpuMs();
  const asked = await ask(port, tokens, durationMs);
  return ((await cpuMs()) - before) / asked;
}

async function ask(port: number, tokens: readonly string[], durationMs: number): Promise<number> {
  const client = startClient("requests.ts", port, path, tokens.join(), durationMs, connections);
  const { 200: good = 0, ...others } = (await answerOf(client)) as Record<string, number>;
  if (good === 0 || Object.keys(others).length > 0) throw new Error(`answers by status: ${JSON.stringify(others)}`);
  return good;
}
