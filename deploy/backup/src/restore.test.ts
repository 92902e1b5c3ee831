import { expect, test } from "vitest";
import { explainRestore } from "./restore.ts";

test("a failed restore is one line, whatever failed", () => {
  const text = (fault: unknown) => String(explainRestore(fault));
  const failed = "StartupError: The restore failed, and what it wrote is not to be used: ";
  expect(text(new Error("the tables of auth are\n  others"))).toBe(`${failed}the tables of auth are others.`);
  const away = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  expect(text(away)).toBe(`${failed}PostgreSQL or ClickHouse is not reached (ECONNREFUSED).`);
  const password = Object.assign(new Error("password authentication failed"), { code: "28P01" });
  expect(text(password)).toBe(`${failed}PostgreSQL refuses the user of this restore (password authentication failed).`);
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  expect(text(full)).toBe(`${failed}The disk is full: nothing more can be written.`);
  const mistake = new TypeError("x is not a function");
  expect(explainRestore(mistake)).toBe(mistake);
});
