import { expect, test } from "vitest";
import { hostOf } from "../testing/fixture.ts";
import { countCpuList, findCgroup, parseCgroups, readCgroupMemory, readCpuLimit, readCpuTime } from "./cgroup.ts";
import { containerUsage } from "./linux.ts";

const host = { total: 1000, used: 500, free: 100, usage: 50, available: 500 };
const base = "sys/fs/cgroup";

test("version 2: CPU time relative to the minimum of quota, CPU set and host; non-droppable memory relative to the limit", () => {
  const roots = hostOf({
    "proc/1/cgroup": "0::/\n",
    [`${base}/cgroup.controllers`]: "cpu memory\n",
    [`${base}/cpu.stat`]: "usage_usec 5000000\nuser_usec 1\n",
    [`${base}/cpu.max`]: "150000 100000\n",
    [`${base}/cpuset.cpus.effective`]: "0-3\n",
    [`${base}/memory.current`]: "400\n",
    [`${base}/memory.max`]: "800\n",
    [`${base}/memory.stat`]: "anon 1\ninactive_file 100\n",
  });
  const cgroup = findCgroup(roots)!;
  expect(readCpuTime(cgroup)).toBe(5_000_000);
  expect(readCpuLimit(cgroup, 8)).toBe(1.5);
  expect(readCgroupMemory(cgroup, host)).toEqual({ total: 800, used: 300, free: 400, usage: 37.5, available: 500 });
  roots.write(`${base}/cpu.max`, "max 100000\n");
  roots.write(`${base}/memory.max`, "max\n");
  expect(readCpuLimit(cgroup, 8)).toBe(4);
  expect(readCgroupMemory(cgroup, host)?.total).toBe(1000);
});

test("version 1 has the same figures in other files, and a limit above the host's is the host's", () => {
  const roots = hostOf({
    "proc/1/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n2:cpuset:/docker/abc\n",
    [`${base}/memory/memory.usage_in_bytes`]: "600\n",
    [`${base}/memory/memory.limit_in_bytes`]: "9223372036854771712\n",
    [`${base}/memory/memory.stat`]: "inactive_file 1\ntotal_inactive_file 200\n",
    [`${base}/cpuacct/cpuacct.usage`]: "7000000\n",
    [`${base}/cpu/cpu.cfs_quota_us`]: "-1\n",
    [`${base}/cpu/cpu.cfs_period_us`]: "100000\n",
    [`${base}/cpuset/cpuset.cpus`]: "2\n",
  });
  const cgroup = findCgroup(roots)!;
  expect(cgroup.version).toBe(1);
  expect(readCpuTime(cgroup)).toBe(7000);
  expect(readCpuLimit(cgroup, 8)).toBe(1);
  expect(readCgroupMemory(cgroup, host)).toMatchObject({ total: 1000, used: 400 });
});

test("the group is that of the first process, without systemd's own leaf", () => {
  const roots = hostOf({
    "proc/1/cgroup": "0::/lxc/web/init.scope\n",
    [`${base}/cgroup.controllers`]: "",
    [`${base}/lxc/web/memory.current`]: "1\n",
  });
  expect(findCgroup(roots)?.memory.endsWith("/lxc/web")).toBe(true);
  expect(parseCgroups("0::/init.scope\n").get("")).toBe("/");
  const escaping = hostOf({ "proc/1/cgroup": "0::/../../x\n", [`${base}/cgroup.controllers`]: "" });
  expect(findCgroup(escaping)?.memory.endsWith(base)).toBe(true);
});

test("usage is a percentage of the container's limit", () => {
  expect(containerUsage(0, 750_000, 1000, 1.5)).toBe(50);
  expect(containerUsage(0, 9_000_000, 1000, 1)).toBe(100);
  expect(containerUsage(undefined, 1, 1000, 1)).toBeUndefined();
  expect(containerUsage(5, 1, 1000, 1)).toBeUndefined();
  expect(containerUsage(1, 5, undefined, 1)).toBeUndefined();
});

test("CPUs in lists are counted", () => {
  expect(countCpuList("0-3,8\n")).toBe(5);
  expect(countCpuList("\n")).toBe(0);
});
