import { describe, expect, it } from "vitest";
import { fitScale } from "./scales.ts";

const steps = (count: number, p95: number, max = p95) => Array.from({ length: count }, () => ({ p95, max }));

describe("the scale of response times", () => {
  it("ends at the highest value", () => {
    expect(fitScale([...steps(20, 100), { p95: 140, max: 280 }])).toEqual({ top: 280, peak: null });
  });

  it("cuts off rare peaks and reports the highest value", () => {
    expect(fitScale([...steps(40, 100), { p95: 110, max: 10_000 }])).toEqual({ top: 160, peak: 10_000 });
    expect(fitScale([...steps(40, 100), { p95: 9_000, max: 9_000 }])).toEqual({ top: 160, peak: 9_000 });
  });

  it("includes high values that last", () => {
    expect(fitScale([...steps(20, 100), ...steps(5, 9_000)])).toEqual({ top: 9_000, peak: null });
  });

  it("has no maximum without data", () => {
    expect(fitScale([{ p95: null, max: null }])).toEqual({ top: 0, peak: null });
  });
});
