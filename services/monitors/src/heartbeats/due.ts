import { memoize } from "@sonde/kit/cache";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { HeartbeatState } from "./state.ts";
import { cronIn, nextRuns } from "./schedule.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Of an expression that fires no more. */
const neverMs = Date.UTC(9999, 0);

const offsetsOf = memoize((zone: string) => {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  return (atMs: number): number => {
    const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes = "0"] = /([+-])(\d+)(?::(\d+))?/.exec(name) ?? [];
    return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
  };
}, 1_000);

/** By how much clocks were set back between two instants of which the later shows the same local time; 0: they do not. */
function doubledMs(offset: (atMs: number) => number, atMs: number, side: 1 | -1): number {
  const byMs = side * (offset(atMs) - offset(atMs + side * 3 * hourMs));
  return byMs > 0 && offset(atMs + side * byMs) === offset(atMs) - side * byMs ? byMs : 0;
}

/** What a change of clocks does to an instant at which a cron expression fires. */
function changeAt(cron: string, zone: string, atMs: number): "skipped" | "doubled" | "again" | null {
  const offset = offsetsOf(zone);
  if (offset(atMs - 3 * hourMs) === offset(atMs + 3 * hourMs)) return null;
  if (doubledMs(offset, atMs, -1) > 0) return "again";
  if (doubledMs(offset, atMs, 1) > 0) return "doubled";
  const isEnd = offset(atMs) > offset(atMs - 1);
  return isEnd && !cronIn(cron, zone).match(new Date(atMs)) ? "skipped" : null;
}

type Expected = Pick<HeartbeatState, "dueMs" | "deadlineMs" | "earlyMs" | "startByMs">;

/**
 * When a heartbeat is due next after an instant: with `every` a period later, of a cron when it fires. Schedulers differ in
 * what they do with a skipped hour, and with one that comes twice: what is due there has an hour more, and the second
 * hour expects nothing of its own.
 */
export function dueAfter(check: CheckOf<"heartbeat">, afterMs: number): Expected {
  const { every, cron, timeZone = "UTC", grace, startGrace } = check;
  let [dueMs, gapMs, moreMs] = [afterMs + (every ?? 0) * minuteMs, (every ?? 0) * minuteMs, 0];
  if (cron !== undefined) {
    for (let fromMs = afterMs; ; fromMs = dueMs) {
      const [next = neverMs, following = neverMs] = nextRuns({ cron, timeZone }, fromMs, 2);
      const change = next === neverMs ? null : changeAt(cron, timeZone, next);
      [dueMs, gapMs, moreMs] = [next, following - next, change === null ? 0 : hourMs];
      if (change !== "again") break;
    }
  }
  return {
    dueMs,
    deadlineMs: dueMs + grace * 1_000 + moreMs,
    earlyMs: Math.min(grace * 1_000, gapMs / 4),
    startByMs: startGrace === undefined ? null : dueMs + startGrace * 1_000 + moreMs,
  };
}
