import { expect, test } from "vitest";
import { dueAfter } from "./due.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const fromMs = Date.UTC(2026, 0, 1);
/** `SONDE_FUZZ=all` tests all zones, which takes minutes. */
const rounds = process.env["SONDE_FUZZ"] === "all" ? 4_000 : 120;

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Field = { text: string; has: (value: number) => boolean };
const everything: Field = { text: "*", has: () => true };
const listOf = (values: readonly number[]): Field => ({
  text: values.join(","),
  has: (value) => values.includes(value),
});
const stepOf = (step: number): Field => ({ text: `*/${step}`, has: (value) => value % step === 0 });

/** The local clock of a zone, minute by minute: slow, but it uses only Intl. */
function localOf(timeZone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  return (atMs: number) => {
    const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    const asUtcMs = Date.UTC(year, month - 1, day, hour, minute);
    return { month, day, hour, minute, weekday: new Date(asUtcMs).getUTCDay(), offsetMs: asUtcMs - atMs };
  };
}

test("cron due times match the local clock minute by minute in zones without clock changes", () => {
  const random = randomOf(26_11);
  const zones = Intl.supportedValuesOf("timeZone");
  for (let round = 0; round < rounds; round++) {
    const timeZone = zones[random(zones.length)]!;
    const minute = random(3) === 0 ? stepOf([5, 10, 15, 20, 30][random(5)]!) : listOf([random(60)]);
    const hour = [everything, stepOf(6), listOf([random(24)]), listOf([random(12), 12 + random(12)])][random(4)]!;
    const weekday = random(3) === 0 ? listOf([random(7)]) : everything;
    const day = random(4) === 0 ? listOf([1 + random(28)]) : everything;
    const cron = `${minute.text} ${hour.text} ${day.text} * ${weekday.text}`;
    const check = { type: "heartbeat", cron, timeZone, grace: 60, keepOutput: true } as const;
    const clock = localOf(timeZone);
    const startMs = fromMs + random(3 * 365) * dayMs + random(1_440) * minuteMs;
    const endMs = startMs + 3 * dayMs;
    if (clock(startMs - dayMs).offsetMs !== clock(endMs + dayMs).offsetMs) continue;
    const { offsetMs } = clock(startMs);
    const expected: number[] = [];
    for (let atMs = startMs + minuteMs; atMs <= endMs; atMs += minuteMs) {
      const local = new Date(atMs + offsetMs);
      const isDay =
        day !== everything && weekday !== everything
          ? day.has(local.getUTCDate()) || weekday.has(local.getUTCDay())
          : day.has(local.getUTCDate()) && weekday.has(local.getUTCDay());
      if (isDay && minute.has(local.getUTCMinutes()) && hour.has(local.getUTCHours())) expected.push(atMs);
    }
    const found: number[] = [];
    for (let atMs = startMs; ;) {
      const due = dueAfter(check, atMs);
      atMs = due.dueMs;
      if (atMs > endMs) break;
      expect(due.deadlineMs - atMs, `${cron} in ${timeZone}`).toBe(60_000);
      found.push(atMs);
    }
    expect(found, `${cron} in ${timeZone} from ${new Date(startMs).toISOString()}`).toEqual(expected);
  }
});

test("a job at a fixed time is due once on each day of a year, even if that time is skipped or repeated", () => {
  const random = randomOf(7);
  const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"];
  for (const timeZone of [...zones, ...Array.from({ length: 5 }, () => zones[random(zones.length)]!)]) {
    const clock = localOf(timeZone);
    const check = {
      type: "heartbeat",
      cron: `${random(60)} ${random(24)} * * *`,
      timeZone,
      grace: 60,
      keepOutput: true,
    } as const;
    const days: string[] = [];
    for (let atMs = fromMs; ;) {
      const due = dueAfter(check, atMs);
      atMs = due.dueMs;
      if (atMs >= fromMs + 365 * dayMs) break;
      const { month, day } = clock(atMs);
      days.push(`${month}-${day}`);
      // Schedulers differ only near a clock change, where the run gets an extra hour.
      const isMoved = clock(atMs - 3 * hourMs).offsetMs !== clock(atMs + 3 * hourMs).offsetMs;
      expect([60_000, ...(isMoved ? [60_000 + hourMs] : [])]).toContain(due.deadlineMs - atMs);
    }
    expect(new Set(days).size, `${check.cron} in ${timeZone}`).toBe(days.length);
    expect(days.length, `${check.cron} in ${timeZone}`).toBeGreaterThanOrEqual(364);
  }
});
