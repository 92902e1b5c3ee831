import { expect, test } from "vitest";
import { hostOf } from "../src/testing/fixture.ts";
import { BuildError, needMemory } from "./needs.ts";

const mib = 1024 * 1024;
const base = "sys/fs/cgroup";
const machine = (availableMib: number) => `MemTotal: 8388608 kB\nMemAvailable: ${availableMib * 1024} kB\n`;
const group = (limitMib: number, usedMib: number) => ({
  "proc/self/cgroup": "0::/sonde\n",
  [`${base}/cgroup.controllers`]: "memory\n",
  [`${base}/sonde/memory.max`]: `${limitMib * mib}\n`,
  [`${base}/sonde/memory.current`]: `${usedMib * mib}\n`,
  [`${base}/sonde/memory.stat`]: `inactive_file ${100 * mib}\n`,
});
const reasonOf = (files: Record<string, string>) => {
  try {
    needMemory(hostOf(files));
    return undefined;
  } catch (fault) {
    return fault instanceof BuildError ? [fault.reason, fault.message] : fault;
  }
};

test("a build does not start without enough memory", () => {
  expect(reasonOf({ "proc/meminfo": machine(2000) })).toBeUndefined();
  expect(reasonOf({ "proc/meminfo": machine(290) })).toEqual([
    "memory",
    "290 MiB of memory are available; building an agent needs 300 MiB",
  ]);
  // The group's limit counts, without droppable memory.
  expect(reasonOf({ "proc/meminfo": machine(2000), ...group(1500, 500) })).toBeUndefined();
  expect(reasonOf({ "proc/meminfo": machine(2000), ...group(350, 200) })).toEqual([
    "memory",
    "250 MiB of memory are available; building an agent needs 300 MiB",
  ]);
  // Only Linux reports it.
  expect(reasonOf({})).toBeUndefined();
});
