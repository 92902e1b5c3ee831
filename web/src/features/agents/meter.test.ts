import { expect, it } from "vitest";
import { usageTone } from "./meter.tsx";

it("a figure above its threshold is bad, and within ten points below it a warning", () => {
  expect([90.1, 90, 80.1, 80].map((percent) => usageTone(percent, 90))).toEqual(["down", "warn", "warn", "plain"]);
  expect(usageTone(96, 97)).toBe("warn");
});

it("without a threshold or a figure there is no warning", () => {
  expect([usageTone(100, null), usageTone(100, undefined), usageTone(null, 90), usageTone(undefined, 90)]).toEqual(
    Array(4).fill("plain"),
  );
});
