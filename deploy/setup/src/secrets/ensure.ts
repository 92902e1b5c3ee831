import { StartupError } from "@sonde/kit/service/startup-error";
import type { ServiceKeys } from "@sonde/kit/secret-keys";
import type { Log } from "@sonde/kit/service/log";
import { keyNames } from "@sonde/proto/services";
import { randomBytes, randomInt } from "node:crypto";
import { PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import type { SecretsApi } from "./cluster.ts";

/** Keys of services, and the public key of the callout's issuer. */
type DerivedValues = ServiceKeys & { SONDE_KEY_ISSUER?: string };
type Keys = Readonly<Record<string, string>>;

/**
 * Keeps the Secrets on uninstall: retained volumes need their passwords, and the sealing key exists nowhere else. Without
 * the annotations Argo CD could delete them, because no chart renders them although they have the instance's label.
 */
const keep = {
  "helm.sh/resource-policy": "keep",
  "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
};
/** Concurrent runs may conflict, but each time one of them succeeds. */
const maxAttempts = 20;

/** @throws StartupError if there is no such Secret or key, or the API server refuses */
export async function readKey(cluster: SecretsApi, name: string, key: string): Promise<string> {
  const secret = await read(cluster, name);
  if (secret === undefined) throw new StartupError(`the Secret ${name} does not exist`);
  const value = secret.data?.[key];
  if (value === undefined) throw new StartupError(`The Secret ${name} has no key ${key}.`);
  return Buffer.from(value, "base64").toString("utf8").trim();
}

/**
 * Creates a Secret or adds missing keys. Never changes an existing key unless it is derived. If two runs conflict, the
 * first writer wins and the other reads again.
 * @throws StartupError if the API server refuses
 */
export async function ensureSecret(
  cluster: SecretsApi,
  log: Log,
  name: string,
  keys: Keys,
  { labels, derived = {} }: { labels: Record<string, string>; derived?: DerivedValues },
): Promise<void> {
  const valuesOf = (kinds: Keys) =>
    Object.fromEntries(
      Object.entries(kinds).map(([key, kind]) => [key, Buffer.from(makeValue(kind, derived)).toString("base64")]),
    );
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const secret = await read(cluster, name);
    if (secret === undefined) {
      const metadata = { name, labels, annotations: keep };
      const body = { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data: valuesOf(keys) };
      const created = await cluster.request(
        (api, namespace) => api.createNamespacedSecret({ namespace, body }),
        [409],
        `the Secret ${name} cannot be created`,
      );
      if (created === undefined) continue;
      return log.info({ name, keys: Object.keys(keys) }, "made");
    }
    const { metadata, data = {} } = secret;
    const missing = Object.entries(keys).filter(([key, kind]) =>
      isDerived(kind) ? data[key] !== valuesOf({ [key]: kind })[key] : !Object.hasOwn(data, key),
    );
    if (missing.length === 0) return log.info({ name }, "the Secret is complete");
    const body = {
      metadata: { resourceVersion: metadata?.resourceVersion },
      data: valuesOf(Object.fromEntries(missing)),
    };
    const patched = await cluster.request(
      (api, namespace) =>
        api.patchNamespacedSecret(
          { name, namespace, body },
          setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
        ),
      [404, 409], // Deleted or changed since.
      `the Secret ${name} lacks ${missing.map(([key]) => key).join(", ")} and cannot be changed`,
    );
    if (patched === undefined) continue;
    return log.info({ name, keys: missing.map(([key]) => key) }, "keys written");
  }
  throw new StartupError(`The Secret ${name} changed ${maxAttempts} times while it was written.`);
}

const read = (cluster: SecretsApi, name: string) =>
  cluster.request(
    (api, namespace) => api.readNamespacedSecret({ name, namespace }),
    [404],
    `the Secret ${name} cannot be read`,
  );

const derived = "derived:";

/**
 * True for a valid kind of value: `base64-32`, `code`, `password`, `word:` with a fixed text, or `derived:` with the name
 * of a service key, or `issuer`.
 */
export const isKind = (text: string): boolean =>
  text.startsWith("word:") || isDerived(text) || Object.hasOwn(makers, text);
/** True if the value is derived from the master key and changes with it. */
export const isDerived = (kind: string): boolean =>
  kind.startsWith(derived) && [...keyNames, "issuer"].some((name) => kind === `${derived}${name}`);

// Without ambiguous characters, because users may have to type a code.
const codeLetters = "abcdefghjkmnpqrstuvwxyz23456789";
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const pick = (from: string) => from[randomInt(from.length)] ?? "";
const word = (length: number) => Array.from({ length }, () => pick(codeLetters)).join("");

const makers: Readonly<Record<string, () => string>> = {
  "base64-32": () => randomBytes(32).toString("base64"),
  // 99 bits, in groups that are easy to read aloud.
  code: () => Array.from({ length: 5 }, () => word(4)).join("-"),
  // Used in URLs and configuration files. Starts with a letter, because it could otherwise be parsed as a number.
  password: () => `${pick(letters)}${randomBytes(24).toString("base64url")}`,
};

export function makeValue(kind: string, values: DerivedValues = {}): string {
  if (isDerived(kind)) {
    const variable = `SONDE_KEY_${kind.slice(derived.length).toUpperCase()}`;
    return values[variable as keyof DerivedValues] ?? "";
  }
  if (kind.startsWith("word:")) return kind.slice("word:".length);
  const make = makers[kind];
  if (make === undefined) throw new Error(`unknown kind of secret: ${kind}`);
  return make();
}
