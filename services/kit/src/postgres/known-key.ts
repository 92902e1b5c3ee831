import { StartupError } from "../service/startup-error.ts";
import { unknownKey } from "../secret-keys.ts";
import type { SecretBox, SecretContext } from "../secrets.ts";
import type { Log } from "../service/log.ts";
import { type Database, retryUntilReady } from "./database.ts";

/** Sealed texts that a service stores: a query whose column `sealed` has them. */
export type SealedTexts = { context: SecretContext; query: string };

/** The sealed texts at any depth of a table's column of JSON. */
export const sealedWithin = (table: string, column = "config"): string =>
  `select jsonb_path_query(${column}, 'strict $.**.sealed') #>> '{}' as sealed from ${table}`;

export type KeyCheck = {
  db: Database;
  log: Log;
  secrets: SecretBox;
  texts: readonly SealedTexts[];
  /** `SONDE_ABANDON_SECRETS`: starts all the same. */
  isAbandoned: boolean;
};

const pageRows = 1_000;

/**
 * Refuses to start with a key that opens nothing of what a service has sealed: new secrets would be sealed with it, and
 * every monitor and alert that needs an old one would fail. Usually reads one page; one text that opens is enough, so that
 * a secret that an earlier lost key sealed prevents no start.
 * @throws StartupError
 */
export async function refuseUnknownKey({ db, log, secrets, texts, isAbandoned }: KeyCheck): Promise<void> {
  const pageOf = async (query: string, offset: number): Promise<string[]> => {
    const page = `select sealed from (${query}) as texts where sealed like 'v_.%' limit ? offset ?`;
    const { rows } = await retryUntilReady(log, () => db.raw<{ rows: { sealed: string }[] }>(page, [pageRows, offset]));
    return rows.map(({ sealed }) => sealed);
  };
  const opens = (sealed: string, context: SecretContext): boolean => {
    try {
      secrets.open(sealed, context);
      return true;
    } catch {
      return false;
    }
  };
  let hasSecrets = false;
  for (const { context, query } of texts) {
    let page: string[];
    for (let offset = 0; (page = await pageOf(query, offset)).length > 0; offset += pageRows) {
      if (page.some((sealed) => opens(sealed, context))) return;
      hasSecrets = true;
    }
  }
  if (!hasSecrets) return;
  if (isAbandoned)
    log.warn("stored secrets do not open and have to be entered again, as SONDE_ABANDON_SECRETS accepts");
  else throw new StartupError(unknownKey);
}
