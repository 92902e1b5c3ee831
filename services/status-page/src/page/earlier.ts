import type { Log } from "@sonde/kit/service/log";
import { publicIncident, publicMaintenance } from "@sonde/proto/http/status/status";
import { pageSnapshot, pageStates } from "@sonde/proto/http/status/snapshot";
import type { z } from "zod";
import { type EarlierSnapshot, type Memory, nothingEarlier } from "./memory.ts";
import { keyOf } from "./shown.ts";

const monitor = pageSnapshot.shape.monitors.element.loose();
const agent = pageSnapshot.shape.agents.element.loose();

/**
 * Loads the bucket's previous state, so that a start while other services are unavailable changes nothing on the page.
 * An unreadable value counts as none.
 */
export function readEarlier(
  texts: { page: string | null; states: string | null },
  { history }: Pick<Memory, "history">,
  log: Pick<Log, "warn">,
): EarlierSnapshot {
  try {
    const page = JSON.parse(texts.page ?? "{}") as Record<string, unknown[] | undefined>;
    const read = <Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema>[] =>
      (page[name] ?? []).flatMap((entry) => schema.safeParse(entry).data ?? []);
    const names = new Map<string, string>();
    const responseTimes = new Map<number, number>();
    for (const { id, name, uptime, coverage, days, ...responses } of read("monitors", monitor)) {
      names.set(keyOf({ type: "monitor", id }), name);
      history.seed({ type: "monitor", id }, { uptime, coverage, days }, responses.responseTimes);
      if (responses.responseTime !== undefined) responseTimes.set(id, responses.responseTime);
    }
    for (const { id, name, uptime, coverage, days } of read("agents", agent)) {
      names.set(keyOf({ type: "agent", id }), name);
      history.seed({ type: "agent", id }, { uptime, coverage, days }, undefined);
    }
    return {
      names,
      responseTimes,
      incidents: read("incidents", publicIncident),
      maintenance: read("maintenance", publicMaintenance),
      states: texts.states === null ? null : pageStates.parse(JSON.parse(texts.states)),
    };
  } catch (error) {
    log.warn({ err: error }, "the page that was published before cannot be read; it is made anew");
    return nothingEarlier;
  }
}
