import { expect, test } from "vitest";
import { readFacts } from "./facts.ts";

test.each([
  ["rows=120&bytes=5.25&files=0&ms=12", undefined, { rows: 120, bytes: 5.25, files: 0, ms: 12 }],
  ["rows=-1&bytes=1e3&files=&ms=NaN&lines=4", undefined, {}],
  ["rows=5", "rows=7\nfiles=2", { rows: 5, files: 2 }],
  ["", "start\n  rows = 1\r\nrows=3  \nbytes=12 kB\nfiles=4, ms=9\nmyrows=8", { rows: 3 }],
  ["", `${" ".repeat(9_000)}rows=x`, {}],
  ["rows=1234567890123456", undefined, {}],
] as [string, string | undefined, object][])("%j and output %j → %j", (query, output, facts) => {
  expect(readFacts(new URLSearchParams(query), output)).toEqual(facts);
});
