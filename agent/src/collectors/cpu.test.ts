import { expect, test } from "vitest";
import { cpuUsage, parseModel, parseStat } from "./usage.ts";

const stat = (fields: string, cores = 2) =>
  parseStat(
    `cpu  ${fields}\n${Array.from({ length: cores }, (_, core) => `cpu${core} 1 1 1 1\n`).join("")}intr 9 0 0\n`,
  )!;

test("I/O wait is idle and stolen time is busy", () => {
  //           user nice system idle iowait irq softirq steal
  const before = stat("0 0 0 0 0 0 0 0 0 0");
  expect(cpuUsage(before, stat("10 5 5 40 30 2 3 5 0 0"))).toBe(30);
});

test("guest time is not counted twice", () => {
  const before = stat("0 0 0 0 0 0 0 0 0 0");
  expect(cpuUsage(before, stat("50 0 0 50 0 0 0 0 50 0"))).toBe(50);
});

test("kernels without iowait and steal have figures, too", () => {
  expect(cpuUsage(stat("0 0 0 0"), stat("25 0 0 75"))).toBe(25);
});

test("a small decrease counts as unchanged, and a large decrease of idle time resets the baseline", () => {
  const before = stat("100 0 0 1000 50 0 0 0 0 0");
  expect(cpuUsage(before, stat("90 0 0 1100 40 0 0 0 0 0"))).toBe(0);
  expect(cpuUsage(before, stat("200 0 0 500 10 0 0 0 0 0", 1))).toBeUndefined();
});

test("there is no figure without an earlier reading or elapsed time", () => {
  const now = stat("1 2 3 4 5 6 7 8 9 10");
  expect(cpuUsage(undefined, now)).toBeUndefined();
  expect(cpuUsage(now, now)).toBeUndefined();
});

test("cores are counted, invalid text is rejected", () => {
  expect(stat("1 2 3 4", 12).cores).toBe(12);
  expect(parseStat("")).toBeUndefined();
  expect(parseStat("cpu  a b c d\n")).toBeUndefined();
});

test("the model is read on x86 and on ARM boards", () => {
  expect(parseModel("processor\t: 0\nmodel\t\t: 85\nmodel name\t: Xeon(R) CPU @ 2.5GHz\n")).toBe(
    "Xeon(R) CPU @ 2.5GHz",
  );
  expect(parseModel("Hardware\t: BCM2835\nModel\t\t: Raspberry Pi 4\n")).toBe("Raspberry Pi 4");
  expect(parseModel("BogoMIPS : 50\n")).toBeUndefined();
});
