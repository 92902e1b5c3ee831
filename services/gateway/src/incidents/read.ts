import type { AskOptions } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import { producerOfIncident } from "@sonde/domain/incident-timeline";
import { type Incident, type IncidentProducer, incidentProducers } from "@sonde/proto/http/incidents/incidents";
import type { IncidentFilter } from "@sonde/proto/rpc/incidents";
import { silencedUntil } from "../events/maintenance.ts";
import type { HandlerBase } from "../route.ts";
import type { Services } from "../services.ts";
import { mergePage, type RankedSource } from "./merge.ts";

export type IncidentQuery = Omit<IncidentFilter, "targetId" | "targetIds" | "ids"> & {
  page: number;
  pageSize: number;
  target?: { type: "monitor" | "agent"; id: number } | undefined;
  ids?: readonly string[] | undefined;
  /** Leaves `total` at 0, which saves a count in the databases. */
  uncounted?: boolean;
};

export type IncidentPage = {
  incidents: Incident[];
  total: number;
  /** Producers whose incidents are missing. */
  unavailable?: IncidentProducer[];
};

const producerOfTarget = { monitor: "monitors", agent: "agents" } as const;

/** Omits the incidents of unavailable producers. @throws AppError `unavailable` if all are unavailable */
export async function readIncidents(
  { services, ask, ...known }: CallContext,
  { page, pageSize, target, ids, uncounted = false, ...given }: IncidentQuery,
): Promise<IncidentPage> {
  const named = ids && Map.groupBy(ids, producerOfIncident);
  const producers = incidentProducers.filter(
    (each) => (target === undefined || producerOfTarget[target.type] === each) && named?.has(each) !== false,
  );
  const away = new Map<IncidentProducer, AppError>();
  const sources = producers.map((producer): RankedSource<Incident> => {
    const options = { ...ask, scope: producer };
    const numbers = named?.get(producer)?.map((id) => Number(id.slice(1)));
    const filter = { ...given, targetId: target?.id, ids: numbers };
    const orEmpty = async <Answer>(run: () => Promise<Answer>, empty: Answer): Promise<Answer> => {
      // A producer that fails once is left out of the whole page, to keep the order consistent.
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
  return {
    incidents: items.map((incident) => withSilence(known, incident)),
    total,
    unavailable: away.size > 0 ? [...away.keys()] : undefined,
  };
}

type CallContext = Pick<HandlerBase, "services" | "ask" | "maintenance" | "clock">;

export const withSilence = (known: Pick<HandlerBase, "maintenance" | "clock">, incident: Incident): Incident => {
  const { target, closedAt } = incident;
  const until = closedAt === undefined ? silencedUntil(known, target.type, target.id) : undefined;
  return until === undefined ? incident : { ...incident, silencedUntil: until };
};

/** @throws AppError `not_found` */
export async function readIncident(
  { services, ask }: Pick<CallContext, "services" | "ask">,
  id: string,
): Promise<Incident> {
  const { incident } = await services.incidents.getIncident({ id }, { ...ask, scope: producerOfIncident(id) });
  return incident;
}

/** @throws AppError `not_found`, and what the change throws */
export async function changeIncident(
  { services, ask, ...known }: CallContext,
  id: string,
  change: (incidents: Services["incidents"], options: AskOptions) => Promise<{ incident: Incident }>,
): Promise<Incident> {
  const { incident } = await change(services.incidents, { ...ask, scope: producerOfIncident(id) });
  return withSilence(known, incident);
}
