import { StartupError } from "../service/startup-error.ts";
import { unknownKey } from "../secret-keys.ts";
import type { SecretBox, SecretContext } from "../secrets.ts";
import type { Log } from "../service/log.ts";
import { type Database, retryUntilReady } from "./database.ts";

/** The query returns sealed texts in its column `sealed`. */
export type SealedTexts = { context: SecretContext; query: string };

/** At any depth of a JSON column. */
export const sealedWithin = (table: string, column = "config"): string =>
  `select jsonb_path_query(${column}, 'strict $.**.sealed') #>> '{}' as sealed from ${table}`;

export type KeyCheck = {
  db: Database;
  log: Log;
  secrets: SecretBox;
  texts: readonly SealedTexts[];
  /** `SONDE_ABANDON_SECRETS`. */
  isAbandoned: boolean;
};

const pageRows = 1_000;

/**
 * Refuses to start if the key opens none of the stored secrets: every monitor and alert that needs one would fail. A
 * single readable one is enough, so secrets of a lost key do not prevent a start.
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
  if (isAbandoned) log.warn("stored secrets cannot be opened and must be entered again (SONDE_ABANDON_SECRETS is set)");
  else throw new StartupError(unknownKey);
}
