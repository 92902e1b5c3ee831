import type { Bus } from "@sonde/kit/bus/connect";
import { largestMessageBytes } from "@sonde/kit/bus/pack";
import type { Log } from "@sonde/kit/service/log";
import { buckets } from "@sonde/proto/streams";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { UnnumberedPage } from "../compose/snapshot.ts";

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);
/** Inflated size of a value: 500 services with 90 days take 4 MB. */
const maxBytes = 64 * 1024 * 1024;

/** Reads a text from the bucket `status`; null if there is no readable one. @throws while the bus is disconnected */
export async function readValue(bus: Bus, key: string): Promise<string | null> {
  const entry = await (await bus.kv(buckets.status)).get(key);
  if (entry === null || entry.operation !== "PUT") return null;
  return gunzip(entry.value, { maxOutputLength: maxBytes }).then(String, () => null);
}

/**
 * Puts a text into the bucket `status`. False: it is too large for a message, and the old value stays.
 * @throws while the bus is disconnected
 */
export async function putValue(bus: Bus, key: string, text: string): Promise<boolean> {
  const bytes = await gzip(text);
  if (bytes.length > largestMessageBytes(bus.nc)) return false;
  await (await bus.kv(buckets.status)).put(key, bytes);
  return true;
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
 * Puts a snapshot with as many of users' texts as fit. Returns the text that was put; null if none fitted, and the old one
 * stays. @param put as `putValue` does
 */
export async function putFitting(
  put: (text: string) => Promise<boolean>,
  page: UnnumberedPage,
  log: Pick<Log, "warn" | "error">,
): Promise<string | null> {
  for (const [left, shorten] of shorter.entries()) {
    const text = JSON.stringify({ revision: page.builtAtMs, ...shorten(page) });
    if (!(await put(text))) continue;
    if (left > 0)
      log.warn("the public page is too large for a message of the bus: texts of past incidents are left out");
    return text;
  }
  log.error("the public page is too large for a message of the bus, and stays as it was");
  return null;
}
