import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import { expect, test, vi } from "vitest";
import { sampleFacts } from "../messages/sample.ts";
import { usesEvidence, evidenceReader } from "./evidence.ts";

const nowMs = Date.UTC(2026, 10, 22, 8, 35, 12);
const facts = sampleFacts("down", "en-US", nowMs);
const evidence: Evidence = { at: new Date(nowMs).toISOString(), location: "default", body: "Out of disk" };

test("a template requests it by name, with or without spaces", () => {
  expect(usesEvidence(["{{name}}", undefined, "It answered {{ evidenceBody }}"])).toBe(true);
  expect(usesEvidence([JSON.stringify({ url: "https://example.com", body: '{"text": "{{evidenceBody}}"}' })])).toBe(
    true,
  );
  expect(usesEvidence(["{{name}} evidenceBody {{error}}", undefined])).toBe(false);
});

test("it is queried again until metrics has it, and not for incidents without a check", async () => {
  const incidentEvidence = vi
    .fn<() => Promise<{ evidence?: Evidence }>>(async () => ({}))
    .mockRejectedValueOnce(new Error("no"));
  incidentEvidence.mockResolvedValueOnce({ evidence });
  const read = evidenceReader({ incidentEvidence });
  expect(await read(facts)).toBe("Out of disk");
  expect(incidentEvidence).toHaveBeenCalledTimes(2);
  expect(await read(sampleFacts("offline", "en-US", nowMs))).toBeUndefined();
  expect(incidentEvidence).toHaveBeenCalledTimes(2);
});

test("an alert is sent without it if there is none", async () => {
  const incidentEvidence = vi.fn(async () => ({}));
  expect(await evidenceReader({ incidentEvidence })(facts)).toBeUndefined();
  expect(incidentEvidence).toHaveBeenCalledTimes(3);
});
