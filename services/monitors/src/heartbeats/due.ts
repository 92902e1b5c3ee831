import { memoize } from "@sonde/kit/cache";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { HeartbeatState } from "./state.ts";
import { cronIn, nextRuns } from "./schedule.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Due time of an expression that never fires again. */
const neverMs = Date.UTC(9999, 0);

const offsetsOf = memoize((zone: string) => {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  return (atMs: number): number => {
    const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes = "0"] = /([+-])(\d+)(?::(\d+))?/.exec(name) ?? [];
    return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
  };
}, 1_000);

/** How far the clock is set back between this instant and another with the same local time; 0 if there is none. */
function doubledMs(offset: (atMs: number) => number, atMs: number, side: 1 | -1): number {
  const byMs = side * (offset(atMs) - offset(atMs + side * 3 * hourMs));
  return byMs > 0 && offset(atMs + side * byMs) === offset(atMs) - side * byMs ? byMs : 0;
}

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
 * Returns the next due time after `afterMs`: one period later with `every`, the next run with `cron`. Schedulers
 * disagree about skipped and repeated hours, so a run there gets an extra hour, and the repeat of an hour expects no
 * run of its own.
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
