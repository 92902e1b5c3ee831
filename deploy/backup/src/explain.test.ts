import { StartupError } from "@sonde/kit/service/startup-error";
import { expect, test } from "vitest";
import { explainFailure } from "./explain.ts";

const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

test.each([
  [new Error("the tables of auth are\n  others"), "the tables of auth are others."],
  [
    Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }),
    "PostgreSQL or ClickHouse is unreachable (ECONNREFUSED).",
  ],
  [coded("28P01", "password authentication failed"), "PostgreSQL rejects this user (password authentication failed)."],
  [coded("ENOSPC"), "The disk is full: nothing more can be written."],
  [coded("60", "Table history.checks does not exist."), "Table history.checks does not exist."],
])("%s is described in one line", (fault, line) =>
  expect(explainFailure(fault, "It failed")).toEqual(new StartupError(`It failed: ${line}`)),
);

test("startup errors and programming errors are returned unchanged", () => {
  for (const fault of [new StartupError("Set PORT."), new TypeError("x is not a function")])
    expect(explainFailure(fault, "It failed")).toBe(fault);
});
