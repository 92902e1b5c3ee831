import { sqlMigration } from "@sonde/kit/postgres/database";
import {
  acknowledgementMigration,
  alertSourceMigration,
  lastClosedMigration,
  snoozeMigration,
} from "@sonde/domain/incidents/table";
import { idempotencyMigration } from "@sonde/kit/postgres/idempotency";
import { managedMigration } from "@sonde/domain/managed/table";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { monitorsMigration } from "./001-monitors.ts";
import { flappingMigration } from "./002-flapping.ts";
import { kindsMigration } from "./003-kinds.ts";
import { incidentsMigration } from "./004-incidents.ts";
import { heartbeatsMigration } from "./015-heartbeats.ts";
import { secondOpinionMigration } from "./016-second-opinion.ts";
import { groupsMigration } from "./020-groups.ts";
import { slosMigration } from "./021-slos.ts";
import { runnersMigration } from "./022-runners.ts";
import { sharedCausesMigration } from "./023-shared-causes.ts";

/** In order. Long migrations have a file. */
export const migrations = {
  "000-outbox": outboxMigration,
  "001-monitors": monitorsMigration,
  "002-flapping": flappingMigration,
  "003-kinds": kindsMigration,
  "004-incidents": incidentsMigration,
  "005-acknowledgement": acknowledgementMigration,
  "006-dependencies": sqlMigration(`
  alter table monitors
    -- [{"type": "monitor" | "agent", "id": 12}]; deleted targets are ignored.
    add column depends_on jsonb not null default '[]',
    -- Markdown; '': none.
    add column note text not null default '';
`),
  // Silence became an incident: current silences are reported again, which opens theirs.
  "007-stale-incidents": sqlMigration("update monitors set stale_since_ms = null where stale_since_ms is not null"),
  // Figures and positions are few rows that change all the time. With free space on its page a new version of a row
  // reuses the space of an old one and needs no index entry, so vacuum has little to do; by default it would run every
  // minute.
  "008-figures-storage": sqlMigration(`
  alter table figures set
    (fillfactor = 45, autovacuum_vacuum_scale_factor = 10, autovacuum_analyze_scale_factor = 10);
  alter table positions set (autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 2000);
`),
  "009-last-closed": lastClosedMigration,
  "010-idempotent-requests": idempotencyMigration,
  "011-description": sqlMigration(`alter table monitors add column description text not null default ''`),
  "012-snooze": snoozeMigration,
  // False: evidence of failures never contains the target's response.
  "013-keep-body": sqlMigration(`alter table monitors add column keep_body boolean not null default true`),
  "014-managed": managedMigration,
  "015-heartbeats": heartbeatsMigration,
  "016-second-opinion": secondOpinionMigration,
  "017-alert-source": alertSourceMigration,
  // Inbound monitors have a row, too: `state` stays null.
  "018-inbound": sqlMigration("alter table heartbeats add column received_at_ms bigint"),
  // `slow_since_ms`: null while the monitor is not slow. Columns of `figures` are null without these settings.
  "019-slow": sqlMigration(`
  alter table monitors add column slow_after integer, add column slow_checks jsonb, add column slow_since_ms bigint,
    add column recover_after integer not null default 1;
  alter table figures add column slowness jsonb, add column recovery jsonb;
`),
  "020-groups": groupsMigration,
  "021-slos": slosMigration,
  "022-runners": runnersMigration,
  "023-shared-causes": sharedCausesMigration,
} as const;
