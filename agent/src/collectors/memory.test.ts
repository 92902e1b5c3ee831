import { expect, test } from "vitest";
import { parseMeminfo } from "./usage.ts";

const meminfo = `MemTotal:       1000 kB
MemFree:         100 kB
MemAvailable:    400 kB
Buffers:          50 kB
Cached:          300 kB
Shmem:            80 kB
SReclaimable:     30 kB
SwapTotal:       200 kB
SwapFree:        150 kB
Active(anon):      7 kB
`;

test("used memory is what cannot be freed without swapping, in bytes", () => {
  expect(parseMeminfo(meminfo)).toEqual({
    total: 1000 * 1024,
    used: 600 * 1024,
    free: 100 * 1024,
    usage: 60,
    available: 400 * 1024,
    swapTotal: 200 * 1024,
    swapUsed: 50 * 1024,
  });
});

test("without MemAvailable, free and droppable memory counts as available, except shared memory", () => {
  const figures = parseMeminfo(meminfo.replace(/MemAvailable.*\n/, ""));
  expect(figures?.available).toBe((100 + 50 + 300 + 30 - 80) * 1024);
  expect(figures?.used).toBe(600 * 1024);
});

test("available memory is capped at the total, which some containers exceed", () => {
  expect(parseMeminfo("MemTotal: 10 kB\nMemAvailable: 20 kB\n")?.usage).toBe(0);
});

test("a file without a total has no figures", () => {
  expect(parseMeminfo("")).toBeUndefined();
});
