import type { ClockReading } from "./clock.ts";
import type { DiskFigures } from "./disks.ts";
import type { GpuFigures } from "./gpus.ts";
import type { Host } from "./host.ts";
import type { MemoryFigures } from "./memory.ts";
import type { InterfaceFigures } from "./network.ts";
import type { Scope } from "./scope.ts";
import type { TemperatureFigures } from "./temperatures.ts";

/** The state of a host at one instant; what could not be read is absent. Bytes, bytes a second, percent, seconds. */
export interface Collected {
  at: ClockReading;
  cpu?: { usage?: number; cores: number; model?: string };
  memory?: MemoryFigures;
  disks: DiskFigures[];
  network: InterfaceFigures[];
  load?: { one: number; five: number; fifteen: number };
  uptime?: number;
  temperatures: TemperatureFigures[];
  gpus: GpuFigures[];
  containers?: number;
  scope: Scope;
}

/** What measures a host. Rates and CPU use need two calls: the first has none. */
export interface Collector {
  host: () => Promise<Host>;
  collect: () => Promise<Collected>;
  /** What the last collection left out, and why. */
  skipped: () => { what: string; reason: string }[];
}
