import { uptime } from "node:os";
import { type AgentClock, elapsedMs } from "./clock.ts";
import type { Collected, Collector } from "./collector.ts";
import { readHost } from "./host.ts";
import type { Roots } from "./roots.ts";

/** For macOS and Windows, through `systeminformation`. Figures that it cannot read are absent. */
export function elsewhereCollector(options: { roots: Roots; clock: AgentClock }): Collector {
  let earlier: Collected | undefined;
  let model: string | undefined;
  return {
    host: async () => readHost(options.roots),
    async collect() {
      const system = await import("systeminformation");
      model ??= await system.cpu().then((cpu) => `${cpu.manufacturer} ${cpu.brand}`.trim());
      const [load, memory, fileSystems, interfaces] = await Promise.all([
        system.currentLoad(),
        system.mem(),
        system.fsSize(),
        system.networkStats("*"),
      ]);
      const at = options.clock();
      const elapsed = elapsedMs(earlier?.at, at);
      const used = memory.total - memory.available;
      const collected: Collected = {
        at,
        cpu: { usage: earlier ? load.currentLoad : undefined, cores: load.cpus.length, model },
        memory: {
          total: memory.total,
          used,
          free: memory.free,
          usage: (used / memory.total) * 100,
          available: memory.available,
          swapTotal: memory.swaptotal,
          swapUsed: memory.swapused,
        },
        disks: fileSystems
          .filter((disk) => disk.size > 0 && !disk.mount.startsWith("/System/Volumes/"))
          .map((disk) => ({
            device: disk.fs,
            mountPoint: disk.mount,
            fsType: disk.type,
            total: disk.size,
            used: disk.used,
            free: disk.available,
            usage: Math.min(100, (disk.used / Math.max(1, disk.used + disk.available)) * 100),
          })),
        network: interfaces.map((stats) => {
          const before = earlier?.network.find((entry) => entry.interface === stats.iface);
          const figures = {
            interface: stats.iface,
            received: stats.rx_bytes,
            sent: stats.tx_bytes,
            // Packets are not available.
            packetsReceived: 0,
            packetsSent: 0,
          };
          const reset = !before || stats.rx_bytes < before.received || stats.tx_bytes < before.sent;
          if (reset || elapsed === undefined) return figures;
          const rate = (now: number, then: number) => ((now - then) * 1000) / elapsed;
          const receiveRate = rate(stats.rx_bytes, before.received);
          return { ...figures, receiveRate, sendRate: rate(stats.tx_bytes, before.sent) };
        }),
        uptime: uptime(),
        temperatures: [],
        gpus: [],
        scope: "host",
      };
      earlier = collected;
      return collected;
    },
    skipped: () => [{ what: "load, packets, temperatures, GPUs, containers", reason: "not available on this system" }],
  };
}
