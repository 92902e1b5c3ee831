import type { Database } from "@sonde/kit/postgres/database";
import { type SecretBox, type Sealed, secretContexts } from "@sonde/kit/secrets";
import { createPrivateKey, type KeyObject } from "node:crypto";

type NewPair = { publicKey: string; privateKey: KeyObject };
type Stored = { publicKey: string; privateKey: Sealed };
type Ctx = { db: Database; secrets: SecretBox };

/**
 * Reads a key pair of the installation, and creates it if there is none. Replaces a pair that no key opens unless it is
 * in use: another replica may have a newer key.
 * @throws Error if no key opens it
 */
export async function readKeyPair(
  { db, secrets }: Ctx,
  table: "push_key" | "report_key",
  make: () => NewPair,
  isInUse: (trx: Database) => Promise<boolean>,
): Promise<NewPair> {
  const { publicKey, privateKey } = await db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ?, 0))", [` ${table}`]);
    const stored = await trx(table).first<{ config: Stored } | undefined>("config");
    if (stored !== undefined && (opens(secrets, stored.config) || (await isInUse(trx)))) return stored.config;
    const made = make();
    const der = made.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url");
    const config = { ...made, privateKey: { sealed: secrets.seal(der, secretContexts.channel) } };
    await trx(table).delete();
    await trx(table).insert({ id: 1, config: JSON.stringify(config) });
    return config;
  });
  const der = Buffer.from(secrets.open(privateKey.sealed, secretContexts.channel), "base64url");
  return { publicKey, privateKey: createPrivateKey({ key: der, format: "der", type: "pkcs8" }) };
}

function opens(secrets: SecretBox, { privateKey }: Stored): boolean {
  try {
    secrets.open(privateKey.sealed, secretContexts.channel);
    return true;
  } catch {
    return false;
  }
}
