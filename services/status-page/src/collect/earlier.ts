import type { Log } from "@sonde/kit/service/log";
import { type PageStates, pageSnapshot, pageStates } from "@sonde/proto/http/status/snapshot";
import {
  type PublicIncident,
  publicIncident,
  type PublicMaintenance,
  publicMaintenance,
} from "@sonde/proto/http/status/status";
import type { z } from "zod";
import type { Bar } from "../compose/days.ts";
import type { RecentUptimes } from "./history.ts";
import { keyOf } from "./targets.ts";

/** What a page published before this process started. Used until the services have responded. */
export type Earlier = {
  names: ReadonlyMap<string, string>;
  states: Omit<PageStates, "revision"> | null;
  /** By target. Bars differ by page, because they count its incidents. */
  bars: ReadonlyMap<string, EarlierBar>;
  incidents: PublicIncident[];
  maintenance: PublicMaintenance[];
};
type EarlierBar = Bar &
  RecentUptimes & { responseTime?: number | undefined; responseTimes?: (number | null)[] | undefined };

export const nothingEarlier: Earlier = {
  names: new Map(),
  states: null,
  bars: new Map(),
  incidents: [],
  maintenance: [],
};

const monitor = pageSnapshot.shape.monitors.element.loose();
const agent = pageSnapshot.shape.agents.element.loose();

export function readEarlier(texts: { page: string | null; states: string | null }, log: Pick<Log, "warn">): Earlier {
  try {
    const page = JSON.parse(texts.page ?? "{}") as Record<string, unknown[] | undefined>;
    const read = <Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema>[] =>
      (page[name] ?? []).flatMap((entry) => schema.safeParse(entry).data ?? []);
    const targets = [
      ...read("monitors", monitor).map((one) => [keyOf({ type: "monitor", id: one.id }), one] as const),
      ...read("agents", agent).map(
        (one) => [keyOf({ type: "agent", id: one.id }), one as typeof one & EarlierBar] as const,
      ),
    ];
    return {
      names: new Map(targets.map(([key, { name }]) => [key, name])),
      states: texts.states === null ? null : pageStates.parse(JSON.parse(texts.states)),
      bars: new Map(
        targets.map(([key, { uptime, coverage, days, uptime24h, uptime30d, responseTime, responseTimes }]) => [
          key,
          { uptime, coverage, days, uptime24h, uptime30d, responseTime, responseTimes },
        ]),
      ),
      incidents: read("incidents", publicIncident),
      maintenance: read("maintenance", publicMaintenance),
    };
  } catch (error) {
    log.warn({ err: error }, "published page is unreadable; rebuilding it");
    return nothingEarlier;
  }
}
