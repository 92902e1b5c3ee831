import { expect, test } from "vitest";
import { besidePeers, comparison, measure, type Measured } from "./compare.ts";

const load = { port: 1, count: 3, intervalSeconds: 2 };
const spent = { cpuMs: 8, writtenBytes: 4096, mostMemoryBytes: 2 ** 20 };

test("a monitor that is never asked misses every slot, one that is asked too late some", () => {
  const arrivals = { ids: Uint32Array.of(1, 2, 1), timesMs: Float64Array.of(0, 500, 2001) };
  const { cpu, ratio, p50, missed, written } = measure(spent, { arrivals, passedMs: 5000 }, load, 0.5);
  expect({ cpu: cpu?.toFixed(2), ratio: ratio?.toFixed(2), p50, missed, written: written?.toFixed(0) }).toEqual({
    cpu: "2.67",
    ratio: "5.33",
    p50: 1,
    missed: 3,
    written: "1365",
  });
});

test("the table says in which figure the peer is better, and than what", () => {
  const figures = (value: number): Measured => ({
    cpu: value,
    ratio: value,
    memory: 1,
    p50: 1,
    p99: 1,
    max: 1,
    missed: 0,
    written: undefined,
  });
  const rows = comparison(
    "100",
    new Map([
      ["runner", figures(1)],
      ["Sonde", figures(3)],
      ["peer", figures(2)],
    ]),
  );
  expect(rows[0]).toBe("| 100 | CPU a check | 1.00 ms | 3.00 ms | 2.00 ms | than Sonde |");
  expect(rows.at(-1)).toBe("| 100 | written to disk a check | – | – | – | no |");
});

test("beside several peers the table says which are better, and leaves out what one did not do", () => {
  const all = { ratio: 1, memory: 1, p50: 1, p99: 1, max: 1, missed: 0, written: undefined };
  const columns = new Map<string, Measured>([
    ["Sonde", { ...all, cpu: 2 }],
    ["Peer", { ...all, cpu: 1 }],
  ]);
  expect(besidePeers("25/s", columns, ["Sonde", "Absent", "Peer"])[0]).toBe(
    "| 25/s | CPU a check | 2.00 ms | – | 1.00 ms | yes |",
  );
});
