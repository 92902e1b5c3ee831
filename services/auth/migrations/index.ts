import { accountsMigration } from "./001-accounts.ts";
import { sessionDetailsMigration } from "./002-known-sessions.ts";
import { apiKeysMigration } from "./003-api-keys.ts";
import { auditMigration } from "./004-audit.ts";
import { factorsMigration } from "./006-factors.ts";
import { providersMigration } from "./005-providers.ts";
import { verifiedMailMigration } from "./007-verified-mail.ts";
import { invitesMigration } from "./009-invites.ts";
import { tokenAuthMigration } from "./008-token-auth.ts";
import { viewsMigration } from "./010-views.ts";

/** Without extension: bundles and sources must record the same names. */
export const migrations = {
  "001-accounts": accountsMigration,
  "002-known-sessions": sessionDetailsMigration,
  "003-api-keys": apiKeysMigration,
  "004-audit": auditMigration,
  "006-factors": factorsMigration,
  "005-providers": providersMigration,
  "007-verified-mail": verifiedMailMigration,
  "008-token-auth": tokenAuthMigration,
  "009-invites": invitesMigration,
  "010-views": viewsMigration,
} as const;
