import { AppError, unavailable } from "@sonde/kit/errors";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { ReportInput } from "@sonde/proto/http/reports";
import { figuresOf, type ReportData, type ReportedTarget, type StepCounts } from "@sonde/proto/http/report-proof";
import { randomUUID } from "node:crypto";
import { channelOf } from "../channels/registry.ts";
import type { Context } from "../context.ts";
import type { ReportContext, ReportSources } from "../reports/context.ts";
import { reportKeyReader } from "../reports/key.ts";

type DownSpan = { of: `${"monitor" | "agent"}:${number}`; fromMs: number; toMs: number | undefined; cause?: string };

/** Data that the stand-ins of other services return. */
export type World = {
  monitors: { id: number; name: string; tags?: string[] }[];
  agents: { id: number; name: string; tags?: string[] }[];
  outages: DownSpan[];
  page?: { slug: string; monitors: number[]; agents: number[]; names: { type: "monitor"; id: number; name: string }[] };
  /** Their addresses, which are confirmed unless they begin with `new`. */
  users: string[];
  /** Metrics has no slots before. */
  retainedFromMs: number;
  /** Methods that fail, such as `countSlots`. */
  unavailable: Set<string>;
  calls: string[];
};

export const newWorld = (given: Partial<World> = {}): World => ({
  monitors: [
    { id: 1, name: "Checkout", tags: ["shop"] },
    { id: 2, name: "Search", tags: ["shop"] },
  ],
  agents: [{ id: 5, name: "web-1", tags: ["shop"] }],
  outages: [],
  users: [],
  retainedFromMs: 0,
  unavailable: new Set(),
  calls: [],
  ...given,
});

const minuteMs = 60_000;

/** One slot a minute. */
function countsOf({ outages }: World, of: string, edges: readonly number[]): Record<keyof StepCounts, number[]> {
  const minutes = edges.slice(1).map((toMs, at) => (toMs - edges[at]!) / minuteMs);
  const down = edges.slice(1).map((toMs, at) =>
    outages
      .filter((outage) => outage.of === of)
      .reduce((sum, outage) => {
        const overlap = Math.min(toMs, outage.toMs ?? Infinity) - Math.max(edges[at]!, outage.fromMs);
        return sum + Math.max(0, overlap) / minuteMs;
      }, 0),
  );
  const zeros = minutes.map(() => 0);
  return {
    expected: minutes,
    seen: minutes,
    up: minutes.map((count, at) => count - down[at]!),
    monitoredMinutes: minutes,
    maintenanceMinutes: zeros,
    pausedMinutes: zeros,
  };
}

const incidentsOf = ({ outages }: World, scope: string): Incident[] =>
  outages
    .map(({ of, fromMs, toMs, cause = "Timed out" }, at) => {
      const [type, id] = of.split(":") as ["monitor" | "agent", string];
      return {
        id: `${type[0]}${at + 1}`,
        target: { type, id: Number(id), name: of },
        kind: type === "agent" ? ("offline" as const) : ("down" as const),
        cause,
        openedAt: new Date(fromMs).toISOString(),
        closedAt: toMs === undefined ? undefined : new Date(toMs).toISOString(),
      };
    })
    .filter(({ target }) => `${target.type}s` === scope)
    .sort((one, other) => (other.closedAt ?? "9").localeCompare(one.closedAt ?? "9"));

