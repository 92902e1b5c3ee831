import type { Layer } from "@sonde/proto/http/on-call/schedules";
import { describe, expect, test } from "vitest";
import { onCallAt, type OverrideSpan, shiftsBetween } from "./on-call-at.ts";

const hour = 3_600_000;
const day = 24 * hour;
const [ada, ben, cy, dee] = [1, 2, 3, 4];
const daily: Layer = {
  members: [ada, ben],
  every: { n: 1, unit: "day" },
  handoff: { time: "09:00" },
  from: "2026-01-01",
};
const weekly: Layer = {
  members: [ada, ben, cy],
  every: { n: 1, unit: "week" },
  handoff: { weekday: 1, time: "09:00" },
  from: "2026-01-01",
};
const halfDays: Layer = {
  members: [ada, ben],
  every: { n: 12, unit: "hour" },
  handoff: { time: "08:00" },
  from: "2026-01-01",
};

const berlin = (...layers: Layer[]) => ({ timeZone: "Europe/Berlin", layers });
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const between = (schedule: ReturnType<typeof berlin>, from: string, to: string, overrides: OverrideSpan[] = []) => {
  const { shifts, gaps } = shiftsBetween(schedule, overrides, Date.parse(from), Date.parse(to));
  return {
    shifts: shifts.map(({ userId, startMs, endMs }) => [userId, iso(startMs), iso(endMs)]),
    hours: shifts.map(({ startMs, endMs }) => (endMs - startMs) / hour),
    gaps: gaps.map(({ startMs, endMs }) => [iso(startMs), iso(endMs)]),
  };
};

describe("across clock changes", () => {
  // Berlin: 29 March 2026 02:00 becomes 03:00; 25 October 2026 03:00 becomes 02:00.
  test.each([
    ["a week in winter has 168 hours", weekly, "2026-03-16T08:00Z", "2026-03-23T08:00Z", [168]],
    ["a week in which summer time starts has 167 hours", weekly, "2026-03-23T08:00Z", "2026-03-30T07:00Z", [167]],
    ["a week in which summer time ends has 169 hours", weekly, "2026-10-19T07:00Z", "2026-10-26T08:00Z", [169]],
    ["a day has 23 hours in spring", daily, "2026-03-28T08:00Z", "2026-03-30T07:00Z", [23, 24]],
    ["a day has 25 hours in autumn", daily, "2026-10-24T07:00Z", "2026-10-26T08:00Z", [25, 24]],
    ["a night of 12 hours has 11 in spring", halfDays, "2026-03-28T19:00Z", "2026-03-29T18:00Z", [11, 12]],
    ["a night of 12 hours has 13 in autumn", halfDays, "2026-10-24T18:00Z", "2026-10-25T19:00Z", [13, 12]],
  ])("%s", (_, layer, from, to, hours) => {
    expect(between(berlin(layer), from, to).hours).toEqual(hours);
  });

  test("a handoff at a time that does not exist is at the next instant that does", () => {
    const layer = { ...daily, handoff: { time: "02:30" } };
    expect(between(berlin(layer), "2026-03-28T01:30Z", "2026-03-30T00:30Z").shifts).toEqual([
      [ada, "2026-03-28T01:30", "2026-03-29T01:00"],
      [ben, "2026-03-29T01:00", "2026-03-30T00:30"],
    ]);
  });

  test("a handoff at a time that occurs twice is at the first", () => {
    const layer = { ...daily, handoff: { time: "02:30" } };
    expect(between(berlin(layer), "2026-10-24T00:30Z", "2026-10-26T01:30Z").shifts).toEqual([
      [ada, "2026-10-24T00:30", "2026-10-25T00:30"],
      [ben, "2026-10-25T00:30", "2026-10-26T01:30"],
    ]);
    // Also when the period starts between the two.
    expect(between(berlin(layer), "2026-10-25T01:10Z", "2026-10-25T02:00Z").shifts).toEqual([
      [ben, "2026-10-25T01:10", "2026-10-25T02:00"],
    ]);
  });

  test("a rotation of one hour leaves out the hour that is skipped, and doubles the one that is repeated", () => {
    const layer: Layer = {
      ...daily,
      members: [ada, ben, cy, dee],
      every: { n: 1, unit: "hour" },
      handoff: { time: "00:00" },
    };
    expect(between(berlin(layer), "2026-03-29T00:00Z", "2026-03-29T02:00Z").shifts).toEqual([
      [ben, "2026-03-29T00:00", "2026-03-29T01:00"],
      [dee, "2026-03-29T01:00", "2026-03-29T02:00"],
    ]);
    expect(between(berlin(layer), "2026-10-25T00:00Z", "2026-10-25T03:00Z").hours).toEqual([2, 1]);
  });

  test("a zone that skips a whole day has a short shift", () => {
    const layer: Layer = { ...daily, from: "2011-12-29", handoff: { time: "12:00" } };
    const apia = { timeZone: "Pacific/Apia", layers: [layer] };
    expect(between(apia, "2011-12-29T22:00Z", "2011-12-31T22:00Z").hours).toEqual([12, 12, 24]);
  });
});

