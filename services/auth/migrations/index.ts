import { accountsMigration } from "./001-accounts.ts";
import { knownSessionsMigration } from "./002-known-sessions.ts";
import { apiKeysMigration } from "./003-api-keys.ts";

/** By name, without extension: a bundle runs the same ones. */
export const migrations = {
  "001-accounts": accountsMigration,
  "002-known-sessions": knownSessionsMigration,
  "003-api-keys": apiKeysMigration,
} as const;
