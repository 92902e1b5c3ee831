import type { Bus } from "@sonde/kit/bus/connect";
import { largestMessageBytes } from "@sonde/kit/bus/pack";
import type { Clock } from "@sonde/kit/time/clock";
import { buckets } from "@sonde/proto/streams";
import { pack, unpack } from "./json-lines.ts";

/** One value of the bucket `status`, whose revision rises whichever replica writes it. */
export type BucketValue = {
  /** The present text; null: there is no readable one. Rejects while the bus is disconnected. */
  read(): Promise<string | null>;
  /**
   * Puts a JSON object, without its revision. False: it is too large for a message, and the old value stays.
   * @throws while the bus is disconnected
   */
  put(text: string): Promise<boolean>;
};

/** The bucket's state: its own sequence of the value (0: none), and the value's revision. */
type Last = { sequence: number; revision: number };

const attempts = 5;

export function bucketValue(bus: Bus, key: string, clock: Clock): BucketValue {
  let last: Last | null = null;

  const look = async (): Promise<{ text: string | null; found: Last }> => {
    const entry = await (await bus.kv(buckets.status)).get(key);
    if (entry === null || entry.operation !== "PUT") return { text: null, found: { sequence: 0, revision: 0 } };
    const text = await unpack(entry.value).catch(() => null);
    const revision = Number(/^\{"revision":(\d{1,16})[,}]/.exec(text ?? "")?.[1] ?? 0);
    return { text, found: { sequence: entry.revision, revision } };
  };

  return {
    async read() {
      const { text, found } = await look();
      last = found;
      return text;
    },
    async put(text) {
      for (let attempt = 1; ; attempt++) {
        last ??= (await look()).found;
        const { sequence } = last;
        const revision = Math.max(clock.now(), last.revision + 1);
        const bytes = await pack(`{"revision":${revision},${text.slice(1)}`);
        if (bytes.length > largestMessageBytes(bus.nc)) return false;
        try {
          const kv = await bus.kv(buckets.status);
          last = {
            sequence: await (sequence === 0 ? kv.create(key, bytes) : kv.update(key, bytes, sequence)),
            revision,
          };
          return true;
        } catch (error) {
          // Another replica wrote meanwhile, or the bucket was created again: read it.
          last = null;
          if (attempt === attempts) throw error;
        }
      }
    },
  };
}
