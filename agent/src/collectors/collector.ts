import type { SampleValues } from "@sonde/proto/samples/fields";
import type { ClockReading } from "./clock.ts";

type Lists = "disks" | "network" | "temperatures" | "gpus";

/** The state of a host at one instant; what could not be read is absent. Bytes, bytes a second, percent, seconds. */
export type Collected = Omit<SampleValues, "at" | "bootId" | "sequence" | "footprint"> &
  Required<Pick<SampleValues, Lists | "scope">> & { at: ClockReading };

/** An entry of a list of a sample. */
export type EntryOf<List extends Lists> = Collected[List][number];
export type MemoryFigures = NonNullable<SampleValues["memory"]> & { available: number };
export type Scope = Collected["scope"];

export interface Host {
  hostname: string;
  os: string;
  ipAddresses: string[];
}

/** What measures a host. Rates and CPU use need two calls: the first has none. */
export interface Collector {
  host: () => Promise<Host>;
  collect: () => Promise<Collected>;
  /** What the last collection left out, and why. */
  skipped: () => { what: string; reason: string }[];
}