describe("layers", () => {
  test("start at the first handoff on or after their date", () => {
    const { shifts, gaps } = between(berlin(weekly), "2026-01-01T00:00Z", "2026-01-12T08:00Z");
    expect(shifts).toEqual([[ada, "2026-01-05T08:00", "2026-01-12T08:00"]]);
    expect(gaps).toEqual([["2026-01-01T00:00", "2026-01-05T08:00"]]);
  });

  test("without a weekday, weeks start on the weekday of their date", () => {
    const layer = { ...weekly, handoff: { time: "09:00" } };
    expect(between(berlin(layer), "2026-01-01T08:00Z", "2026-01-08T08:00Z").hours).toEqual([168]);
  });

  test("replace the ones before them only in their hours", () => {
    const nights: Layer = {
      ...daily,
      members: [dee],
      only: [{ days: [1, 2, 3, 4, 5], start: "22:00", end: "06:00" }],
    };
    // Friday to Monday. The night of Friday ends on Saturday; those of the weekend do not count.
    expect(between(berlin(weekly, nights), "2026-01-09T12:00Z", "2026-01-13T00:00Z").shifts).toEqual([
      [ada, "2026-01-09T12:00", "2026-01-09T21:00"],
      [dee, "2026-01-09T21:00", "2026-01-10T05:00"],
      [ada, "2026-01-10T05:00", "2026-01-12T08:00"],
      [ben, "2026-01-12T08:00", "2026-01-12T21:00"],
      [dee, "2026-01-12T21:00", "2026-01-13T00:00"],
    ]);
  });

  test("with hours that touch or overlap are not cut there", () => {
    const only = [
      { days: [1, 2, 3, 4, 5, 6, 7], start: "00:00", end: "00:00" },
      { days: [3], start: "10:00", end: "12:00" },
    ];
    expect(between(berlin({ ...weekly, only }), "2026-01-05T08:00Z", "2026-01-12T08:00Z").hours).toEqual([168]);
    expect(between(berlin({ ...weekly, only: [] }), "2026-01-05T08:00Z", "2026-01-12T08:00Z").hours).toEqual([168]);
  });

  test("leave gaps outside their hours", () => {
    const layer = { ...weekly, only: [{ days: [1, 2, 3, 4, 5], start: "09:00", end: "17:00" }] };
    expect(between(berlin(layer), "2026-01-05T08:00Z", "2026-01-07T08:00Z").gaps).toEqual([
      ["2026-01-05T16:00", "2026-01-06T08:00"],
      ["2026-01-06T16:00", "2026-01-07T08:00"],
    ]);
    expect(onCallAt(berlin(layer), [], Date.parse("2026-01-05T16:00Z"))).toBeUndefined();
    expect(onCallAt(berlin(layer), [], Date.parse("2026-01-05T15:59Z"))).toEqual({
      userId: ada,
      untilMs: Date.parse("2026-01-05T16:00Z"),
    });
  });
});

