import { AppError } from "@sonde/kit/errors";
import { producerOfIncident } from "@sonde/kit/incident-timeline";
import { type Incident, type IncidentProducer, incidentProducers } from "@sonde/proto/http/incidents/incidents";
import type { IncidentFilter } from "@sonde/proto/rpc/incidents";
import type { HandlerBase } from "../route.ts";
import { mergePage, type RankedSource } from "./merge.ts";

export type IncidentQuery = Omit<IncidentFilter, "targetId" | "targetIds"> & {
  page: number;
  pageSize: number;
  /** One target's alone. */
  target?: { type: "monitor" | "agent"; id: number } | undefined;
  /** Leaves `total` at 0, which spares the databases the counting. */
  uncounted?: boolean;
};

export type IncidentPage = {
  incidents: Incident[];
  total: number;
  /** Producers whose incidents are missing because they are unavailable. */
  unavailable?: IncidentProducer[];
};

const producerOfTarget = { monitor: "monitors", agent: "agents" } as const;

/**
 * One page of all producers' incidents together, in the requested order. While some of them are unavailable the page
 * has those of the others.
 * @throws AppError `unavailable` while all requested ones are unavailable
 */
export async function readIncidents(
  { services, ask }: Asking,
  { page, pageSize, target, uncounted = false, ...given }: IncidentQuery,
): Promise<IncidentPage> {
  const filter = { ...given, targetId: target?.id };
  const producers = target === undefined ? incidentProducers : [producerOfTarget[target.type]];
  const away = new Map<IncidentProducer, AppError>();
  const sources = producers.map((producer): RankedSource<Incident> => {
    const options = { ...ask, scope: producer };
    const orEmpty = async <Answer>(run: () => Promise<Answer>, empty: Answer): Promise<Answer> => {
      // What failed once is left out of the whole page, so that no part of it is out of order.
      if (away.has(producer)) return empty;
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
        away.set(producer, error);
        return empty;
      }
    };
    const { listIncidents, listIncidentMarks } = services.incidents;
    return {
      list: async (after, limit) => {
        const read = () => listIncidents({ filter, after, limit, uncounted }, options);
        const { incidents, total } = await orEmpty(read, { incidents: [], total: 0, last: "" });
        return { items: incidents.map(({ incident, rank }) => ({ item: incident, rank })), total };
      },
      marks: (after, every) =>
        orEmpty(() => listIncidentMarks({ filter, after, every }, options), { marks: [], total: 0 }),
    };
  });
  const { items, total } = await mergePage(sources, { offset: (page - 1) * pageSize, limit: pageSize });
  const [first] = away.values();
  if (first !== undefined && away.size === producers.length) throw first;
  return { incidents: items, total, unavailable: away.size > 0 ? [...away.keys()] : undefined };
}

type Asking = Pick<HandlerBase, "services" | "ask">;

/** @throws AppError `not_found` */
export async function readIncident({ services, ask }: Asking, id: string): Promise<Incident> {
  const { incident } = await services.incidents.getIncident({ id }, { ...ask, scope: producerOfIncident(id) });
  return incident;
}

/**
 * Acknowledges an incident, which stops its reminders.
 * @param by author, if it is not the session's own user
 * @throws AppError `not_found`
 */
export async function acknowledgeIncident(
  { services, ask }: Asking,
  { id, note, by }: { id: string; note?: string | undefined; by?: string },
): Promise<Incident> {
  const { incident } = await services.incidents.acknowledgeIncident(
    { id, note, by },
    { ...ask, scope: producerOfIncident(id) },
  );
  return incident;
}
