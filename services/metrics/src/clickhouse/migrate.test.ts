import { expect, test } from "vitest";
import { statements } from "./migrate.ts";

test("a file is split at semicolons at line ends", () => {
  const sql = "-- first; of two\nCREATE TABLE a (b String DEFAULT ';x')\nENGINE = Memory;\n\n-- second\nSELECT 1;  \n";
  expect(statements(sql)).toEqual([
    "-- first; of two\nCREATE TABLE a (b String DEFAULT ';x')\nENGINE = Memory",
    "-- second\nSELECT 1",
  ]);
});

test("a file with only comments has no statements", () => {
  expect(statements("-- nothing\n-- at all;\n")).toEqual([]);
});
