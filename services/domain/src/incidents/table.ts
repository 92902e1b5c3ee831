import type { IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { ExternalAlert } from "@sonde/proto/http/monitors/inbound";
import type { Database } from "@sonde/kit/postgres/database";

/** Instants are epoch milliseconds. */
export type IncidentRow = {
  id: number;
  targetId: number;
  kind: IncidentKind;
  /** Empty for kinds without a metric. */
  metric: string;
  cause: string;
  openedAtMs: number;
  closedAtMs: number | null;
  resolution: IncidentResolution | null;
  /** Further failures while the incident was open. */
  flaps: number;
  acknowledgedAtMs: number | null;
  acknowledgedBy: string | null;
  note: string | null;
  snoozedUntilMs: number | null;
  snoozedBy: string | null;
  /** Increases with each change by a user. */
  revision: number;
  /** Only of kind `external`. */
  source: AlertSource | null;
};
export type AlertSource = Pick<ExternalAlert, "severity" | "link" | "labels">;

/** Aliased, so the names are the same whether or not the database handle maps case. */
export const incidentColumns = `incidents.id, incidents.target_id as "targetId", incidents.kind, incidents.metric,
  incidents.cause, incidents.opened_at_ms as "openedAtMs", incidents.closed_at_ms as "closedAtMs",
  incidents.resolution, incidents.flaps, incidents.acknowledged_at_ms as "acknowledgedAtMs",
  incidents.acknowledged_by as "acknowledgedBy", incidents.note, incidents.snoozed_until_ms as "snoozedUntilMs",
  incidents.snoozed_by as "snoozedBy", incidents.revision, incidents.source`;

/** Sorts open incidents as newer than all closed ones, and as closed after them. */
const openMs = 1_000_000_000_000_000;

/**
 * Ascending by `rank`, then by `tie`. Both match the indexes below, which serve the orders that start with the newest.
 */
export const orders = {
  "": { rank: `case when closed_at_ms is null then -${openMs} else 0 end - opened_at_ms`, tie: "-incidents.id" },
  "-openedAt": { rank: "-opened_at_ms", tie: "-incidents.id" },
  openedAt: { rank: "opened_at_ms", tie: "incidents.id" },
  "-closedAt": { rank: `-coalesce(closed_at_ms, ${openMs})`, tie: "-incidents.id" },
  closedAt: { rank: `coalesce(closed_at_ms, ${openMs})`, tie: "incidents.id" },
} as const;

const acknowledgementColumns = ["acknowledged_at_ms bigint", "acknowledged_by text", "note text"];

export const acknowledgementMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`alter table incidents ${acknowledgementColumns.map((column) => `add column ${column}`).join(", ")}`),
};

export const snoozeMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table incidents
        add column snoozed_until_ms bigint, add column snoozed_by text,
        add column revision integer not null default 0, add column actions jsonb not null default '[]'
    `),
};

/** For incidents of kind `external`: what their source says, and when it was last repeated. */
export const alertSourceMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("alter table incidents add column source jsonb, add column seen_at_ms bigint"),
};

/** Without it, each query for the newest sorts all closed incidents. */
export const lastClosedMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("create index incidents_last_closed on incidents ((-coalesce(closed_at_ms, 1000000000000000)), (-id))"),
};

/** @param targets table of the targets; its rows have an integer `id` and a `name` */
export const incidentsMigration = (targets: string) => ({
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table incidents (
        id integer generated always as identity primary key,
        target_id integer not null references ${targets} on delete cascade,
        kind text not null,
        metric text not null default '',
        cause text not null,
        opened_at_ms bigint not null,
        closed_at_ms bigint,
        resolution text,
        flaps integer not null default 0,
        ${acknowledgementColumns.join(",\n        ")}
      );
      create unique index one_open_incident on incidents (target_id, kind, metric) where closed_at_ms is null;
      create index incidents_open_first on incidents
        ((case when closed_at_ms is null then -1000000000000000 else 0 end - opened_at_ms), (-id));
      create index incidents_newest_first on incidents ((-opened_at_ms), (-id));
      create index incidents_of_target on incidents (target_id, opened_at_ms desc);
      create index incidents_by_closing on incidents (closed_at_ms) where closed_at_ms is not null;
    `),
});
