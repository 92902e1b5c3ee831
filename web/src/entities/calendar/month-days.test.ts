import { expect, test } from "vitest";
import { weeksOf } from "./month-days.ts";

const today = "2026-11-29";

test.each([
  ["2026-11", "2026-10", "2026-12", "2026-10-26", "2026-12-07"],
  ["2027-02", "2027-01", "2027-03", "2027-02-01", "2027-03-01"],
  ["2026-12", "2026-11", "2027-01", "2026-11-30", "2027-01-04"],
  ["2028-02", "2028-01", "2028-03", "2028-01-31", "2028-03-06"],
])("the weeks of %s have its neighbours %s and %s, and begin on Monday", (month, before, after, first, end) => {
  const { days, ...rest } = weeksOf(month, today);
  expect(rest).toEqual({ month, before, after });
  expect([days[0], days.at(-1)]).toEqual([first, end]);
  expect(days.length % 7).toBe(1);
});

test.each([null, "", "2026-13", "1999-01", "next"])("%s is the current month", (wanted) => {
  expect(weeksOf(wanted, today).month).toBe("2026-11");
});
