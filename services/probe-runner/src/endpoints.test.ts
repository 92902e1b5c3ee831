import { expect, it } from "vitest";
import { endpoints } from "./endpoints.ts";
import { targetOf } from "./testing/check.ts";

it.each([
  [
    "no known name is found",
    "The probe runner at {location} cannot resolve names, so this says nothing about the target",
  ],
  ["no route", "The probe runner at {location} cannot reach its network, so this says nothing about the target"],
  ["the loop stood still", "The probe runner itself is in trouble, so this says nothing about the target"],
])("a test that our own trouble prevents says which: %s", async (trouble, message) => {
  const { runCheck } = endpoints({
    location: "eu1",
    id: "r",
    compile: () => targetOf({ url: "http://a.test/" }),
    publish: () => undefined,
    checker: { runManual: async () => ({ startedAtMs: 0, outcome: { status: "none", trouble } }) },
  });
  const call = { requestId: "r", timeoutMs: 1_000, signal: new AbortController().signal };
  const request = { monitorId: 0, version: 0, check: {}, timeoutMs: 1_000, attempt: 1, keepBody: true };
  await expect(runCheck(request, call)).rejects.toMatchObject({
    code: "unavailable",
    details: [{ path: "check", message, params: { location: "eu1" } }],
  });
});
