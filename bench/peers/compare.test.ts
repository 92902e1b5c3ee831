import { expect, test } from "vitest";
import { comparison, measure, type Measured } from "./compare.ts";

const load = { port: 1, count: 3, intervalSeconds: 2 };

test("counts the slots of monitors that are never checked, and those of late checks, as missed", () => {
  const arrivals = { ids: Uint32Array.of(1, 2, 1), timesMs: Float64Array.of(0, 500, 2001) };
  const observed = { arrivals, passedMs: 5000, cpuMs: 8, writtenBytes: 4096, maxPssMib: 2, maxAnonymousMib: 1 };
  const { cpu, ratio, p50, missed, written } = measure(observed, load, 0.5);
  expect({ cpu: cpu.toFixed(2), ratio: ratio.toFixed(2), p50, missed, written: written.toFixed(0) }).toEqual({
    cpu: "2.67",
    ratio: "5.33",
    p50: 1,
    missed: 3,
    written: "1365",
  });
});

test("names the peers that are better in each figure", () => {
  const all = { ratio: 1, pss: 2, anonymous: 1, p50: 1, p99: 1, max: 1, missed: 0, written: 1024 };
  const columns = new Map<string, Measured>([
    ["Sonde", { ...all, cpu: 2 }],
    ["Slow", { ...all, cpu: 3 }],
    ["Fast", { ...all, cpu: 1 }],
  ]);
  const rows = comparison("25/s", columns);
  expect(rows[0]).toBe("| 25/s | CPU a check | 2.00 ms | 3.00 ms | 1.00 ms | Fast |");
  expect(rows.at(-1)).toBe("| 25/s | written to disk a check | 1.00 KiB | 1.00 KiB | 1.00 KiB | no |");
});
