import { idempotencyMigration } from "@sonde/kit/postgres/idempotency";
import { managedMigration } from "@sonde/domain/managed/table";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { statusMigration } from "./001-status.ts";
import { formerTokensMigration } from "./003-former-tokens.ts";
import { silencesMigration } from "./004-silences.ts";
import { pagesMigration } from "./006-pages.ts";
import { pageTicketsMigration } from "./007-page-tickets.ts";
import { handedMailsMigration } from "./008-handed-mails.ts";
import { maintenanceTagsMigration } from "./009-maintenance-tags.ts";
import { pageImagesMigration } from "./010-page-images.ts";

/** Keyed by name without extension, so a bundle runs the same migrations. */
export const migrations = {
  "000-outbox": outboxMigration,
  "001-status": statusMigration,
  "002-idempotent-requests": idempotencyMigration,
  "003-former-tokens": formerTokensMigration,
  "004-silences": silencesMigration,
  "005-managed": managedMigration,
  "006-pages": pagesMigration,
  "007-page-tickets": pageTicketsMigration,
  "008-handed-mails": handedMailsMigration,
  "009-maintenance-tags": maintenanceTagsMigration,
  "010-page-images": pageImagesMigration,
} as const;
