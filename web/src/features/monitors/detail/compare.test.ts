import type { HistorySummary } from "@sonde/proto/http/monitors/checks";
import { describe, expect, it } from "vitest";
import { compare } from "./figures.tsx";

const summary = (part: Partial<HistorySummary>): HistorySummary => ({
  from: "2026-01-01T00:00:00Z",
  until: "2026-01-02T00:00:00Z",
  checks: 100,
  failures: 0,
  uptime: 100,
  coverage: 100,
  avg: 100,
  p50: 100,
  p95: 200,
  ...part,
});
const words = { language: "en-US", points: (value: string) => `${value} pp` };
const change = (
  figure: Parameters<typeof compare>[0],
  now: Partial<HistorySummary>,
  before: Partial<HistorySummary> = {},
) => compare(figure, summary(now), summary(before), words);

describe("a comparison with the previous period", () => {
  it("is relative for response times, absolute for failures, and in points for coverage", () => {
    expect(change("p50", { p50: 112 })).toEqual({ text: "+12%", verdict: "worse" });
    expect(change("p95", { p95: 150 })).toEqual({ text: "−25%", verdict: "better" });
    expect(change("failures", { failures: 3 }, { failures: 5 })).toEqual({
      text: "−2",
      verdict: "better",
    });
    expect(change("coverage", { coverage: 84.5 })).toEqual({ text: "−15.5 pp", verdict: "worse" });
  });

  it("has no verdict below 10 % of the previous value", () => {
    expect(change("p50", { p50: 102 })).toEqual({ text: "+2%", verdict: "same" });
    expect(change("p95", { p95: 182 })).toEqual({ text: "−9%", verdict: "same" });
    expect(change("p50", { p50: 110 })).toMatchObject({ verdict: "worse" });
    expect(change("failures", { failures: 104 }, { failures: 100 })).toEqual({ text: "+4", verdict: "same" });
    expect(change("failures", { failures: 1 }, { failures: 0 })).toMatchObject({ verdict: "worse" });
    expect(change("coverage", { coverage: 98.5 })).toEqual({ text: "−1.5 pp", verdict: "same" });
  });

  it("is equal if rounding leaves no difference", () => {
    expect(change("p50", { p50: 100.4 })).toEqual({ text: "0%", verdict: "same" });
    expect(change("failures", {})).toMatchObject({ verdict: "same" });
  });

  it("is null without a previous period or if either figure is missing", () => {
    expect(compare("p50", summary({}), null, words)).toBeNull();
    expect(change("p50", { p50: null })).toBeNull();
    expect(change("p95", {}, { p95: null })).toBeNull();
    expect(change("failures", { failures: 4 }, { checks: 0 })).toBeNull();
    expect(change("failures", { checks: 0 })).toBeNull();
  });
});
