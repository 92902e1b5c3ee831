import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { describe, expect, it } from "vitest";
import { endpoints } from "./endpoints.ts";
import { noExpiration, noRegistry, type ProbeOutcome } from "./probe/probe.ts";
import { targetOf } from "./testing/check.ts";

it.each([
  ["no known name is found", "The probe runner at {location} cannot resolve names, so the target could not be checked"],
  ["no route", "The probe runner at {location} has no network connection, so the target could not be checked"],
  [noRegistry, "The registry's RDAP service returned no usable response, so the domain could not be checked"],
  [noExpiration, "The registry does not publish when the domain expires, so the domain could not be checked"],
  ["the loop stood still", "The probe runner is not working properly, so the target could not be checked"],
])("a test that our own trouble prevents says which: %s", async (trouble, message) => {
  const { runCheck } = endpoints({
    location: "eu1",
    id: "r",
    compile: async () => targetOf({ url: "http://a.test/" }),
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

describe("a second opinion", () => {
  const timings = { total: 3 };
  const error = { kind: "connect", message: "The connection was refused" } as const;
  const ask = async (outcome: ProbeOutcome) => {
    const published: CheckResult[] = [];
    const { runCheck } = endpoints({
      location: "us1",
      id: "r",
      compile: async () => targetOf({ url: "http://a.test/" }),
      publish: (result) => published.push(result),
      checker: { runManual: async () => ({ startedAtMs: 9_000, outcome }) },
    });
    const call = { requestId: "r", timeoutMs: 1_000, signal: new AbortController().signal };
    const input = {
      monitorId: 5,
      version: 2,
      check: {},
      timeoutMs: 1_000,
      attempt: 1,
      keepBody: true,
      confirms: 8_000,
    };
    const answer = await runCheck(input, call).catch((failure: unknown) => failure);
    return { published, answer };
  };

  it("is published with the slot that it confirms, without evidence", async () => {
    const { published } = await ask({ status: "down", timings, error });
    expect(published).toMatchObject([{ confirms: 8_000, location: "us1", status: "down" }]);
    expect(published[0]?.evidence).toBeUndefined();
    const { answer } = await ask({ status: "up", timings });
    expect(answer).toMatchObject({ status: "up" });
  });

  it("is not given if this runner may not dial the address", async () => {
    const { published, answer } = await ask({ status: "down", timings, error: { kind: "blocked", message: "no" } });
    expect(published).toEqual([]);
    expect(answer).toMatchObject({ code: "unavailable" });
  });
});