describe("overrides", () => {
  const override = { userId: dee, startMs: Date.parse("2026-01-06T00:00Z"), endMs: Date.parse("2026-01-06T12:00Z") };

  test("replace layers, and fill gaps", () => {
    expect(between(berlin(weekly), "2026-01-05T08:00Z", "2026-01-12T08:00Z", [override]).shifts).toEqual([
      [ada, "2026-01-05T08:00", "2026-01-06T00:00"],
      [dee, "2026-01-06T00:00", "2026-01-06T12:00"],
      [ada, "2026-01-06T12:00", "2026-01-12T08:00"],
    ]);
    const late = { ...weekly, from: "2030-01-01" };
    expect(between(berlin(late), "2026-01-06T00:00Z", "2026-01-07T00:00Z", [override])).toMatchObject({
      hours: [12],
      gaps: [["2026-01-06T12:00", "2026-01-07T00:00"]],
    });
  });

  test("are named as the source of their shifts", () => {
    const { shifts } = shiftsBetween(berlin(weekly), [override], override.startMs - hour, override.endMs);
    expect(shifts.map(({ source }) => source)).toEqual(["layer", "override"]);
  });
});

describe("the end of being on call", () => {
  test("joins consecutive shifts of one user", () => {
    const twice = { ...weekly, members: [ada, ada, ben] };
    expect(onCallAt(berlin(twice), [], Date.parse("2026-01-06T00:00Z"))).toEqual({
      userId: ada,
      untilMs: Date.parse("2026-01-19T08:00Z"),
    });
  });

  test("may be far away, or missing", () => {
    const months: Layer = { ...weekly, every: { n: 26, unit: "week" } };
    expect(onCallAt(berlin(months), [], Date.parse("2026-01-06T00:00Z"))).toEqual({
      userId: ada,
      untilMs: Date.parse("2026-07-06T07:00Z"),
    });
    expect(onCallAt(berlin({ ...weekly, members: [ben] }), [], Date.parse("2026-01-06T00:00Z"))).toEqual({
      userId: ben,
    });
  });
});

test("a schedule that began long ago, with ten layers by the hour, is computed for 400 days without walking there", () => {
  const layer: Layer = { ...halfDays, every: { n: 1, unit: "hour" }, from: "0001-01-01" };
  const layers = Array.from({ length: 10 }, (_, index) => ({
    ...layer,
    only: [{ days: [1, 2, 3, 4, 5, 6, 7], start: `${10 + index}:00`, end: `${10 + index}:30` }],
  }));
  const fromMs = Date.parse("2026-01-01T00:00Z");
  const { shifts } = shiftsBetween(berlin(layer, ...layers.slice(1)), [], fromMs, fromMs + 400 * day);
  // 24 hours a day, and nine half hours that split theirs.
  expect(shifts.length).toBeGreaterThan(400 * 24);
  expect(shifts.length).toBeLessThan(400 * 34);
});

describe("agrees with a slow reference", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Africa/Casablanca",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Pacific/Auckland",
  ];
  const everyDay = [1, 2, 3, 4, 5, 6, 7];
  const sun = (userId: number, start: string, end: string): Layer => ({
    ...daily,
    members: [userId, dee],
    every: { n: 1, unit: "week" },
    handoff: { weekday: 3, time: start },
    from: "2025-12-20",
    only: [{ days: everyDay, start, end }],
  });
  const schedules: Record<string, Layer[]> = {
    "daily at a time that clocks skip": [{ ...daily, members: [ada, ben, cy], handoff: { time: "02:15" } }],
    weekly: [weekly],
    "every 12 hours": [{ ...halfDays, members: [ada, ben, cy], handoff: { time: "01:45" } }],
    "follow the sun": [sun(ada, "00:00", "08:00"), sun(ben, "08:00", "16:00"), sun(cy, "16:00", "00:00")],
    "layers with hours": [
      { ...weekly, every: { n: 2, unit: "week" }, handoff: { time: "00:30" } },
      { ...daily, members: [dee, cy], only: [{ days: [6, 7], start: "02:30", end: "01:00" }] },
      { ...halfDays, members: [ben], from: "2027-06-01", only: [{ days: [2, 4], start: "22:00", end: "06:30" }] },
    ],
  };
  const [startMs, endMs] = [Date.parse("2026-01-03T00:00Z"), Date.parse("2028-12-31T00:00Z")];
  const overrides = Array.from({ length: 30 }, (_, index) => ({
    userId: 5 + (index % 3),
    startMs: startMs + index * 36 * day + 7 * hour,
    endMs: startMs + index * 36 * day + (9 + index) * hour,
  }));

  describe.each(zones)("in %s", (timeZone) => {
    const handoffs = clockChanges(timeZone, startMs, endMs).flatMap((ms) =>
      [-5, -3, -1, 0, 1, 3, 5].map((steps) => ms + steps * (hour / 2)),
    );
    const spread = Array.from({ length: 120 }, (_, index) => startMs + index * ((endMs - startMs) / 120));
    const instants = [...handoffs, ...spread].map((ms) => Math.floor(ms / 60_000) * 60_000);

    test.each(Object.keys(schedules))("%s", (name) => {
      const layers = schedules[name]!;
      const reference = slowReference(timeZone, layers, overrides, endMs);
      const { shifts, gaps } = shiftsBetween({ timeZone, layers }, overrides, startMs, endMs);
      const spans = [...shifts, ...gaps].sort((one, other) => one.startMs - other.startMs);
      expect(spans[0]!.startMs).toBe(startMs);
      expect(spans.at(-1)!.endMs).toBe(endMs);
      for (const [index, { startMs: from }] of spans.slice(1).entries()) expect(from).toBe(spans[index]!.endMs);
      const wrong = instants.flatMap((ms) => {
        const expected = reference(ms);
        const at = onCallAt({ timeZone, layers }, overrides, ms);
        const shift = shifts.find((span) => span.startMs <= ms && ms < span.endMs);
        const isRight = at?.userId === expected && shift?.userId === expected && (at?.untilMs ?? Infinity) > ms;
        return isRight ? [] : [{ at: iso(ms), expected, got: at?.userId, shift: shift?.userId }];
      });
      expect(wrong).toEqual([]);
    });
  });
});

