import type { Log } from "@sonde/kit/service/log";
import type { BucketValue } from "./bucket-value.ts";
import { writeLines } from "./json-lines.ts";
import type { UnnumberedPage } from "./snapshot.ts";

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
    const text = await writeLines(shorten(page));
    if (!(await value.put(text))) continue;
    if (left > 0)
      log.warn("the public page is too large for a message of the bus: texts of past incidents are left out");
    return text;
  }
  log.error("the public page is too large for a message of the bus, and stays as it was");
  return null;
}
