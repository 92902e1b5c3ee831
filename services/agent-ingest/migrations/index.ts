import { sqlMigration } from "@sonde/kit/postgres/database";
import {
  acknowledgementMigration,
  alertSourceMigration,
  lastClosedMigration,
  snoozeMigration,
} from "@sonde/domain/incidents/table";
import { idempotencyMigration } from "@sonde/kit/postgres/idempotency";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { positionsMigration } from "@sonde/kit/partitions/saving";
import { agentsMigration } from "./001-agents.ts";
import { incidentsMigration } from "./005-incidents.ts";
import { figuresMigration } from "./008-figures.ts";

/** In order. Long migrations have a file. */
export const migrations = {
  "000-outbox": outboxMigration,
  "000-positions": positionsMigration,
  "001-agents": agentsMigration,
  // Last time that two machines reported with the same key.
  "002-duplicate-keys": sqlMigration("alter table agents add column duplicate_key_at_ms bigint"),
  // created_by is null for older tokens. incidents_held_back_at_ms: when incidents of the agent were last deferred.
  "003-open-tokens": sqlMigration(`
  alter table tokens add column id integer generated always as identity unique;
  alter table tokens add column created_by integer;
  alter table tokens add column created_by_name text;
  alter table agents add column incidents_held_back_at_ms bigint;
`),
  // flaps: how often the metric exceeded its threshold again during the incident. The index finds old incidents.
  "004-flapping": sqlMigration(`
  alter table incidents add column flaps integer not null default 0;
  create index incidents_by_closing on incidents (closed_at_ms) where closed_at_ms is not null;
`),
  "005-incidents": incidentsMigration,
  "006-acknowledgement": acknowledgementMigration,
  "007-dependencies": sqlMigration(`
  alter table agents
    -- [{"type": "monitor" | "agent", "id": 12}]; deleted targets are ignored.
    add column depends_on jsonb not null default '[]';
`),
  "008-figures": figuresMigration,
  "009-last-closed": lastClosedMigration,
  "010-idempotent-requests": idempotencyMigration,
  "011-snooze": snoozeMigration,
  "012-tags": sqlMigration("alter table agents add column tags text[] not null default '{}'"),
  "013-alert-source": alertSourceMigration,
} as const;
