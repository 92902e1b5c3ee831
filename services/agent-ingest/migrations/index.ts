import { acknowledgementMigration, lastClosedMigration, snoozeMigration } from "@sonde/kit/incidents/table";
import { idempotencyMigration } from "@sonde/kit/postgres/idempotency";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { positionsMigration } from "@sonde/kit/partitions/saving";
import { agentsMigration } from "./001-agents.ts";
import { duplicateKeysMigration } from "./002-duplicate-keys.ts";
import { openTokensMigration } from "./003-open-tokens.ts";
import { flappingMigration } from "./004-flapping.ts";
import { incidentsMigration } from "./005-incidents.ts";
import { dependenciesMigration } from "./007-dependencies.ts";
import { figuresMigration } from "./008-figures.ts";
import { tagsMigration } from "./012-tags.ts";

/** By name, without extension: a bundle runs the same ones. */
export const migrations = {
  "000-outbox": outboxMigration,
  "000-positions": positionsMigration,
  "001-agents": agentsMigration,
  "002-duplicate-keys": duplicateKeysMigration,
  "003-open-tokens": openTokensMigration,
  "004-flapping": flappingMigration,
  "005-incidents": incidentsMigration,
  "006-acknowledgement": acknowledgementMigration,
  "007-dependencies": dependenciesMigration,
  "008-figures": figuresMigration,
  "009-last-closed": lastClosedMigration,
  "010-idempotent-requests": idempotencyMigration,
  "011-snooze": snoozeMigration,
  "012-tags": tagsMigration,
} as const;
