import { expect, test } from "vitest";
import { nextRuns, scheduleErrors } from "./schedule.ts";

/** A Saturday in winter. */
const fromMs = Date.UTC(2026, 0, 3, 10, 30);
const runs = (cron: string, count: number, timeZone = "UTC", afterMs = fromMs) =>
  nextRuns({ cron, timeZone }, afterMs, count).map((ms) => new Date(ms).toISOString().slice(5, 16));

test.each([
  [
    "0 0 */2 * 1",
    ["01-05T00:00", "01-19T00:00", "02-09T00:00"],
    "both must match if the day of month begins with a star",
  ],
  ["0 0 13 * */5", ["02-13T00:00", "03-13T00:00", "09-13T00:00"], "or if the day of week does"],
  ["0 0 13 * 5", ["01-09T00:00", "01-13T00:00", "01-16T00:00"], "otherwise either is enough"],
  ["0 0 *,13 * 5", ["01-09T00:00", "01-16T00:00", "01-23T00:00"], "a list that begins with a star counts as a star"],
  ["5/15 * * * *", ["01-03T10:35", "01-03T10:50", "01-03T11:05"], "a step from a start value"],
  ["0 20/2 * * *", ["01-03T20:00", "01-03T22:00", "01-04T20:00"], "a step of hours"],
  ["0 0 1 JAN/6 *", ["07-01T00:00", "01-01T00:00", "07-01T00:00"], "a step of months with a name"],
  ["0 0 * * 5/2", ["01-04T00:00", "01-09T00:00", "01-11T00:00"], "a step of weekdays up to Sunday"],
  [
    "*/90 * * * *",
    ["01-03T11:00", "01-03T12:00", "01-03T13:00"],
    "a step larger than the field selects its first value",
  ],
  ["10-20/90 * * * *", ["01-03T11:10", "01-03T12:10", "01-03T13:10"], "or the first value of a range"],
  ["0 0 */40 * *", ["02-01T00:00", "03-01T00:00", "04-01T00:00"], "or the first day"],
  ["@hourly", ["01-03T11:00", "01-03T12:00", "01-03T13:00"], "each hour"],
  ["@daily", ["01-04T00:00", "01-05T00:00", "01-06T00:00"], "each day"],
  ["@midnight", ["01-04T00:00", "01-05T00:00", "01-06T00:00"], "the same"],
  ["@Weekly", ["01-04T00:00", "01-11T00:00", "01-18T00:00"], "each Sunday"],
  ["@monthly", ["02-01T00:00", "03-01T00:00", "04-01T00:00"], "each month"],
  ["@yearly", ["01-01T00:00", "01-01T00:00", "01-01T00:00"], "each year"],
  ["@annually", ["01-01T00:00", "01-01T00:00", "01-01T00:00"], "the same"],
])("%s runs at %j: %s", (cron, expected) => {
  expect(scheduleErrors({ cron, timeZone: "UTC" }, fromMs)).toEqual([]);
  expect(runs(cron, 3)).toEqual(expected);
});

test.each([
  "@reboot",
  "@",
  "60/5 * * * *",
  "*/0 * * * *",
  "5//15 * * * *",
  "5/ * * * *",
  "20-10/2 * * * *",
  "0 0 * *",
  "? * * * *",
  "/5 * * * *",
])("%s is invalid", (cron) => {
  const message = "Enter a cron expression with five or six fields";
  expect(scheduleErrors({ cron, timeZone: "UTC" }, fromMs)).toEqual([{ path: "cron", message }]);
});

test.each([
  [
    "15 2/12 * * *",
    "2026-03-28T12:00:00Z",
    ["03-28T13:15", "03-29T01:00", "03-29T12:15"],
    "a skipped run happens at the end of the gap",
  ],
  [
    "15 2-14/12 * * *",
    "2026-10-24T12:00:00Z",
    ["10-24T12:15", "10-25T00:15", "10-25T13:15"],
    "a repeated time runs once",
  ],
  [
    "15 3,*/12 * * *",
    "2026-10-24T12:00:00Z",
    ["10-24T22:15", "10-25T02:15", "10-25T11:15"],
    "a star that is not first does not count as a wildcard",
  ],
  [
    "15 */2 * * *",
    "2026-10-24T22:30:00Z",
    ["10-25T00:15", "10-25T01:15", "10-25T03:15"],
    "a star that comes first is a wildcard",
  ],
])("times without a leading star are fixed: %s from %s", (cron, from, expected) => {
  expect(runs(cron, 3, "Europe/Berlin", Date.parse(from))).toEqual(expected);
});
