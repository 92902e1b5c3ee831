import type { EgressGuard } from "@sonde/kit/egress/guard";
import type { FieldFault } from "@sonde/kit/errors";
import {
  maskSecrets,
  sealOpenTexts,
  type PlainConfig,
  type SealedConfig,
  type Sealing,
  sealSecrets,
  isCurrent,
  sealAgain,
} from "@sonde/domain/sealed-config";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import {
  type ChannelConfig,
  type ChannelTypeName,
  allChannelTypeNames,
  channelTypeOf,
} from "@sonde/proto/http/notifications/channel-types";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import { defaultsOf } from "@sonde/proto/http/monitors/checks/kind";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { channelConfig } from "@sonde/proto/http/notifications/channels";
import { isIP } from "node:net";
import { type SealedTexts, sealedWithin } from "@sonde/kit/postgres/known-key";
import { sealRows } from "@sonde/kit/postgres/sealed-rows";
import type { Database } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";

const byType = <Value>(valueOf: (type: ChannelTypeName) => Value) =>
  Object.fromEntries(allChannelTypeNames.map((type) => [type, valueOf(type)])) as Readonly<
    Record<ChannelTypeName, Value>
  >;

const schemas = byType(channelConfig);
const defaults = byType((type) => defaultsOf(channelTypeOf(type).fields));

/** Adds defaults for fields that were added to the type after the configuration was stored. */
export const configWithDefaults = (type: ChannelTypeName, config: PlainConfig) =>
  ({ ...defaults[type], ...config }) as ChannelConfig<ChannelTypeName>;

export const shownConfig = (type: ChannelTypeName, config: SealedConfig): PlainConfig =>
  configWithDefaults(type, maskSecrets(config, secretsOf(type)));

/**
 * Merges an input into a stored configuration. Absent fields keep their value, `null` clears one, and a mask keeps the
 * stored secret.
 * @returns the configuration, sealed, and every error with its path below `config`
 */
export function applyConfig(
  { guard, secrets }: { guard: EgressGuard; secrets: SecretBox },
  type: ChannelTypeName,
  { given, before }: { given: PlainConfig; before: SealedConfig | null },
): { config: SealedConfig; faults: FieldFault[] } {
  const notStorable = unstorable(given, "config");
  if (notStorable.length > 0) return { config: {}, faults: notStorable };
  const sealing = sealingOf(secrets, type);
  const stored = before && (sealOpenTexts(sealing, before) ?? before);
  const former = stored && shownConfig(type, stored);
  const parsed = schemas[type].safeParse({ ...former, ...given });
  if (!parsed.success) return { config: {}, faults: below(faultsOf(parsed.error.issues)) };
  const whole = withoutAbsent(parsed.data);
  const sealed = sealSecrets(sealing, whole, stored);
  return { config: sealed.config, faults: below([...refusedHosts(guard, type, whole, former), ...sealed.faults]) };
}

/** Returns the paths of strings that PostgreSQL cannot store: those with a NUL character or a lone surrogate. */
function unstorable(value: unknown, path: string): FieldFault[] {
  if (typeof value === "string") {
    return value.includes("\0") || !value.isWellFormed() ? [{ path, message: "This value is not valid" }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => unstorable(part, `${path}.${name}`));
}

const below = (faults: readonly FieldFault[]): FieldFault[] =>
  faults.map((fault) => ({ ...fault, path: fault.path === "" ? "config" : `config.${fault.path}` }));

const withoutAbsent = (config: PlainConfig): PlainConfig =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null && value !== undefined));

const secretsOf = (type: ChannelTypeName) => (config: PlainConfig) =>
  channelTypeOf(type).secrets(configWithDefaults(type, config));

function sealingOf(box: SecretBox, type: ChannelTypeName): Sealing {
  const { audience } = channelTypeOf(type);
  return {
    box,
    context: secretContexts.channel,
    secrets: secretsOf(type),
    audience: (config) => audience(configWithDefaults(type, config)),
  };
}

/** Rejects literal addresses that may not be dialled. Names are resolved and checked at each send. */
function refusedHosts(
  guard: EgressGuard,
  type: ChannelTypeName,
  config: PlainConfig,
  before: PlainConfig | null,
): FieldFault[] {
  const { hosts } = channelTypeOf(type);
  const hostsOf = (given: PlainConfig) => hosts(configWithDefaults(type, given));
  const known = new Set(before === null ? [] : hostsOf(before).map(({ value }) => value));
  return hostsOf(config).flatMap(({ path, value }): FieldFault[] => {
    const host = canonicalHost(value) ?? value;
    const isRefused = !known.has(value) && isIP(host) !== 0 && guard.refusal(host) !== undefined;
    return isRefused ? [{ path, message: "Messages cannot be sent to this address" }] : [];
  });
}

export const sealedTexts: readonly SealedTexts[] = [
  { context: secretContexts.channel, query: sealedWithin("channels") },
];

/** Reseals secrets of a table that were sealed with an older key. @returns how many rows changed */
export function sealChannels(
  { db, log, secrets }: Pick<Context, "db" | "log" | "secrets">,
  table: "channels" | "push_key" | "report_key" = "channels",
): Promise<number> {
  const sealing = { box: secrets, context: secretContexts.channel };
  return sealRows<SealedConfig>({
    db,
    log,
    table,
    seal: (config) => sealAgain(sealing, config),
    isCurrent: (config) => isCurrent(sealing, config),
    write: (trx, rows) =>
      trx.raw(
        `update ${table} set config = given.config
         from unnest(?::int[], ?::jsonb[]) as given (id, config) where ${table}.id = given.id`,
        [rows.map(({ id }) => id), rows.map(({ config }) => JSON.stringify(config))],
      ),
  });
}

/**
 * Seals strings that were stored as plain text before they counted as secret, such as webhook addresses. Not a
 * migration, because only the service has the key.
 * @returns how many channels changed
 */
export const sealOpenSecrets = (db: Database, secrets: SecretBox): Promise<number> =>
  db.transaction(async (trx) => {
    let changed = 0;
    for (const { id, type, config } of await trx<{ id: number; type: ChannelTypeName; config: SealedConfig }>(
      "channels",
    )
      .orderBy("id")
      .forUpdate()) {
      const sealed = sealOpenTexts(sealingOf(secrets, type), config);
      if (sealed === null) continue;
      await trx("channels")
        .where({ id })
        .update({ config: JSON.stringify(sealed) });
      changed += 1;
    }
    return changed;
  });
