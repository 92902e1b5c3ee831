import { accountsMigration } from "./001-accounts.ts";

/** By name, without extension: a bundle runs the same ones. */
export const migrations = { "001-accounts": accountsMigration } as const;
