import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "@sonde/testing/api";
import { startReporting } from "../support/reporting-agent.ts";

export type Seen = {
  slowestMs: number;
  requests: number;
  failed: number;
  /** Latest start of a check after its slot, in milliseconds. */
  latestMs: number;
  checks: number;
  missed: number;
  incidents: number;
};

const monitors = 20;
const intervalMs = 2_000;
const everyMs = 100;
const settleMs = 3_000;

type Check = { slot: string; lateness: number; manual: boolean };

/** Monitors healthy targets, reports as a healthy agent, and requests pages as a browser does. */
export async function startBystander(url: string, api: Api, token: string, target: string) {
  const ids: number[] = [];
  for (let n = 0; n < monitors; n++) {
    const input = { name: `Bystander ${n}`, url: `${target}/ok/${n}`, interval: intervalMs / 60_000, timeout: 1 };
    const { monitor } = await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", input);
    ids.push(monitor.id);
  }
  const agent = await startReporting(url, api, "Bystander");
  const paths = [
    "/api/monitors",
    "/api/auth/me",
    "/api/dashboard",
    "/api/agents",
    `/api/monitors/${ids[0]}`,
    "/status",
  ];

  const ask = async (path: string) => {
    const startedMs = performance.now();
    const ok = await fetch(url + path, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(60_000),
    }).then(
      async (response) => (await response.arrayBuffer(), response.ok),
      () => false,
    );
    return { tookMs: performance.now() - startedMs, ok };
  };

  const checksOf = async (fromMs: number, untilMs: number) => {
    const lists = await Promise.all(
      ids.map((id) => api.get<{ checks: Check[] }>(`/api/monitors/${id}/checks?limit=200`)),
    );
    return lists.map(({ checks }) =>
      checks.filter(({ slot, manual }) => !manual && Date.parse(slot) >= fromMs && Date.parse(slot) < untilMs),
    );
  };

  return {
    stop: agent.stop,
    async during(work: () => Promise<unknown>): Promise<Seen> {
      const fromMs = Date.now();
      let over = false;
      const times: { tookMs: number; ok: boolean }[] = [];
      const asking = (async () => {
        for (let n = 0; !over; n++) {
          times.push(await ask(paths[n % paths.length] ?? ""));
          await sleep(everyMs);
        }
      })();
      await work();
      over = true;
      await asking;
      const untilMs = Date.now();
      await sleep(settleMs);
      const lists = await checksOf(fromMs, untilMs);
      const expected = Math.floor((untilMs - fromMs) / intervalMs);
      const { incidents } = await api.get<{ incidents: { openedAt: string; target: { name: string } }[] }>(
        "/api/incidents?pageSize=200",
      );
      return {
        slowestMs: Math.max(...times.map(({ tookMs }) => tookMs)),
        requests: times.length,
        failed: times.filter(({ ok }) => !ok).length,
        latestMs: Math.max(0, ...lists.flat().map(({ lateness }) => lateness)),
        checks: lists.flat().length,
        missed: lists.reduce((sum, { length }) => sum + Math.max(0, expected - length), 0),
        incidents: incidents.filter(
          ({ openedAt, target: { name } }) => Date.parse(openedAt) >= fromMs && name.startsWith("Bystander"),
        ).length,
      };
    },
  };
}
