import type { Bus } from "@sonde/kit/bus/connect";
import { largestMessageBytes } from "@sonde/kit/bus/pack";
import type { Log } from "@sonde/kit/service/log";
import { buckets } from "@sonde/proto/streams";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { UnnumberedPage } from "../compose/snapshot.ts";

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);
/** Uncompressed size of a value. 500 services with 90 days take 4 MB. */
const maxBytes = 64 * 1024 * 1024;

/** Returns `null` if the value is missing or unreadable. @throws while the bus is disconnected */
export async function readValue(bus: Bus, key: string): Promise<string | null> {
  const entry = await (await bus.kv(buckets.status)).get(key);
  if (entry === null || entry.operation !== "PUT") return null;
  return gunzip(entry.value, { maxOutputLength: maxBytes }).then(String, () => null);
}

/** Returns false if the text is too large; the old value stays. @throws while the bus is disconnected */
export async function putValue(bus: Bus, key: string, text: string): Promise<boolean> {
  const bytes = await gzip(text);
  if (bytes.length > largestMessageBytes(bus.nc)) return false;
  await (await bus.kv(buckets.status)).put(key, bytes);
  return true;
}

/** Each step leaves out more than the one before: old texts first, bars never. */
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

/** Leaves out users' texts until it fits. Returns what was put, or `null`. @param put as `putValue` does */
export async function putFitting(
  put: (text: string) => Promise<boolean>,
  page: UnnumberedPage,
  log: Pick<Log, "warn" | "error">,
): Promise<string | null> {
  for (const [left, shorten] of shorter.entries()) {
    const text = JSON.stringify({ revision: page.builtAtMs, ...shorten(page) });
    if (!(await put(text))) continue;
    if (left > 0) log.warn("page is too large for a bus message; leaving out texts of past incidents");
    return text;
  }
  log.error("page is too large for a bus message; keeping the old one");
  return null;
}
