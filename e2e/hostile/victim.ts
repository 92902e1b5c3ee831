/** The process that is attacked: it does what its parent sends, and reports what became of it and of itself. */
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
const say = (report: Report) => process.send?.(report);

silenceLibraries();
process.on("uncaughtException", (error) => say({ trouble: `uncaught: ${error.stack ?? String(error)}` }));
process.on("unhandledRejection", (error) => say({ trouble: `unhandled: ${String((error as Error)?.stack ?? error)}` }));

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
  // Evidence is built from the response too.
  if (outcome.status === "down") outcome.evidence?.({ keepBody: true });
  return outcome.error === undefined ? outcome.status : `${outcome.error.kind}: ${outcome.error.message}`;
}

let lastCpu = process.threadCpuUsage();
let isMeasuring = false;
// A timer can fire in each turn of the loop: the processor time between two is that of one turn at least.
setInterval(() => {
  const { user, system } = process.threadCpuUsage(lastCpu);
  lastCpu = process.threadCpuUsage();
  if ((user + system) / 1000 > maxBlockMs && !isMeasuring) {
    say({ trouble: `blocked: one turn of the loop took ${Math.round((user + system) / 1000)} ms of processor time` });
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
  // Connections are left within a second, those of mail within five.
  let waits = 100;
  while ((sockets() > 0 || (await isBusy())) && waits-- > 0) await sleep(100);
  if (await isBusy()) say({ trouble: "busy: it works on, though nothing is under way" });
  isMeasuring = true;
  for (let n = 0; n < 2; n++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const anonymousMiB = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  say({ measured: id, heapMiB: (heapUsed + external) / 2 ** 20, anonymousMiB, open: sockets() });
}

process.on("message", (order: Order) => {
  if ("measure" in order) return void measure(order.measure);
  carryOut(order.work).then(
    (outcome) => say({ id: order.id, outcome }),
    (error: unknown) => say({ id: order.id, outcome: `REJECTED ${String((error as Error)?.stack ?? error)}` }),
  );
});
process.on("disconnect", () => process.exit(0));
say({ ready: true });
