import { expect, it } from "vitest";
import { recordOf } from "./dns-records.tsx";

it.each([
  ["sonde.example.com", "status.acme.example. CNAME sonde.example.com."],
  ["192.0.2.7", "status.acme.example. A 192.0.2.7"],
  ["[2001:db8::7]", "status.acme.example. AAAA 2001:db8::7"],
])("the record of a domain points at %s", (target, record) => {
  expect(recordOf("status.acme.example", target)).toBe(record);
});
