import { AppError } from "@sonde/kit/errors";
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

export type IncidentPage = {
  incidents: Incident[];
  total: number;
  /** Whose incidents are missing, since their service is away. */
  away: Owner[];
};
export type Owner = "monitors" | "agents";

const mostRows = 200;

/**
 * One page of everybody's incidents, monitors' and agents' together, newest first unless asked otherwise. While one of
 * the two services is away the page holds what the other knows.
 * @throws AppError `unavailable` while both are
 */
export async function readIncidents(
  { services, ask }: Pick<Base, "services" | "ask">,
  { page, pageSize, ...list }: IncidentList,
): Promise<IncidentPage> {
  const away = new Map<Owner, AppError>();
  const readable = (owner: Owner, source: Source<Incident>) => withoutAway(source, (error) => away.set(owner, error));
  const ofMonitors = readable(
    "monitors",
    sourceOf((query) => services.monitors.listIncidents({ ...list, ...query }, ask)),
  );
  const ofAgents = readable(
    "agents",
    sourceOf((query) => services.agents.listAgentIncidents({ ...list, ...query }, ask)),
  );
  const window = { offset: (page - 1) * pageSize, limit: pageSize };
  const { items, total } = await mergePage([ofMonitors, ofAgents], window, orderOf(list.sort));
  const [first, second] = away.values();
  if (first !== undefined && second !== undefined) throw first;
  return { incidents: items, total, away: [...away.keys()] };
}

/** A source that is empty while its service is away. */
function withoutAway(source: Source<Incident>, onAway: (error: AppError) => void): Source<Incident> {
  let isAway = false;
  return async (offset, limit) => {
    if (isAway) return { items: [], total: 0 };
    try {
      return await source(offset, limit);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      isAway = true;
      onAway(error);
      return { items: [], total: 0 };
    }
  };
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
