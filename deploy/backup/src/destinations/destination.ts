import type { Writable } from "node:stream";

/** Where an archive is written. Under its name it is there whole or not at all. */
export type ArchiveDestination = {
  /** The name to show to users. */
  name: string;
  stream: Writable;
  finish(): Promise<void>;
  abort(): Promise<void>;
};

/** The archives that are kept at one place, by their names. */
export type ArchiveList = { list(): Promise<string[]>; remove(name: string): Promise<void> };
