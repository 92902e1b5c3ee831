import { acknowledgementMigration, lastClosedMigration, snoozeMigration } from "@sonde/kit/incidents/table";
import { idempotencyMigration } from "@sonde/kit/postgres/idempotency";
import { managedMigration } from "@sonde/kit/managed/table";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { monitorsMigration } from "./001-monitors.ts";
import { flappingMigration } from "./002-flapping.ts";
import { kindsMigration } from "./003-kinds.ts";
import { incidentsMigration } from "./004-incidents.ts";
import { dependenciesMigration } from "./006-dependencies.ts";
import { staleIncidentsMigration } from "./007-stale-incidents.ts";
import { figuresStorageMigration } from "./008-figures-storage.ts";
import { descriptionMigration } from "./011-description.ts";
import { keepBodyMigration } from "./013-keep-body.ts";
import { heartbeatsMigration } from "./015-heartbeats.ts";
import { secondOpinionMigration } from "./016-second-opinion.ts";

/** By name, without extension: a bundle runs the same ones. */
export const migrations = {
  "000-outbox": outboxMigration,
  "001-monitors": monitorsMigration,
  "002-flapping": flappingMigration,
  "003-kinds": kindsMigration,
  "004-incidents": incidentsMigration,
  "005-acknowledgement": acknowledgementMigration,
  "006-dependencies": dependenciesMigration,
  "007-stale-incidents": staleIncidentsMigration,
  "008-figures-storage": figuresStorageMigration,
  "009-last-closed": lastClosedMigration,
  "010-idempotent-requests": idempotencyMigration,
  "011-description": descriptionMigration,
  "012-snooze": snoozeMigration,
  "013-keep-body": keepBodyMigration,
  "014-managed": managedMigration,
  "015-heartbeats": heartbeatsMigration,
  "016-second-opinion": secondOpinionMigration,
} as const;
