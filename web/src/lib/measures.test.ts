import { describe, expect, it } from "vitest";
import { formatBytes, formatFigure, formatRate, formatUsage } from "./measures.ts";

describe("host figures", () => {
  it.each([
    [0, "0\u00a0B"],
    [512, "512\u00a0B"],
    [1023, "1\u00a0KiB"],
    [1536, "1.5\u00a0KiB"],
    [12_884_901_888, "12\u00a0GiB"],
    [536_870_912_000, "500\u00a0GiB"],
    [1_099_511_627_776, "1\u00a0TiB"],
  ])("formats %d bytes as %s", (bytes, text) => expect(formatBytes(bytes, "en-US")).toBe(text));

  it("shows a dash without a value, and never NaN", () => {
    expect([formatBytes(null, "zh-CN"), formatRate(undefined, "zh-CN"), formatUsage(null, "zh-CN")]).toEqual([
      "–",
      "–",
      "–",
    ]);
  });

  it("keeps one decimal of a percentage and two of a load", () => {
    expect(formatUsage(12.345, "en-US")).toBe("12.3%");
    expect(formatFigure(0.126, "en-US")).toBe("0.13");
    expect(formatRate(2048, "en-US")).toBe("2\u00a0KiB/s");
  });
});