function clockChanges(timeZone: string, fromMs: number, toMs: number): number[] {
  const found: number[] = [];
  const offsetAt = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).offset;
  for (let ms = fromMs; ms < toMs; ms += day) {
    for (let at = ms; offsetAt(ms) !== offsetAt(ms + day) && at < ms + day; at += hour / 2) {
      if (offsetAt(at) !== offsetAt(at + hour / 2)) found.push(at + hour / 2);
    }
  }
  return found;
}

/** Lists every handoff from the start, and finds each by watching the clock in steps of 15 minutes. */
function slowReference(timeZone: string, layers: Layer[], overrides: OverrideSpan[], endMs: number) {
  const clockAt = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDateTime();
  /** The first instant at which the clock shows a time, or a later one. */
  const firstAt = (local: Temporal.PlainDateTime) => {
    let ms = local.toZonedDateTime(timeZone).epochMilliseconds - 5 * (hour / 4);
    while (Temporal.PlainDateTime.compare(clockAt(ms), local) < 0) ms += hour / 4;
    return ms;
  };
  const prepared = layers.map(({ members, every, handoff, from, only }) => {
    let day = Temporal.PlainDate.from(from);
    while (handoff.weekday !== undefined && day.dayOfWeek !== handoff.weekday) day = day.add({ days: 1 });
    const starts: number[] = [];
    let local = day.toPlainDateTime(handoff.time);
    while ((starts.at(-1) ?? 0) <= endMs) {
      starts.push(firstAt(local));
      local = local.add({ [`${every.unit}s`]: every.n });
    }
    return {
      memberAt: (ms: number) => {
        let turn = -1;
        for (const start of starts) {
          if (start > ms) break;
          turn++;
        }
        return turn < 0 ? undefined : members[turn % members.length];
      },
      appliesAt: (ms: number) =>
        only === undefined ||
        only.some(({ days, start, end }) =>
          [-1, 0].some((offset) => {
            const date = clockAt(ms).toPlainDate().add({ days: offset });
            const endDate = end <= start ? date.add({ days: 1 }) : date;
            return (
              days.includes(date.dayOfWeek) &&
              firstAt(date.toPlainDateTime(start)) <= ms &&
              ms < firstAt(endDate.toPlainDateTime(end))
            );
          }),
        ),
    };
  });
  return (ms: number): number | undefined => {
    const override = overrides.find((one) => one.startMs <= ms && ms < one.endMs);
    if (override !== undefined) return override.userId;
    return prepared
      .toReversed()
      .filter(({ appliesAt }) => appliesAt(ms))
      .map(({ memberAt }) => memberAt(ms))
      .find((userId) => userId !== undefined);
  };
}
