import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import { expect, test, vi } from "vitest";
import { sampleFacts } from "../messages/sample.ts";
import { asksForEvidence, evidenceReader } from "./evidence.ts";

const nowMs = Date.UTC(2026, 10, 22, 8, 35, 12);
const facts = sampleFacts("down", "en-US", nowMs);
const evidence: Evidence = { at: new Date(nowMs).toISOString(), location: "default", body: "Out of disk" };

test("a template asks for it by its name, with or without spaces", () => {
  expect(asksForEvidence(["{{name}}", undefined, "It answered {{ evidenceBody }}"])).toBe(true);
  expect(asksForEvidence([JSON.stringify({ url: "https://example.com", body: '{"text": "{{evidenceBody}}"}' })])).toBe(
    true,
  );
  expect(asksForEvidence(["{{name}} evidenceBody {{error}}", undefined])).toBe(false);
});

test("it is asked for once more until metrics has it, and not of what no check opened", async () => {
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

test("an alert is sent without it where there is none", async () => {
  const incidentEvidence = vi.fn(async () => ({}));
  expect(await evidenceReader({ incidentEvidence })(facts)).toBeUndefined();
  expect(incidentEvidence).toHaveBeenCalledTimes(3);
});
