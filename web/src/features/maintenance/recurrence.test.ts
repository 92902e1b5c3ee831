import { describe, expect, it } from "vitest";
import { fromRule, noRecurrence, toRule } from "./recurrence.ts";

/** The last Sunday of its month, which is also the fifth. */
const start = "2026-03-29T02:00";

describe("a recurrence", () => {
  it.each([
    ["", { repeat: "once" }],
    ["FREQ=DAILY", { repeat: "daily", ending: "never" }],
    ["FREQ=DAILY;COUNT=5", { repeat: "daily", ending: "count", count: "5" }],
    ["FREQ=WEEKLY;BYDAY=MO,SU", { repeat: "weekly", days: ["MO", "SU"] }],
    ["FREQ=WEEKLY;BYDAY=SU;UNTIL=20261231", { repeat: "weekly", ending: "until", until: "2026-12-31" }],
    ["FREQ=MONTHLY", { repeat: "monthly", monthly: "day" }],
    ["FREQ=MONTHLY;BYDAY=5SU", { repeat: "monthly", monthly: "nth" }],
    ["FREQ=MONTHLY;BYDAY=-1SU;COUNT=3", { repeat: "monthly", monthly: "last", ending: "count", count: "3" }],
  ] as const)("of the rule %j is shown as choices that produce the same rule", (rule, expected) => {
    const read = fromRule(rule, start);
    expect(read).toMatchObject(expected);
    expect(toRule(read, start)).toBe(rule);
  });

  it.each([
    "FREQ=YEARLY",
    "FREQ=DAILY;INTERVAL=2",
    "FREQ=MONTHLY;BYDAY=1MO",
    "FREQ=MONTHLY;BYMONTHDAY=1",
    "FREQ=DAILY;UNTIL=20261231T000000Z",
    "BYDAY=MO;FREQ=WEEKLY",
  ])("of the rule %j is shown as a custom rule", (rule) => {
    expect(fromRule(rule, start)).toEqual({ ...noRecurrence, repeat: "custom", rrule: rule });
    expect(toRule(fromRule(rule, start), start)).toBe(rule);
  });

  it("accepts its days in any order", () => {
    expect(fromRule("FREQ=WEEKLY;BYDAY=SU,WE", start)).toMatchObject({ repeat: "weekly", days: ["WE", "SU"] });
    expect(fromRule("FREQ=WEEKLY;BYDAY=SU,SU", start)).toMatchObject({ repeat: "custom" });
  });

  it("without a weekday is on the start's", () => {
    expect(fromRule("FREQ=WEEKLY;COUNT=3", start)).toMatchObject({ repeat: "weekly", days: ["SU"], count: "3" });
    expect(fromRule("FREQ=WEEKLY;INTERVAL=2", start)).toMatchObject({ repeat: "custom" });
  });

  it("without a selected weekday uses the start's", () => {
    expect(toRule({ ...noRecurrence, repeat: "weekly" }, start)).toBe("FREQ=WEEKLY;BYDAY=SU");
  });
});
