import { expect, test } from "vitest";
import { readRule } from "./rule.ts";

const faultOf = (text: string) => {
  try {
    readRule(text);
  } catch (error) {
    return (error as { details: { path: string; message: string; params?: object }[] }).details[0];
  }
  return null;
};

test("parses a rule in upper and lower case, with and without its name", () => {
  expect(readRule("")).toBeNull();
  expect(readRule(" rrule:freq=weekly;byday=su,mo;interval=2;wkst=su ")).toMatchObject({
    freq: "WEEKLY",
    interval: 2,
    byDay: ["SU", "MO"],
    wkst: "SU",
  });
  expect(readRule("FREQ=MONTHLY;BYDAY=-1SU;COUNT=12")).toMatchObject({ byDay: ["-1SU"], count: 12 });
});

test.each([
  ["FREQ=HOURLY", "It can recur at most once a day"],
  ["FREQ=SECONDLY", "It can recur at most once a day"],
  ["FREQ=DAILY;BYHOUR=1,2", "It can recur at most once a day"],
  ["FREQ=DAILY;BYMINUTE=0", "It can recur at most once a day"],
  ["FREQ=DAILY;BYSECOND=0", "It can recur at most once a day"],
  ["FREQ=YEARLY;BYWEEKNO=20", "A recurrence can contain only {parts}"],
  ["FREQ=YEARLY;RSCALE=CHINESE", "A recurrence can contain only {parts}"],
  ["FREQ=DAILY;COUNT=3;EXDATE=20260101", "Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates"],
  ["FREQ=DAILY;COUNT=3\nEXDATE:20260101", "Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates"],
  ["DTSTART:20260101T000000Z\nRRULE:FREQ=DAILY", "Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates"],
  ["every sunday", "Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates"],
  ["FREQ", "Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates"],
  ["INTERVAL=2", "{part} is not valid in the recurrence"],
  ["FREQ=DAILY;FREQ=DAILY", "{part} is not valid in the recurrence"],
  ["FREQ=DAILY;INTERVAL=0", "{part} is not valid in the recurrence"],
  ["FREQ=DAILY;INTERVAL=-1", "{part} is not valid in the recurrence"],
  ["FREQ=DAILY;INTERVAL=1e9", "{part} is not valid in the recurrence"],
  ["FREQ=YEARLY;INTERVAL=100", "{part} can be at most {max}"],
  ["FREQ=DAILY;COUNT=100000", "{part} can be at most {max}"],
  ["FREQ=DAILY;COUNT=2;UNTIL=20300101", "Use COUNT or UNTIL, not both"],
  ["FREQ=DAILY;UNTIL=20300230", "{part} is not valid in the recurrence"],
  ["FREQ=DAILY;UNTIL=tomorrow", "{part} is not valid in the recurrence"],
  ["FREQ=WEEKLY;BYDAY=1SU", "{part} is not valid in the recurrence"],
  ["FREQ=MONTHLY;BYDAY=9SU", "{part} is not valid in the recurrence"],
  ["FREQ=WEEKLY;BYDAY=XX", "{part} is not valid in the recurrence"],
  ["FREQ=MONTHLY;BYMONTHDAY=0", "{part} is not valid in the recurrence"],
  ["FREQ=MONTHLY;BYMONTHDAY=32", "{part} is not valid in the recurrence"],
  ["FREQ=YEARLY;BYMONTH=-1", "{part} is not valid in the recurrence"],
  ["FREQ=DAILY;BYSETPOS=1", "{part} is not valid in the recurrence"],
])("rejects %j with its path: %s", (text, message) => {
  expect(faultOf(text)).toMatchObject({ path: "rrule", message });
});

test("an error includes the part", () => {
  expect(faultOf("FREQ=DAILY;COUNT=5000")).toMatchObject({ params: { part: "COUNT", max: 1000 } });
  expect(faultOf("FREQ=MONTHLY;BYMONTHDAY=40")).toMatchObject({ params: { part: "BYMONTHDAY" } });
});
