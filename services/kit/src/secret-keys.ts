import { hkdfSync } from "node:crypto";
import { keyNames, type KeyName, type ServiceName, services } from "@sonde/proto/services";

export type { KeyName };
/** Comma-separated keys for one context, such as `SONDE_KEY_CHECK`; the first seals. */
export type KeyVariable = `SONDE_KEY_${Uppercase<KeyName>}`;
export type ServiceKeys = { readonly [Variable in KeyVariable]?: string | undefined };

export const variableOfKey = (name: KeyName): KeyVariable => `SONDE_KEY_${name.toUpperCase()}` as KeyVariable;
export const keyVariables: readonly KeyVariable[] = keyNames.map(variableOfKey);

/**
 * HKDF info of each key. Unchanged for tokens since version 0.1.0, because sent mails contain them. `v1` is the former
 * key for all contexts.
 */
const purposes: Record<KeyName, string> = {
  check: "sonde secrets v2 monitor-header",
  channel: "sonde secrets v2 notification-channel",
  link: "sonde secrets v2 acknowledge-link",
  confirmation: "sonde token v1 subscription-confirmation",
  unsubscription: "sonde token v1 subscription-end",
  signin: "sonde secrets v2 sign-in",
  callout: "sonde bus callout v1",
  v1: "sonde secrets v1",
  backup: "sonde backup v1",
};

const split = (list: string) => list.split(",").map((key) => key.trim());

/** Comma-separated 32-byte keys in base64. */
export const isKeyList = (list: string): boolean =>
  split(list).every((key) => Buffer.from(key, "base64").length === 32);

/** Contains no secret values. */
export const unknownKey =
  "The secrets in the database were sealed with another key and cannot be opened. Start with the key of this installation, " +
  "in SONDE_SECRET_KEY or in the file secret-key of the data directory. " +
  "If that key is lost, start with SONDE_ABANDON_SECRETS=1 and enter the secrets again.";

/** @throws Error if a key is not 32 bytes in base64 */
export function keysIn(keys: ServiceKeys): Map<KeyName, readonly Buffer[]> {
  const given = new Map<KeyName, readonly Buffer[]>();
  for (const name of keyNames) {
    const list = keys[variableOfKey(name)];
    if (list === undefined) continue;
    if (!isKeyList(list)) throw new Error(`${variableOfKey(name)} must be keys of 32 bytes in base64`);
    given.set(
      name,
      split(list).map((key) => Buffer.from(key, "base64")),
    );
  }
  return given;
}

/**
 * One key per context and master key (HKDF-SHA256 without salt, RFC 5869).
 * @param masters comma-separated, newest first
 * @throws Error if one is not 32 bytes in base64
 */
export function deriveKeys(masters: string): Record<KeyVariable, string> {
  if (!isKeyList(masters)) throw new Error("SONDE_SECRET_KEY must be 32 bytes in base64");
  return Object.fromEntries(
    keyNames.map((name) => [variableOfKey(name), deriveEach(masters, purposes[name])]),
  ) as Record<KeyVariable, string>;
}

/**
 * Keys of one location, with which the checks of remote runners are sealed: they open no other location's.
 * @param keys the keys for checks
 */
export const locationKeys = (keys: string, location: string): string =>
  deriveEach(keys, `sonde location v1 ${location}`);

const deriveEach = (keys: string, purpose: string): string =>
  split(keys)
    .map((key) => hkdfSync("sha256", Buffer.from(key, "base64"), "", purpose, 32))
    .map((key) => Buffer.from(key).toString("base64"))
    .join(",");

export const keyVariablesOf = (service: ServiceName): readonly KeyVariable[] =>
  services[service].keys.map(variableOfKey);
