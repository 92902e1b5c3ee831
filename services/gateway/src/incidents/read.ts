import type { Incident } from "@sonde/proto/gen/events/v1/events";
import type { Base } from "../route.ts";
import { mergePage, type Source } from "./merge.ts";

export type IncidentList = {
  page: number;
  pageSize: number;
  search?: string | undefined;
  sort?: string | undefined;
  open?: boolean;
};

const mostRows = 200;

/** One page of everybody's incidents, monitors' and agents' together, newest first unless asked otherwise. */
export async function readIncidents(
  { services, ask }: Pick<Base, "services" | "ask">,
  { page, pageSize, ...list }: IncidentList,
): Promise<{ incidents: Incident[]; total: number }> {
  const ofMonitors = sourceOf((query) => services.monitors.listIncidents({ ...list, ...query }, ask));
  const ofAgents = sourceOf((query) => services.agents.listAgentIncidents({ ...list, ...query }, ask));
  const window = { offset: (page - 1) * pageSize, limit: pageSize };
  const { items, total } = await mergePage([ofMonitors, ofAgents], window, orderOf(list.sort));
  return { incidents: items, total };
}

type Ask = (query: { page: number; pageSize: number }) => Promise<{ incidents: Incident[]; total: number }>;

/** Reads by offset what is asked for by pages: any window lies within two pages of its length. */
function sourceOf(ask: Ask): Source<Incident> {
  return async (offset, limit) => {
    const size = Math.min(limit, mostRows);
    const page = Math.floor(offset / size) + 1;
    const inner = offset - (page - 1) * size;
    const [first, second] = await Promise.all([
      ask({ page, pageSize: size }),
      inner === 0 ? null : ask({ page: page + 1, pageSize: size }),
    ]);
    const items = [...first.incidents, ...(second?.incidents ?? [])].slice(inner, inner + size);
    return { items, total: first.total };
  };
}

/** As each source orders its own: by the instant, an open incident counting as the last to close. */
function orderOf(sort: string | undefined): (left: Incident, right: Incident) => boolean {
  const descending = sort === undefined || sort.startsWith("-");
  const keyOf = ({ openedAtMs, closedAtMs }: Incident) =>
    sort?.endsWith("closedAt") === true ? (closedAtMs ?? Number.POSITIVE_INFINITY) : openedAtMs;
  return (left, right) => {
    const [one, other] = [keyOf(left), keyOf(right)];
    return descending ? one > other : one < other;
  };
}
