import type { Writable } from "node:stream";

/** Where an archive is written. It appears under its name only once complete. */
export type ArchiveDestination = {
  name: string;
  stream: Writable;
  finish(): Promise<void>;
  abort(): Promise<void>;
};

export type ArchiveList = { list(): Promise<string[]>; remove(name: string): Promise<void> };
