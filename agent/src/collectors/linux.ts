import { randomUUID } from "node:crypto";
import type { AgentEnvironment } from "../config.ts";
import { type Cgroup, findCgroup, readCgroupMemory, readCpuLimit, readCpuTime } from "./cgroup.ts";
import { type AgentClock, type ClockReading, elapsedMs, agentClock } from "./clock.ts";
import type { Collected, Collector, Scope } from "./collector.ts";
import { countContainers, hasNvidia, listGpus, listSensors, readGpus, readTemperatures } from "./devices.ts";
import { diskReader } from "./disks.ts";
import { elsewhereCollector } from "./elsewhere.ts";
import { detectScope, readHost } from "./host.ts";
import { networkRates, type NetworkReading, readNetwork } from "./network.ts";
import { type Roots, rootsBelow } from "./roots.ts";
import { type CpuTimes, cpuUsage, readLoad, readMemory, readModel, readStat, readUptime } from "./usage.ts";

export function collectorFor(settings: AgentEnvironment): Collector {
  const roots = rootsBelow(settings.hostRoot);
  const clock = agentClock(roots, randomUUID());
  if (process.platform !== "linux") return elsewhereCollector({ roots, clock });
  return linuxCollector({ roots, clock, includeNetworkMounts: settings.networkMounts, scope: settings.scope });
}

/** Sensors, GPUs and containers change rarely, and finding them costs more than reading them. */
const rediscoverMs = 60_000;

export interface LinuxOptions {
  roots: Roots;
  clock: AgentClock;
  includeNetworkMounts: boolean;
  /** Detected by default. */
  scope?: Scope;
}

interface Baseline {
  at: ClockReading;
  cpu: CpuTimes | undefined;
  cpuTime: number | undefined;
  network: NetworkReading;
}

/** Percent of the container's CPU limit. CPU time in microseconds, `elapsed` in milliseconds. */
export function containerUsage(before: number | undefined, now: number, elapsed: number | undefined, cores: number) {
  if (before === undefined || elapsed === undefined || now < before || cores <= 0) return undefined;
  return Math.min(100, ((now - before) / 1000 / elapsed / cores) * 100);
}

/** Reads only /proc and /sys: starts no process and writes nothing. */
export function linuxCollector(options: LinuxOptions): Collector {
  const { roots, clock } = options;
  const scope = options.scope ?? detectScope(roots);
  const cgroup: Cgroup | undefined = scope === "container" ? findCgroup(roots) : undefined;
  const disks = diskReader(roots, { includeNetwork: options.includeNetworkMounts });
  const model = readModel(roots)?.slice(0, 200);
  let baseline: Baseline | undefined;
  let found: ReturnType<typeof discover> | undefined;

  function discover(atMs: number) {
    const containers = scope === "host" ? countContainers(roots) : undefined;
    return { atMs, sensors: listSensors(roots), gpus: listGpus(roots), containers };
  }

  function measureCpu(at: ClockReading, now: CpuTimes | undefined, cpuTime: number | undefined) {
    if (now === undefined) return undefined;
    if (cgroup === undefined || cpuTime === undefined) {
      const sameBoot = baseline?.at.bootId === at.bootId;
      return { usage: cpuUsage(sameBoot ? baseline?.cpu : undefined, now), cores: now.cores, model };
    }
    const limit = readCpuLimit(cgroup, now.cores);
    const usage = containerUsage(baseline?.cpuTime, cpuTime, elapsedMs(baseline?.at, at), limit);
    return { usage, cores: Math.max(1, Math.round(limit)), model };
  }

  function measure(): Collected {
    const at = clock();
    if (found === undefined || at.monotonicMs - found.atMs >= rediscoverMs) found = discover(at.monotonicMs);
    const cpuTimes = readStat(roots);
    const cpuTime = cgroup === undefined ? undefined : readCpuTime(cgroup);
    const network = readNetwork(roots, at);
    const hostMemory = readMemory(roots);
    const ownMemory = cgroup && hostMemory ? readCgroupMemory(cgroup, hostMemory) : undefined;
    const collected: Collected = {
      at,
      cpu: measureCpu(at, cpuTimes, cpuTime),
      memory: ownMemory ?? hostMemory,
      disks: [],
      network: networkRates(baseline?.network, network),
      load: readLoad(roots),
      uptime: readUptime(roots),
      temperatures: readTemperatures(found.sensors),
      gpus: readGpus(found.gpus),
      containers: found.containers,
      // Without readable cgroups the figures of /proc are the host's.
      scope: cgroup === undefined ? "host" : "container",
    };
    baseline = { at, cpu: cpuTimes, cpuTime, network };
    return collected;
  }

  return {
    host: async () => readHost(roots),
    collect: async () => {
      const collected = measure();
      collected.disks = await disks.read();
      return collected;
    },
    skipped: () => [
      ...disks.skipped().map(({ mountPoint, reason }) => ({ what: `disk ${mountPoint}`, reason })),
      ...(hasNvidia(roots) ? [{ what: "NVIDIA cards", reason: "the driver reports only through its own tool" }] : []),
      ...(scope === "container" && cgroup === undefined
        ? [{ what: "limits of this container", reason: "its cgroups are not visible; values are the host's" }]
        : []),
    ],
  };
}
