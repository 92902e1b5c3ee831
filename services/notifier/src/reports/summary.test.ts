import type { ReportData } from "@sonde/proto/http/report-proof";
import { expect, test } from "vitest";
import { daysOf, targetOf, weekOf } from "../testing/reports.ts";
import { writeCsv } from "./csv.ts";
import { summaryOf } from "./summary.ts";

const up = [0, 0, 0, 0, 0, 0, 0];
const onTuesday = [0, 33, 0, 0, 0, 0, 0];
const twice = [0, 5, 0, 3, 0, 0, 0];
const fine = (id: number) => targetOf(id, `Service ${id}`, daysOf(up));
const incident = { name: "Checkout", cause: "", from: "2026-11-29T22:00:00.000Z", minutes: 60 };

test.each<[string, readonly ReportData["targets"][number][], Partial<ReportData>, string]>([
  ["nothing", [], {}, "Nothing to report: no service belongs to this report."],
  ["all up", [fine(1), fine(2)], {}, "All 2 services were up. Average uptime: 100%."],
  ["one up", [fine(1)], {}, "The service was up. Average uptime: 100%."],
  [
    "one down on one day",
    [targetOf(1, "Checkout", daysOf(onTuesday)), fine(2)],
    {},
    "1 of 2 services was down: Checkout, 33 minutes on Tuesday. Average uptime: 99.836%.",
  ],
  [
    "several down",
    [targetOf(1, "Search", daysOf(twice)), targetOf(2, "Checkout", daysOf(onTuesday)), fine(3)],
    {},
    "2 of 3 services were down, 41 minutes in total. Checkout was down longest: 33 minutes on Tuesday. Average uptime: 99.864%.",
  ],
  [
    "several days, which are not named",
    [targetOf(1, "Search", daysOf(twice))],
    {},
    "Search was down: 8 minutes. Average uptime: 99.92%.",
  ],
  [
    "still down",
    [targetOf(1, "Checkout", daysOf(onTuesday)), fine(2)],
    { incidents: [incident] },
    "1 of 2 services was down: Checkout, 33 minutes on Tuesday. Still down: Checkout. Average uptime: 99.836%.",
  ],
  [
    "missing data",
    [targetOf(1, "Checkout", daysOf(up, [10, 0, 0, 0, 0, 0, 0]))],
    {},
    "The service was up. For 1 service, some data is missing. Average uptime: 100%.",
  ],
  [
    "no data",
    [
      targetOf(
        1,
        "Checkout",
        daysOf(
          up,
          up.map(() => 1440),
        ),
      ),
    ],
    {},
    "There is no data about the service.",
  ],
  [
    "the previous period",
    [{ ...fine(1), before: { seen: 1000, up: 999 } }],
    {},
    "The service was up. Average uptime: 100%, previously 99.9%.",
  ],
  [
    "too many targets",
    [fine(1)],
    { omitted: 3 },
    "The service was up. Average uptime: 100%. 3 more services matched and are not shown.",
  ],
  [
    "a month",
    [targetOf(1, "Checkout", daysOf(onTuesday))],
    { every: "month" },
    "Checkout was down: 33 minutes on November 24. Average uptime: 99.672%.",
  ],
  [
    "Chinese",
    [targetOf(1, "搜索", daysOf(twice)), targetOf(2, "结账", daysOf(onTuesday)), fine(3)],
    { language: "zh-CN" },
    "3 个服务中有 2 个发生中断，合计41分钟。结账 中断最久：星期二共33分钟。平均可用率：99.864%。",
  ],
])("says: %s", (_what, targets, given, sentence) => {
  expect(summaryOf(weekOf(targets, given))).toBe(sentence);
});

test.each([
  ["Checkout", "Checkout"],
  ['a "b", c', '"a ""b"", c"'],
  ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1,B1)", `"'@SUM(A1,B1)"`],
])("the name %s is the CSV field %s", (name, field) => {
  const [, line] = writeCsv(weekOf([targetOf(7, name, daysOf([33], [10]))], { steps: ["2026-11-24"] })).split("\r\n");
  expect(line).toBe(`monitor,7,${field},2026-11-24,97.692,33,10,0,1440,1430,1397`);
});
