import { idempotencyMigration } from "@sonde/kit/postgres/idempotency";
import { managedMigration } from "@sonde/domain/managed/table";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { notificationsMigration } from "./001-notifications.ts";
import { selfWatchMigration } from "./002-self-watch.ts";
import { snoozeMigration } from "./004-snooze.ts";
import { configuredMigration } from "./005-configured.ts";
import { mailsMigration } from "./007-mails.ts";
import { unsentMigration } from "./008-unsent.ts";
import { onCallMigration } from "./009-on-call.ts";
import { pushKeyMigration } from "./010-push-key.ts";
import { telegramBotsMigration } from "./011-telegram-bots.ts";
import { drillsMigration } from "./012-drills.ts";
import { callsMigration } from "./013-calls.ts";
import { noticesMigration } from "./014-notices.ts";
import { incidentChangesMigration } from "./015-incident-changes.ts";
import { reportsMigration } from "./016-reports.ts";
import { changesMigration } from "./017-changes.ts";

/** Keyed by name without extension, so a bundle runs the same migrations. */
export const migrations = {
  "000-outbox": outboxMigration,
  "001-notifications": notificationsMigration,
  "002-self-watch": selfWatchMigration,
  "003-idempotent-requests": idempotencyMigration,
  "004-snooze": snoozeMigration,
  "005-configured": configuredMigration,
  "006-managed": managedMigration,
  "007-mails": mailsMigration,
  "008-unsent": unsentMigration,
  "009-on-call": onCallMigration,
  "010-push-key": pushKeyMigration,
  "011-telegram-bots": telegramBotsMigration,
  "012-drills": drillsMigration,
  "013-calls": callsMigration,
  "014-notices": noticesMigration,
  "015-incident-changes": incidentChangesMigration,
  "016-reports": reportsMigration,
  "017-changes": changesMigration,
} as const;
