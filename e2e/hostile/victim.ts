/** The attacked process: runs the work that its parent sends, and reports outcomes and its own state. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGuard } from "@sonde/kit/egress/guard";
import { createEgress } from "@sonde/kit/egress/requests";
import { createResolver } from "@sonde/kit/egress/resolver";
import { silenceLibraries } from "@sonde/kit/service/output";
import { channelOf } from "@sonde/notifier/channels";
import { message } from "@sonde/notifier/testing/messages";
import { useListForTests } from "@sonde/probe-runner/domain/rdap";
import { probe } from "@sonde/probe-runner/testing/check";
import { createJudging } from "@sonde/probe-runner/judging";
import { systemClock } from "@sonde/kit/time/clock";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import type { Work } from "./targets.ts";

export type Order = { id: number; work: Work } | { measure: number };
export type Report =
  | { ready: true }
  | { id: number; outcome: string }
  | { trouble: string }
  | { measured: number; heapMiB: number; anonymousMiB: number; open: number };

const timeoutMs = 1000;
const maxBlockMs = Number(process.env["HOSTILE_MAX_BLOCK_MS"] ?? 200);
const send = (report: Report) => process.send?.(report);

silenceLibraries();
process.on("uncaughtException", (error) => send({ trouble: `uncaught: ${error.stack ?? String(error)}` }));
process.on("unhandledRejection", (error) =>
  send({ trouble: `unhandled: ${String((error as Error)?.stack ?? error)}` }),
);

const resolver = createResolver();
const guard = createGuard();
const judging = createJudging(systemClock);
const egress = createEgress({ resolver, guard });

async function carryOut(work: Work): Promise<string> {
  if ("channel" in work) {
    const channel = channelOf(work.channel);
    const { key, ...rest } = message();
    const body = channel.compose({ ...rest, key }, work.config as never, undefined);
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = await channel.send({ body, config: work.config as never, key, atMs: Date.now(), egress, signal });
    return sent.outcome;
  }
  if (work.serviceList !== undefined) useListForTests(work.serviceList);
  const outcome = await probe(work.check as CheckDraft, { timeoutMs, resolver, guard, judging });
  if (outcome.status === "none") return `none: ${outcome.trouble}`;
  // Evidence is also built from the response.
  if (outcome.status === "down") outcome.evidence?.({ keepBody: true });
  return outcome.error === undefined ? outcome.status : `${outcome.error.kind}: ${outcome.error.message}`;
}

let lastCpu = process.threadCpuUsage();
let isMeasuring = false;
// The timer can fire in every turn of the loop, so the CPU time between two calls is at least that of one turn.
setInterval(() => {
  const { user, system } = process.threadCpuUsage(lastCpu);
  lastCpu = process.threadCpuUsage();
  if ((user + system) / 1000 > maxBlockMs && !isMeasuring) {
    send({ trouble: `blocked: one turn of the loop took ${Math.round((user + system) / 1000)} ms of processor time` });
  }
  isMeasuring = false;
}, 5);

const sockets = () => process.getActiveResourcesInfo().filter((name) => /TCPSocket|TLS|UDP/.test(name)).length;

async function isBusy(): Promise<boolean> {
  const since = process.threadCpuUsage();
  await sleep(100);
  return process.threadCpuUsage(since).user > 50_000;
}

async function measure(id: number): Promise<void> {
  // Connections close within a second, mail connections within five.
  let waits = 100;
  while ((sockets() > 0 || (await isBusy())) && waits-- > 0) await sleep(100);
  if (await isBusy()) send({ trouble: "busy: the process uses the CPU without any work" });
  isMeasuring = true;
  for (let n = 0; n < 2; n++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const anonymousMiB = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  send({ measured: id, heapMiB: (heapUsed + external) / 2 ** 20, anonymousMiB, open: sockets() });
}

process.on("message", (order: Order) => {
  if ("measure" in order) return void measure(order.measure);
  carryOut(order.work).then(
    (outcome) => send({ id: order.id, outcome }),
    (error: unknown) => send({ id: order.id, outcome: `REJECTED ${String((error as Error)?.stack ?? error)}` }),
  );
});
process.on("disconnect", () => process.exit(0));
send({ ready: true });