/** Stand-ins of the services that reports read. */
export function sourcesOf(world: World): ReportSources {
  const answer = async <Result>(name: string, result: () => Result): Promise<Result> => {
    world.calls.push(name);
    if (world.unavailable.has(name)) throw unavailable(name);
    return result();
  };
  type Listed = { id: number; name: string; tags?: string[] };
  const list = <Item extends Listed>(items: Item[], { ids = [], tag }: { ids?: number[]; tag?: string | undefined }) =>
    items.filter((item) => (tag === undefined ? ids.includes(item.id) : item.tags?.includes(tag)));
  const sources = {
    monitors: {
      listMonitors: (query: { page: number; pageSize: number; ids?: number[]; tag?: string }) =>
        answer("listMonitors", () => {
          const found = list(world.monitors, query);
          const monitors = found.slice((query.page - 1) * query.pageSize).slice(0, query.pageSize);
          return { monitors, total: found.length, restIds: [] };
        }),
    },
    agents: {
      listAgents: (query: { ids?: number[]; tag?: string }) =>
        answer("listAgents", () => {
          const agents = list(world.agents, query).map((one) => {
            return { ...one, interval: 60, createdAt: "2020-01-01T00:00:00.000Z" };
          });
          return { agents, total: agents.length, restIds: [] };
        }),
    },
    incidents: {
      listIncidents: ({ filter }: { filter: { targetIds: number[] } }, { scope }: { scope: string }) =>
        answer("listIncidents", () => {
          const found = incidentsOf(world, scope).filter(({ target }) => filter.targetIds.includes(target.id));
          return { incidents: found.map((incident) => ({ incident, rank: 0 })), total: 0, last: "" };
        }),
    },
    metrics: {
      countSlots: ({ monitorIds, edges }: { monitorIds: number[]; edges: number[] }) =>
        answer("countSlots", () => {
          if (edges[0]! < world.retainedFromMs) throw new AppError("invalid", "The request is not valid");
          return { monitors: monitorIds.map((id) => ({ targetId: id, ...countsOf(world, `monitor:${id}`, edges) })) };
        }),
      agentDays: ({ agents, edges }: { agents: { agentId: number }[]; edges: number[] }) =>
        answer("agentDays", () => ({
          agents: agents.map(({ agentId: id }) => ({ targetId: id, ...countsOf(world, `agent:${id}`, edges) })),
        })),
    },
    statusPage: {
      getPage: ({ slug }: { slug: string }) =>
        answer("getPage", () => {
          if (world.page?.slug !== slug) throw new AppError("not_found", "Page does not exist");
          return { page: world.page };
        }),
    },
    auth: {
      people: ({ names = [] }: { names?: string[] }) =>
        answer("people", () => ({
          people: world.users
            .filter((email) => names.some((name) => name.toLowerCase() === email))
            .map((email, at) => ({
              id: at + 1,
              username: email,
              email,
              emailVerified: !email.startsWith("new"),
              status: "active",
            })),
        })),
    },
  };
  return sources as unknown as ReportSources;
}

export const reportContext = (ctx: Context, world: World): ReportContext => ({
  ...ctx,
  channelOf,
  sources: sourcesOf(world),
  reportKey: reportKeyReader(ctx, false),
});

export const weekly = (given: Partial<ReportInput> = {}): ReportInput => ({
  name: "Shop",
  targets: [
    { type: "monitor", id: 1 },
    { type: "monitor", id: 2 },
    { type: "agent", id: 5 },
  ],
  every: "week",
  timeZone: "Europe/Berlin",
  language: "en-US",
  recipients: [],
  ...given,
});

/** Adds a channel that can send mail. */
export async function addMailChannel(ctx: Context): Promise<number> {
  const config = { host: "mail.example.com", port: 587, from: "sonde@example.com", to: ["ops@example.com"] };
  const at = { createdAtMs: 0, updatedAtMs: 0 };
  const row = { name: `mail ${randomUUID()}`, type: "smtp", enabled: true, config: JSON.stringify(config), ...at };
  const [saved] = await ctx.db("channels").insert(row).returning<{ id: number }[]>("id");
  return saved!.id;
}

/** Counts of days with one slot a minute: how many failed, or were not seen. */
export const daysOf = (failed: readonly number[], unseen: readonly number[] = []): StepCounts => {
  const all = failed.map(() => 1440);
  const seen = all.map((count, at) => count - (unseen[at] ?? 0));
  return {
    expected: all,
    seen,
    up: seen.map((count, at) => count - failed[at]!),
    monitoredMinutes: all,
    maintenanceMinutes: failed.map(() => 0),
    pausedMinutes: failed.map(() => 0),
  };
};

export const targetOf = (id: number, name: string, counts: StepCounts): ReportedTarget => {
  const { down } = figuresOf(counts);
  return { type: "monitor", id, name, counts, incidents: down > 0 ? 1 : 0, longestMinutes: down };
};

export const weekOf = (targets: readonly ReportedTarget[], given: Partial<ReportData> = {}) => ({
  name: "Shop",
  period: "2026-W48",
  every: "week" as const,
  timeZone: "Europe/Berlin",
  language: "en-US",
  from: "2026-11-22T23:00:00.000Z",
  until: "2026-11-29T23:00:00.000Z",
  createdAt: "2026-11-29T23:05:00.000Z",
  steps: ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"],
  targets,
  incidents: [],
  omitted: 0,
  ...given,
});

/** For tests that kill processes in the middle of making reports: so many targets that it takes a while. */
export const crashWorld = (): World =>
  newWorld({
    monitors: Array.from({ length: 150 }, (_, at) => ({ id: at + 1, name: `Service ${at + 1}`, tags: ["shop"] })),
    users: ["ada@example.com", "bob@example.com"],
  });
