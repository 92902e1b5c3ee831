import type { KV } from "@nats-io/kv";
import type { Bucket } from "@sonde/proto/streams";
import type { Bus } from "../bus/connect.ts";
import { largestMessageBytes } from "../bus/pack.ts";

export type ProjectedEntry = { revision: number; value: Uint8Array };

export interface Projection {
  /** Keys without a row or tombstone are purged. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, ProjectedEntry>>;
  revisionOf(value: Uint8Array): number;
  /** Every expected key. `stored` lists the keys in the bucket. */
  keys(stored: Iterable<string>): Promise<{ key: string; revision: number }[]>;
}

const attempts = 5;

export function bucketWriter(bus: Bus, bucket: Bucket, projection: Projection) {
  /** Bucket revision of our last write. We are the only writer of most keys, so no read is needed. */
  const ours = new Map<string, number>();

  const isSendable = ({ value }: ProjectedEntry) => value.length <= largestMessageBytes(bus.nc);

  const putBlindly = async (kv: KV, key: string, { value }: ProjectedEntry) => {
    const known = ours.get(key);
    ours.set(key, await (known === undefined ? kv.create(key, value) : kv.update(key, value, known)));
  };

  const putWithCare = async (kv: KV, key: string, onTooLarge: (key: string, bytes: number) => void): Promise<void> => {
    ours.delete(key);
    for (let attempt = 1; ; attempt++) {
      const row = (await projection.read([key])).get(key);
      const entry = await kv.get(key);
      const live = entry !== null && entry.operation === "PUT" ? entry : null;
      if (row === undefined) return live === null ? undefined : await kv.purge(key);
      if (!isSendable(row)) return onTooLarge(key, row.value.length);
      if (live !== null && projection.revisionOf(live.value) >= row.revision) return;
      try {
        ours.set(key, await (live === null ? kv.create(key, row.value) : kv.update(key, row.value, live.revision)));
        return;
      } catch (error) {
        if (attempt === attempts) throw error;
      }
    }
  };

  return {
    /** Keeps newer revisions. Skips rows that exceed the maximum message size: the bucket keeps its old value. */
    put(keys: readonly string[], onTooLarge: (key: string, bytes: number) => void): Map<string, Promise<void>> {
      const kv = bus.kv(bucket);
      const rows = projection.read(keys);
      const put = async (key: string) => {
        const row = (await rows).get(key);
        if (
          row !== undefined &&
          isSendable(row) &&
          (await putBlindly(await kv, key, row).then(
            () => true,
            () => false,
          ))
        )
          return;
        await putWithCare(await kv, key, onTooLarge);
      };
      return new Map(keys.map((key) => [key, put(key)]));
    },

    async missing(): Promise<string[]> {
      const stored = new Map<string, number>();
      for await (const { key, operation, value } of await (await bus.kv(bucket)).history({ key: ">" })) {
        if (operation === "PUT") stored.set(key, projection.revisionOf(value));
        else stored.delete(key);
      }
      const wanted = await projection.keys(stored.keys());
      return wanted.filter(({ key, revision }) => (stored.get(key) ?? -1) < revision).map(({ key }) => key);
    },
  };
}

export type BucketWriter = ReturnType<typeof bucketWriter>;
