import { describe, expect, it } from "vitest";
import { readGrafanaOnCall } from "./grafana-oncall.ts";
import { readCalendar } from "./ical.ts";
import { readOpsgenie } from "./opsgenie.ts";
import { readPagerDuty } from "./pagerduty.ts";

describe("schedules of Opsgenie", () => {
  const read = (rotation: Record<string, unknown>) =>
    readOpsgenie({
      data: [
        {
          name: "Platform",
          timezone: "Europe/Berlin",
          rotations: [
            {
              name: "Days",
              type: "weekly",
              length: 2,
              startDate: "2026-03-02T07:00:00Z",
              participants: [{ type: "user", username: "ada@example.com" }],
              ...rotation,
            },
          ],
        },
      ],
    })[0];

  it("keep their rotation and hand over at the local time of its start", () => {
    expect(read({})).toEqual({
      name: "Platform",
      timeZone: "Europe/Berlin",
      layers: [
        {
          members: ["ada@example.com"],
          every: { n: 2, unit: "week" },
          handoff: { weekday: 1, time: "08:00" },
          from: "2026-03-02",
        },
      ],
      overrides: [],
      notes: [],
    });
  });

  it("divide a span of several days at midnight", () => {
    const timeRestriction = {
      type: "weekday-and-time-of-day",
      restrictions: [{ startDay: "friday", startHour: 18, startMin: 0, endDay: "monday", endHour: 8, endMin: 30 }],
    };
    expect(read({ timeRestriction })?.layers[0]?.only).toEqual([
      { days: [5], start: "18:00", end: "00:00" },
      { days: [6, 7], start: "00:00", end: "00:00" },
      { days: [1], start: "00:00", end: "08:30" },
    ]);
  });

  it("keep hours past midnight", () => {
    const timeRestriction = {
      type: "time-of-day",
      restriction: { startHour: 22, startMin: 0, endHour: 6, endMin: 0 },
    };
    expect(read({ timeRestriction })?.layers[0]?.only).toEqual([
      { days: [1, 2, 3, 4, 5, 6, 7], start: "22:00", end: "06:00" },
    ]);
  });

  it("leave out teams and rotations that ended, and say so", () => {
    const participants = [{ type: "team" }, { type: "user", username: "ada@example.com" }];
    expect(read({ participants })?.notes).toEqual([
      { text: "Rotation {name}: only users are imported, not teams or escalations", params: { name: "Days" } },
    ]);
    expect(read({ endDate: "2020-01-01T00:00:00Z" })?.layers).toEqual([]);
  });
});

describe("schedules of PagerDuty", () => {
  it("put the layer with precedence last", () => {
    const layer = (name: string, change: Record<string, unknown>) => ({
      name,
      rotation_virtual_start: "2026-01-05T09:00:00-05:00",
      rotation_turn_length_seconds: 86_400,
      users: [{ user: { summary: "Ada", email: `${name}@example.com` } }],
      ...change,
    });
    const layers = [
      layer("night", {
        restrictions: [{ type: "daily_restriction", start_time_of_day: "20:00:00", duration_seconds: 43_200 }],
      }),
      layer("week", { rotation_turn_length_seconds: 604_800 }),
    ];
    const [read] = readPagerDuty({ schedule: { name: "Ops", time_zone: "America/New_York", schedule_layers: layers } });
    expect(read?.layers).toEqual([
      {
        members: ["week@example.com"],
        every: { n: 1, unit: "week" },
        handoff: { weekday: 1, time: "09:00" },
        from: "2026-01-05",
      },
      {
        members: ["night@example.com"],
        every: { n: 1, unit: "day" },
        handoff: { time: "09:00" },
        from: "2026-01-05",
        only: [{ days: [1, 2, 3, 4, 5, 6, 7], start: "20:00", end: "08:00" }],
      },
    ]);
  });
});

describe("schedules of Grafana OnCall", () => {
  const shift = {
    id: "S1",
    name: "EMEA",
    type: "rolling_users",
    time_zone: "UTC",
    start: "2026-02-28T22:00:00",
    duration: 43_200,
    frequency: "weekly",
    interval: 1,
    by_day: ["MO", "TU"],
    rolling_users: [["U1"], ["U2"], ["U3"]],
    start_rotation_from_user_index: 1,
  };
  const users = ["U1", "U2", "U3"].map((id) => ({ id, email: `${id.toLowerCase()}@example.com` }));
  const read = (change: Record<string, unknown>, zone = "UTC") =>
    readGrafanaOnCall({
      schedules: { results: [{ name: "Web", type: "web", time_zone: zone, shifts: ["S1"] }] },
      on_call_shifts: { results: [{ ...shift, ...change }] },
      users: { results: users },
    })[0];

  it("start with the person the shift starts with", () => {
    expect(read({})?.layers[0]?.members).toEqual(["u2@example.com", "u3@example.com", "u1@example.com"]);
  });

  it("move days and hours into the schedule's zone", () => {
    expect(read({})?.layers[0]?.only).toEqual([
      { days: [1, 2], start: "22:00", end: "00:00" },
      { days: [2, 3], start: "00:00", end: "10:00" },
    ]);
    expect(read({}, "Asia/Tokyo")?.layers[0]?.only).toEqual([{ days: [2, 3], start: "07:00", end: "19:00" }]);
  });

  it("are restricted to no hours if a turn covers them all", () => {
    expect(read({ by_day: undefined, duration: 604_800 })?.layers[0]?.only).toBeUndefined();
  });
});

describe("calendars", () => {
  const nowMs = Date.parse("2026-06-01T00:00:00Z");
  const calendar = (event: string) =>
    ["BEGIN:VCALENDAR", "X-WR-CALNAME:Rota", "BEGIN:VEVENT", "UID:1", event, "END:VEVENT", "END:VCALENDAR"].join(
      "\r\n",
    );

  it("become overrides of the people who attend", () => {
    const event =
      "DTSTART:20260608T080000Z\r\nDTEND:20260609T080000Z\r\nRRULE:FREQ=WEEKLY;COUNT=2\r\nATTENDEE:mailto:ada@example.com";
    expect(readCalendar(calendar(event), nowMs)[0]?.overrides).toEqual([
      { member: "ada@example.com", start: "2026-06-08T08:00:00.000Z", end: "2026-06-09T08:00:00.000Z" },
      { member: "ada@example.com", start: "2026-06-15T08:00:00.000Z", end: "2026-06-16T08:00:00.000Z" },
    ]);
  });

  it("are limited, however often they repeat", () => {
    const event = "DTSTART:20260601T000000Z\r\nDTEND:20260601T000100Z\r\nRRULE:FREQ=SECONDLY\r\nSUMMARY:Ada";
    expect(readCalendar(calendar(event), nowMs)[0]?.overrides).toHaveLength(500);
    expect(readCalendar("no calendar", nowMs)).toEqual([]);
    expect(readCalendar(calendar("RRULE:FREQ=NEVER\r\nSUMMARY:Ada"), nowMs)[0]?.overrides ?? []).toEqual([]);
  });
});
