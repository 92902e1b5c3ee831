import { expect, test } from "vitest";
import { translate } from "./messages.ts";
import { checkTypes, kindOf } from "./monitors/kinds.ts";
import { monitorInput } from "./monitors/monitors.ts";
import { faultsOf } from "./reasons/issues.ts";

/** The texts that a value of a field is refused with. */
function refusals(input: Record<string, unknown>, field: string): string[] {
  const { error } = monitorInput.safeParse(input);
  const faults = faultsOf(error?.issues ?? []).filter(({ path }) => path.split(".")[0] === field);
  return faults.map(({ message, params }) => translate(message, "en-US", params));
}

test.each(checkTypes)("a wrong value of any field of %s is refused with its limits filled in", (type) => {
  for (const field of ["name", "retries", "timeout", "interval", "tags", ...Object.keys(kindOf(type).fields)]) {
    for (const value of [-1, 1.5, 1e9, "x", "", "x".repeat(300_000), [], [""], Array.from({ length: 60 }, String)])
      for (const text of refusals({ type, name: "a", [field]: value }, field))
        expect(text, field).not.toMatch(/\{\w+\}/);
  }
});

test.each([
  ["heartbeat", "grace", -1, "Enter a whole number of seconds from 0 to 604800"],
  ["heartbeat", "grace", 31_536_000, "Enter a whole number of seconds from 0 to 604800"],
  ["heartbeat", "maxRuntime", 0.5, "Enter a whole number of seconds from 1 to 604800"],
  ["icmp", "count", 11, "Enter a whole number of pings from 1 to 10"],
  ["tls", "minDaysLeft", 1.5, "Enter a whole number of days from 0 to 1000"],
  ["http", "retries", -1, "Enter a whole number of retries from 0 to 10"],
])("%s: %s of %d: %s", (type, field, value, text) => {
  expect(refusals({ type, name: "a", [field]: value }, field)).toEqual([text]);
});
