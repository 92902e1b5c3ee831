import { create } from "@bufbuild/protobuf";
import { openDatabase } from "@sonde/kit/postgres/database";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import {
  ListMaintenanceRequestSchema,
  MaintenanceFieldsSchema,
  UpdateMaintenanceRequestSchema,
} from "@sonde/proto/gen/status/v1/status";
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { migrations } from "../../../migrations/index.ts";
import type { Context, PageSources } from "../../context.ts";
import { createMaintenance } from "../create.ts";
import { listMaintenance } from "../list.ts";
import type { MaintenanceInit } from "../present.ts";
import { updateMaintenance } from "../update.ts";

/** Noon of a Sunday, in UTC. */
export const noonMs = Date.parse("2026-03-01T12:00:00Z");
export const hourMs = 3_600_000;

type WindowInput = {
  name?: string;
  note?: string;
  monitors?: number[];
  agents?: number[];
  /** Hours from noon. */
  start?: number;
  end?: number;
  timeZone?: string;
  rrule?: string;
  public?: boolean;
};

/** The verbs of maintenance over a database of their own, with a fake clock. */
export type MaintenanceBed = {
  ctx: Context;
  clock: FakeClock;
  /** How often the page was notified of changes. */
  changes(): number;
  /** A window of an hour from noon on over monitor 1, but for what is given. */
  plan(given?: WindowInput): Promise<MaintenanceInit & { id: number }>;
  change(id: number, given: WindowInput): Promise<MaintenanceInit>;
  list(given?: {
    status?: string;
    page?: number;
    pageSize?: number;
    ids?: number[];
  }): Promise<{ names: string[]; total: number; restIds: readonly number[] }>;
  /** What is written, in hours from noon: `0..1 monitors 1`. */
  written(id: number): Promise<string[]>;
};

export async function openBed({ monitors = [1, 2, 3], agents = [1, 2] } = {}): Promise<MaintenanceBed> {
  const clock = fakeClock(noonMs);
  let changes = 0;
  const there =
    (known: readonly number[], status: string) =>
    (ids: readonly number[] = []) =>
      ids.filter((id) => known.includes(id)).map((id) => ({ id, status }));
  const ctx: Context = {
    db: await openDatabase({
      url: inject("databaseUrl"),
      schema: `status_${randomUUID().replace(/[^a-f]/g, "")}`,
      migrations,
      log: silentLog,
    }),
    clock,
    log: silentLog,
    secrets: secretBox(deriveKeys(Buffer.alloc(32, 7).toString("base64"))),
    sources: {
      monitors: {
        listMonitors: async ({ ids }: { ids: number[] }) => ({ monitors: there(monitors, "up")(ids), restIds: [] }),
      },
      agents: {
        listAgents: async ({ ids }: { ids: number[] }) => ({ agents: there(agents, "online")(ids), restIds: [] }),
      },
    } as unknown as PageSources,
    publicUrl: null,
    namesOf: async () => ({ of: () => null }),
    committed: () => {},
    changed: () => void changes++,
    mailDue: () => {},
  };
  const fieldsOf = ({ monitors: m, agents: a, start, end, ...rest }: WindowInput) =>
    create(MaintenanceFieldsSchema, {
      ...rest,
      targets:
        m || a
          ? {
              values: [
                ...(m ?? []).map((id) => ({ type: "monitor", id })),
                ...(a ?? []).map((id) => ({ type: "agent", id })),
              ],
            }
          : undefined,
      startMs: start === undefined ? undefined : noonMs + start * hourMs,
      endMs: end === undefined ? undefined : noonMs + end * hourMs,
    });
  return {
    ctx,
    clock,
    changes: () => changes,
    async plan(given = {}) {
      const made = await createMaintenance(
        ctx,
        fieldsOf({ name: "Upgrade", start: 0, end: 1, timeZone: "UTC", monitors: [1], ...given }),
      );
      return { ...made, id: made.id ?? 0 };
    },
    change: (id, given) => {
      const targetTypes = [...(given.monitors ? ["monitor"] : []), ...(given.agents ? ["agent"] : [])];
      return updateMaintenance(
        ctx,
        create(UpdateMaintenanceRequestSchema, { id, fields: fieldsOf(given), targetTypes }),
      );
    },
    async list(given = {}) {
      const {
        windows = [],
        total = 0,
        restIds = [],
      } = await listMaintenance(ctx, create(ListMaintenanceRequestSchema, given));
      return { names: windows.map(({ fields, status }) => `${fields?.name} ${status}`), total, restIds };
    },
    async written(id) {
      const rows = await ctx.db("occurrences").where({ window_id: id }).orderBy("from_ms");
      const hours = (ms: number) => (ms - noonMs) / hourMs;
      return rows.map((row) => {
        const agentsText = row.agent_ids.length > 0 ? ` agents ${row.agent_ids.join()}` : "";
        return `${hours(row.from_ms)}..${hours(row.to_ms)} monitors ${row.monitor_ids.join()}${agentsText}`;
      });
    },
  };
}
