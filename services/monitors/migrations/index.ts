import { sqlMigration } from "@sonde/kit/postgres/database";
import { acknowledgementMigration, lastClosedMigration, snoozeMigration } from "@sonde/kit/incidents/table";
import { idempotencyMigration } from "@sonde/kit/postgres/idempotency";
import { managedMigration } from "@sonde/kit/managed/table";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { monitorsMigration } from "./001-monitors.ts";
import { flappingMigration } from "./002-flapping.ts";
import { kindsMigration } from "./003-kinds.ts";
import { incidentsMigration } from "./004-incidents.ts";
import { heartbeatsMigration } from "./015-heartbeats.ts";
import { secondOpinionMigration } from "./016-second-opinion.ts";

/** By name, in order. Short ones are here, long ones have a file. */
export const migrations = {
  "000-outbox": outboxMigration,
  "001-monitors": monitorsMigration,
  "002-flapping": flappingMigration,
  "003-kinds": kindsMigration,
  "004-incidents": incidentsMigration,
  "005-acknowledgement": acknowledgementMigration,
  // What a monitor needs in order to work, and what helps whoever is told of its incidents.
  "006-dependencies": sqlMigration(`
  alter table monitors
    -- [{"type": "monitor" | "agent", "id": 12}]; what is not there any more counts for nothing.
    add column depends_on jsonb not null default '[]',
    -- Markdown; '': none.
    add column note text not null default '';
`),
  // A silence is an incident now: those that were told before are told once more, which opens theirs.
  "007-stale-incidents": sqlMigration("update monitors set stale_since_ms = null where stale_since_ms is not null"),
  // Figures and positions are few rows that change again and again. With room on its page a new version of a row
  // needs no new entry in the index and takes the place of an old one, so that there is little for a vacuum to do: by
  // the defaults it would come, and write, each minute.
  "008-figures-storage": sqlMigration(`
  alter table figures set
    (fillfactor = 45, autovacuum_vacuum_scale_factor = 10, autovacuum_analyze_scale_factor = 10);
  alter table positions set (autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 2000);
`),
  "009-last-closed": lastClosedMigration,
  "010-idempotent-requests": idempotencyMigration,
  // What a monitor is, in plain text: shown below its name.
  "011-description": sqlMigration(`alter table monitors add column description text not null default ''`),
  "012-snooze": snoozeMigration,
  // Whether evidence of failures may hold what the target answered.
  "013-keep-body": sqlMigration(`alter table monitors add column keep_body boolean not null default true`),
  "014-managed": managedMigration,
  "015-heartbeats": heartbeatsMigration,
  "016-second-opinion": secondOpinionMigration,
} as const;
