import { packDocuments } from "@sonde/status-page/testing/documents";
import { figuresEveryMs } from "@sonde/status-page/page/figures";
import type { Figure } from "../probe/figures.ts";
import { snapshotOf, statesOf } from "./snapshot.ts";

const [pages, services] = [50, 100];
const wantedMs = 2_000;
const minuteMs = 60_000;

/** Processor time of the documents of many pages in the worker: all of them once, and what that is a minute. */
export async function renderPages(): Promise<Figure> {
  const nowMs = Date.now();
  const [snapshot, states] = [snapshotOf(services, nowMs, nowMs), statesOf(services, nowMs, nowMs)];
  const render = (slug: string) => packDocuments({ snapshot, states, slug });
  await render("warm");
  const before = process.cpuUsage();
  for (let page = 0; page < pages; page += 1) await render(`page-${page}`);
  const { user, system } = process.cpuUsage(before);
  const onceMs = (user + system) / 1000;
  const everyMs = Math.max(minuteMs, figuresEveryMs(pages * services));
  const aMinuteMs = (onceMs * minuteMs) / everyMs;
  return {
    goal: "–",
    what: `documents of ${pages} pages of ${services} services: processor time a minute`,
    wanted: `≤ ${wantedMs} ms`,
    measured: `${aMinuteMs.toFixed(0)} ms (${onceMs.toFixed(0)} ms once; those of which figures alone changed every ${Math.round(everyMs / 1000)} s)`,
    held: aMinuteMs <= wantedMs,
  };
}
