import type { SampleValues } from "@sonde/proto/samples/fields";
import type { ClockReading } from "./clock.ts";

type Lists = "disks" | "network" | "temperatures" | "gpus";

/** Unreadable figures are absent. Bytes, bytes a second, percent, seconds. */
export type Collected = Omit<SampleValues, "at" | "bootId" | "sequence" | "footprint"> &
  Required<Pick<SampleValues, Lists | "scope">> & { at: ClockReading };

export type EntryOf<List extends Lists> = Collected[List][number];
export type MemoryFigures = NonNullable<SampleValues["memory"]> & { available: number };
export type Scope = Collected["scope"];

export interface Host {
  hostname: string;
  os: string;
  ipAddresses: string[];
}

/** Rates and CPU usage need two collections: the first has none. */
export interface Collector {
  host: () => Promise<Host>;
  collect: () => Promise<Collected>;
  skipped: () => { what: string; reason: string }[];
}
