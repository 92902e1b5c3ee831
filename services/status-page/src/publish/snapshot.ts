import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { Bus } from "@sonde/kit/bus/connect";
import { largestMessageBytes } from "@sonde/kit/bus/pack";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { buckets } from "@sonde/proto/streams";
import type { UnnumberedPage } from "../compose/snapshot.ts";

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);
/** Inflated size of a value: 500 services with 90 days take 4 MB. */
const maxBytes = 64 * 1024 * 1024;

/** One value of the bucket `status`, whose revision rises whichever replica writes it. */
type BucketValue = {
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
    const text = await gunzip(entry.value, { maxOutputLength: maxBytes }).then(String, () => null);
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
        const bytes = await gzip(`{"revision":${revision},${text.slice(1)}`);
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

/** Each leaves out more than the one before: old texts first, the bars never. */
const shorter: ((page: UnnumberedPage) => UnnumberedPage)[] = [
  (page) => page,
  (page) => ({
    ...page,
    incidents: page.incidents.map((incident) => (incident.closedAt ? withoutTexts(incident) : incident)),
  }),
  (page) => ({
    ...page,
    incidents: page.incidents.slice(0, 20).map(withoutTexts),
    maintenance: page.maintenance.map((entry) => ({ ...entry, note: undefined })),
  }),
];

const withoutTexts = (incident: UnnumberedPage["incidents"][number]) => ({
  ...incident,
  updates: incident.updates.slice(0, 1),
  postMortem: undefined,
});

/**
 * Puts a page, with as much of users' texts as fits into one message of the bus. Returns the text that was put; null:
 * none fitted, and the old one stays. @throws while the bus is disconnected
 */
export async function putFitting(
  value: BucketValue,
  page: UnnumberedPage,
  log: Pick<Log, "warn" | "error">,
): Promise<string | null> {
  for (const [left, shorten] of shorter.entries()) {
    const text = JSON.stringify(shorten(page));
    if (!(await value.put(text))) continue;
    if (left > 0)
      log.warn("the public page is too large for a message of the bus: texts of past incidents are left out");
    return text;
  }
  log.error("the public page is too large for a message of the bus, and stays as it was");
  return null;
}
