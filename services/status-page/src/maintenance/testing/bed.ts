import { parseInput } from "@sonde/kit/bus/rpc";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import { statusContract } from "@sonde/proto/rpc/status";
import type { Context, PageSources } from "../../context.ts";
import { openBed as openPageBed } from "../../testing/bed.ts";
import { listMaintenance } from "../list.ts";
import { createMaintenance, updateMaintenance } from "../maintenance.ts";

export const noonMs = Date.parse("2026-03-01T12:00:00Z");
export const hourMs = 3_600_000;

type WindowInput = {
  name?: string;
  note?: string;
  monitors?: number[];
  agents?: number[];
  tags?: string[];
  /** Hours from noon. */
  start?: number;
  end?: number;
  timeZone?: string;
  rrule?: string;
  public?: boolean;
};

export type MaintenanceBed = {
  ctx: Context;
  clock: FakeClock;
  changes(): number;
  /** Sets what has a tag from now on. */
  tag(name: string, has: { monitors?: number[]; agents?: number[] }): void;
  /** Plans a window over monitor 1 for an hour from noon, with overrides. */
  plan(given?: WindowInput): Promise<Maintenance>;
  change(id: number, given: WindowInput): Promise<Maintenance>;
  list(given?: {
    status?: string;
    page?: number;
    pageSize?: number;
    ids?: number[];
  }): Promise<{ names: string[]; total: number; restIds: readonly number[] }>;
  /** Stored occurrences, in hours from noon: `0..1 monitors 1`. */
  written(id: number): Promise<string[]>;
};

export async function openBed({ monitors = [1, 2, 3], agents = [1, 2] } = {}): Promise<MaintenanceBed> {
  const clock = fakeClock(noonMs);
  let changes = 0;
  const tagged = new Map<string, { monitors?: number[]; agents?: number[] }>();
  const withTag = (tag: string, type: "monitors" | "agents") => {
    const ids = tagged.get(tag)?.[type] ?? [];
    return { [type]: ids.map((id) => ({ id, tags: [tag] })), total: ids.length, restIds: [] };
  };
  const there =
    (known: readonly number[], status: string) =>
    (ids: readonly number[] = []) =>
      ids.filter((id) => known.includes(id)).map((id) => ({ id, status, name: `the ${id}` }));
  const ctx: Context = {
    ...(await openPageBed({ clock })),
    sources: {
      monitors: {
        listMonitors: async ({ ids, tag }: { ids: number[]; tag?: string }) =>
          tag === undefined ? { monitors: there(monitors, "up")(ids), restIds: [] } : withTag(tag, "monitors"),
      },
      agents: {
        listAgents: async ({ ids, tag }: { ids: number[]; tag?: string }) =>
          tag === undefined ? { agents: there(agents, "online")(ids), restIds: [] } : withTag(tag, "agents"),
      },
    } as unknown as PageSources,
    publicUrl: null,
    namesOf: async () => ({ of: () => null }),
    changed: () => void changes++,
  };
  const { methods } = statusContract;
  const instantOf = (hours: number | undefined) =>
    hours === undefined ? undefined : new Date(noonMs + hours * hourMs).toISOString();
  const inputOf = ({ start, end, ...rest }: WindowInput) => ({
    ...rest,
    start: instantOf(start),
    end: instantOf(end),
  });
  return {
    ctx,
    clock,
    changes: () => changes,
    tag: (name, has) => void tagged.set(name, has),
    plan: async (given = {}) => {
      const input = inputOf({ name: "Upgrade", start: 0, end: 1, monitors: [1], ...given });
      return createMaintenance(ctx, parseInput(methods.createMaintenance.input, input));
    },
    change: async (id, given) =>
      updateMaintenance(ctx, parseInput(methods.updateMaintenance.input, { id, ...inputOf(given) })),
    async list(given = {}) {
      const { maintenance, total, restIds } = await listMaintenance(
        ctx,
        parseInput(methods.listMaintenance.input, given),
      );
      return { names: maintenance.map(({ name, status }) => `${name} ${status}`), total, restIds };
    },
    async written(id) {
      const rows = await ctx.db("occurrences").where({ windowId: id }).orderBy("fromMs");
      const hours = (ms: number) => (ms - noonMs) / hourMs;
      return rows.map((row) => {
        const agentsText = row.agentIds.length > 0 ? ` agents ${row.agentIds.join()}` : "";
        return `${hours(row.fromMs)}..${hours(row.toMs)} monitors ${row.monitorIds.join()}${agentsText}`;
      });
    },
  };
}
