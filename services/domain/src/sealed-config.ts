import type { AuditField, AuditPath } from "@sonde/proto/http/audit";
import type { SecretText } from "@sonde/proto/http/monitors/checks/kind";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import { secretMask } from "@sonde/proto/http/secrets";
import { isFormerSeal, isSealed, mapSealed, type SecretBox, type SecretContext } from "@sonde/kit/secrets";

export type PlainConfig = Record<string, unknown>;
/** Each secret is sealed in place. */
export type SealedConfig = Record<string, unknown>;

export type Sealing = {
  box: SecretBox;
  context: SecretContext;
  /** Secrets of the same name match each other in order. */
  secrets(config: PlainConfig): SecretText[];
  /** Recipient of the secrets. If it changes, they must be entered again. */
  audience(config: PlainConfig): string;
};

export function maskSecrets(config: SealedConfig, secrets: Sealing["secrets"] = () => []): PlainConfig {
  const masked = mapSealed(config, () => secretMask) as PlainConfig;
  // Fields that became secret in a newer version may not be sealed yet.
  for (const { path } of secrets(masked)) replaceAt(masked, path, secretMask);
  return masked;
}

/** @throws Error if a secret was sealed with another key */
export const openSecrets = ({ box, context }: Pick<Sealing, "box" | "context">, config: SealedConfig): PlainConfig =>
  mapSealed(config, (sealed) => box.open(sealed, context)) as PlainConfig;

/**
 * A mask keeps the stored secret of the same name, unless it would be sent to another recipient: otherwise any editor
 * could redirect it to their own server.
 * @returns the configuration to store, and an error for each mask without a stored secret
 */
export function sealSecrets(
  sealing: Sealing,
  given: PlainConfig,
  before: SealedConfig | null,
): { config: SealedConfig; faults: FieldFault[] } {
  const { box, context } = sealing;
  const config = copyOf(given);
  const faults: FieldFault[] = [];
  const storedTexts = before === null ? [] : sealedTexts(sealing, before);
  const take = (fits: (one: (typeof storedTexts)[number]) => boolean) => {
    const at = storedTexts.findIndex(fits);
    return at < 0 ? undefined : storedTexts.splice(at, 1)[0];
  };
  const named = sealing.secrets(given).map((text) => ({ ...text, own: take(({ name }) => name === text.name) }));
  const secrets = named.map(({ path, kin, audience, own }) => {
    const isLost = own === undefined && kin !== undefined && textAt(config, path) === secretMask;
    const ofKin = () => take((one) => one.kin === kin && one.audience === audience) ?? take((one) => one.kin === kin);
    const found = isLost ? ofKin() : own;
    const isOwnMoved = audience === undefined ? undefined : found !== undefined && found.audience !== audience;
    return { path, value: String(textAt(config, path)), stored: found?.sealed, isOwnMoved };
  });
  const isMoved = before !== null && audienceOf(sealing, before) !== audienceOf(sealing, withStored(given, secrets));
  for (const { path, value, stored, isOwnMoved = isMoved } of secrets) {
    const fault = (message: FieldFault["message"]) => faults.push({ path: path.join("."), message });
    if (value !== secretMask) {
      const isSame = stored !== undefined && opened(sealing, stored) === value;
      replaceAt(config, path, { sealed: isSame ? stored : box.seal(value, context) });
    } else if (stored === undefined) fault("No value is stored for this secret yet: please enter one");
    else if (isOwnMoved) fault("The address has changed: enter this secret value again");
    else replaceAt(config, path, { sealed: stored });
  }
  return { config, faults };
}

/** Seals fields stored in plain text before they became secret; `null` if there are none. */
export function sealOpenTexts(sealing: Sealing, stored: SealedConfig): SealedConfig | null {
  const open = sealing.secrets(maskSecrets(stored)).filter(({ path }) => !isSealed(textAt(stored, path)));
  if (open.length === 0) return null;
  const config = copyOf(stored);
  for (const { path } of open) {
    replaceAt(config, path, { sealed: sealing.box.seal(String(textAt(config, path)), sealing.context) });
  }
  return config;
}

/** `null` if the first key sealed all. Secrets that no key opens are unchanged. */
export function sealAgain(
  { box, context }: Pick<Sealing, "box" | "context">,
  stored: SealedConfig,
): SealedConfig | null {
  let isChanged = false;
  const config = mapSealed(stored, (sealed) => {
    const plain = box.isCurrent(sealed, context) ? undefined : opened({ box, context }, sealed);
    if (plain === undefined) return { sealed };
    isChanged = true;
    return { sealed: box.seal(plain, context) };
  });
  return isChanged ? (config as SealedConfig) : null;
}

export const isCurrent = ({ box, context }: Pick<Sealing, "box" | "context">, stored: SealedConfig): boolean =>
  sealedIn(stored).every((sealed) => box.isCurrent(sealed, context));

export const hasFormerSeal = (stored: SealedConfig): boolean => sealedIn(stored).some(isFormerSeal);

function sealedIn(stored: SealedConfig): string[] {
  const found: string[] = [];
  mapSealed(stored, (sealed) => void found.push(sealed));
  return found;
}

/**
 * Compares sealed texts, since masked they look alike.
 * @param within the audited field with the configuration; empty if its fields are audited themselves
 */
export const changedSecrets = (before: unknown, after: unknown, within: AuditField | "" = ""): AuditPath[] =>
  changedWithin(before, after, within) as AuditPath[];

function changedWithin(before: unknown, after: unknown, within: string): string[] {
  if (isSealed(before) && isSealed(after)) return before.sealed === after.sealed ? [] : [within];
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) return [];
  return Object.entries(after).flatMap(([name, part]) =>
    changedWithin((before as Node)[name], part, within === "" ? name : `${within}.${name}`),
  );
}

function sealedTexts({ secrets }: Sealing, config: SealedConfig): (Omit<SecretText, "path"> & { sealed: string })[] {
  return secrets(maskSecrets(config)).flatMap(({ path, ...text }) => {
    const stored = textAt(config, path);
    return isSealed(stored) ? [{ ...text, sealed: stored.sealed }] : [];
  });
}

/** `undefined` if another key sealed it. */
function opened({ box, context }: Pick<Sealing, "box" | "context">, sealed: string): string | undefined {
  try {
    return box.open(sealed, context);
  } catch {
    return undefined;
  }
}

type StoredSecret = { path: SecretText["path"]; value: string; stored: string | undefined };

function withStored(given: PlainConfig, secrets: readonly StoredSecret[]): SealedConfig {
  const config = copyOf(given);
  for (const { path, value, stored } of secrets) {
    if (value === secretMask && stored !== undefined) replaceAt(config, path, { sealed: stored });
  }
  return config;
}

/** The address may be secret itself, so this uses the stored value, not the mask. */
function audienceOf(sealing: Sealing, config: SealedConfig): string {
  return sealing.audience(mapSealed(config, (sealed) => opened(sealing, sealed) ?? secretMask) as PlainConfig);
}

/** A deep copy in which no object occurs twice. */
const copyOf = (config: PlainConfig) => JSON.parse(JSON.stringify(config)) as PlainConfig;

type Node = Record<string | number, unknown>;

function textAt(config: PlainConfig, path: SecretText["path"]): unknown {
  return path.reduce<unknown>((node, step) => (node as Node)[step], config);
}

function replaceAt(config: PlainConfig, path: SecretText["path"], value: unknown): void {
  const last = path.at(-1);
  if (last !== undefined) (textAt(config, path.slice(0, -1)) as Node)[last] = value;
}
