import { expect, it } from "vitest";
import { maintenanceBands } from "./scales.ts";

it("joins adjacent steps in maintenance and separates others", () => {
  const points = [0, 1, 1, 0, 1].map((covered, step) => ({ start: step * 300, inMaintenance: covered === 1 }));
  expect(maintenanceBands(points, 300)).toEqual([
    { fromMs: 300, toMs: 900 },
    { fromMs: 1200, toMs: 1500 },
  ]);
  expect(maintenanceBands([], 300)).toEqual([]);
});
