import { expect, it } from "vitest";
import type { Traces } from "../probe/traces.ts";
import { createFingerprints, type KeptFacts } from "./fingerprints.ts";
import type { CheckVerdict } from "./result.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const minute = 60_000;
const traces = (address: string): Traces => ({
  host: "a.test",
  addresses: [address],
  proxy: undefined,
  resolver: undefined,
  serial: undefined,
  issuer: undefined,
  redirects: undefined,
  server: undefined,
  status: undefined,
  digest: undefined,
  timings: { total: 1 },
  secrets: undefined,
});

it.each<[string, KeptFacts, boolean]>([
  ["the first good check, and the first after a failure", {}, true],
  ["one within an hour", { sentMs: nowMs - 59 * minute }, false],
  ["one an hour later", { sentMs: nowMs - 60 * minute }, true],
  ["one after the clock was set back", { sentMs: nowMs + 60 * minute }, true],
])("decides for %s", (_what, kept, expected) => {
  const fingerprints = createFingerprints({ originOf: async () => undefined });
  const good: CheckVerdict = { status: "up", timings: { total: 1 }, traces: traces("192.0.2.1") };
  expect(fingerprints.good(kept, good, nowMs)).toBe(expected);
});

it("looks up names only for a fingerprint that is sent, and shows those of the last good one", async () => {
  const asked: string[] = [];
  const chain = { names: ["old.cdn.test"] };
  const fingerprints = createFingerprints({
    originOf: async (host) => {
      asked.push(host);
      return { servers: "10.0.0.2", names: chain.names };
    },
  });
  const kept: KeptFacts = {};
  const good: CheckVerdict = { status: "up", timings: { total: 1 }, traces: traces("192.0.2.1") };
  expect(fingerprints.good(kept, good, nowMs)).toBe(true);
  await fingerprints.take(kept, good, nowMs);
  for (let at = 1; at < 30; at++) expect(fingerprints.good(kept, good, nowMs + at * minute)).toBe(false);
  expect(asked).toEqual(["a.test"]);
  chain.names = ["new.cdn.test"];
  const bad: CheckVerdict = { status: "down", timings: { total: 1 }, traces: traces("192.0.2.2") };
  const taken = await fingerprints.take(kept, bad, nowMs + 30 * minute);
  expect(taken).toMatchObject({
    fingerprint: { addresses: ["192.0.2.2"], names: ["new.cdn.test"], resolver: "10.0.0.2" },
    lastGood: { addresses: ["192.0.2.1"], names: ["old.cdn.test"], resolver: "10.0.0.2" },
  });
  // The failure's facts were sent, so those of the next good check are sent again.
  expect(fingerprints.good(kept, good, nowMs + 31 * minute)).toBe(true);
});

it("keeps the newest good check in the same object", () => {
  const fingerprints = createFingerprints({ originOf: async () => undefined });
  const kept: KeptFacts = {};
  const good = (address: string, total: number, bytes: number) => {
    const facts = {
      ...traces(address),
      status: 200,
      timings: { total },
      digest: { bytes, hash: bytes, isWhole: true },
    };
    fingerprints.good(kept, { status: "up", timings: { total }, traces: facts }, nowMs + total);
    return kept.lastGood;
  };
  const first = good("192.0.2.1", 1, 10);
  expect(good("192.0.2.1", 2, 20)).toBe(first);
  const facts = { addresses: ["192.0.2.1"], timings: { total: 2 }, digest: { bytes: 20, hash: 20 } };
  expect(first).toMatchObject({ atMs: nowMs + 2, traces: facts });
  const moved = good("192.0.2.2", 3, 30);
  expect(moved?.traces).toMatchObject({ addresses: ["192.0.2.2"], timings: { total: 3 }, digest: { bytes: 30 } });
});
