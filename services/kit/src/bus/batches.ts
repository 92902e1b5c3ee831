import type { ServiceName } from "@sonde/proto/services";
import { partitionOf } from "@sonde/proto/subjects";
import { unavailable } from "../errors.ts";
import { type Bus, publishFact } from "./connect.ts";
import { batchBytes } from "./pack.ts";

export type BatchOptions = {
  subject: (partition: number) => string;
  lingerMs: number;
  maxEntries: number;
  /** Size of all queued entries above which `store` fails with `name` as unavailable. */
  waitingBytes: number;
  name: ServiceName;
  onStored: (entries: number) => void;
};

/** A message with one element of a repeated field. Concatenated, they parse as one with all elements. */
export type BatchEntry = { id: number; entry: Uint8Array };

type Batch = { entries: Uint8Array[]; sizeBytes: number; done: PromiseWithResolvers<void> };

/** Batches facts of many requests: entries of the same partition travel in one message. */
export function createBatches(bus: Bus, options: BatchOptions) {
  const { subject, lingerMs, maxEntries, waitingBytes, name, onStored } = options;
  const open = new Map<number, Batch>();
  const underway = new Set<Promise<unknown>>();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;

  const send = (partition: number, batch: Batch) => {
    open.delete(partition);
    const sending = publishFact(bus, subject(partition), Buffer.concat(batch.entries, batch.sizeBytes))
      .then(() => {
        onStored(batch.entries.length);
        batch.done.resolve();
      }, batch.done.reject)
      .finally(() => {
        waiting -= batch.sizeBytes;
        underway.delete(sending);
      });
    underway.add(sending);
  };
  const sendAll = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const [partition, batch] of open) send(partition, batch);
  };
  const begin = (partition: number): Batch => {
    timer ??= setTimeout(sendAll, lingerMs);
    const batch: Batch = { entries: [], sizeBytes: 0, done: Promise.withResolvers() };
    batch.done.promise.catch(() => {});
    open.set(partition, batch);
    return batch;
  };

  return {
    /** Resolves after JetStream has stored them. @throws AppError unavailable */
    async store(entries: Iterable<BatchEntry>): Promise<void> {
      if (!bus.connected()) throw unavailable("bus");
      if (waiting > waitingBytes) throw unavailable(name);
      const waitFor = new Set<Promise<void>>();
      for (const { id, entry } of entries) {
        const partition = partitionOf(id);
        const current = open.get(partition);
        const full =
          current !== undefined &&
          (current.sizeBytes + entry.length > batchBytes(bus.nc) || current.entries.length >= maxEntries);
        if (full) send(partition, current);
        const batch = open.get(partition) ?? begin(partition);
        batch.entries.push(entry);
        batch.sizeBytes += entry.length;
        waiting += entry.length;
        waitFor.add(batch.done.promise);
      }
      await Promise.all(waitFor);
    },
    async stop(): Promise<void> {
      sendAll();
      await Promise.allSettled(underway);
    },
  };
}
