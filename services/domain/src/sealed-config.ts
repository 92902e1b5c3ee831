import type { AuditField, AuditPath } from "@sonde/proto/http/audit";
import type { SecretText } from "@sonde/proto/http/monitors/checks/kind";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import { secretMask } from "@sonde/proto/http/secrets";
import { isFormerSeal, isSealed, mapSealed, type SecretBox, type SecretContext } from "@sonde/kit/secrets";

/** A configuration in which some texts are secret. */
export type PlainConfig = Record<string, unknown>;
/** The same as it is kept: each secret is sealed in place. */
export type SealedConfig = Record<string, unknown>;

/** What is known of the secrets of one type of configuration. */
export type Sealing = {
  box: SecretBox;
  context: SecretContext;
  /** The places of its secrets. Those of one name match each other, in their order. */
  secrets(config: PlainConfig): SecretText[];
  /** The recipient of the secrets. When it changes they must be entered again. */
  audience(config: PlainConfig): string;
};

/** A configuration as people see it: each secret masked. */
export function maskSecrets(config: SealedConfig, secrets: Sealing["secrets"] = () => []): PlainConfig {
  const masked = mapSealed(config, () => secretMask) as PlainConfig;
  // What counts as secret since a newer version may wait in the clear to be sealed.
  for (const { path } of secrets(masked)) replaceAt(masked, path, secretMask);
  return masked;
}

/** A configuration with its secrets in the clear. @throws Error when another key sealed one */
export const openSecrets = ({ box, context }: Pick<Sealing, "box" | "context">, config: SealedConfig): PlainConfig =>
  mapSealed(config, (sealed) => box.open(sealed, context)) as PlainConfig;

/**
 * Seals the secrets of a configuration. A mask means the secret stored under that name, unless it would be sent to
 * another recipient: otherwise any editor could redirect it to a server of their own.
 * @returns the configuration as it is stored, and a fault for each mask without a stored secret
 */
export function sealSecrets(
  sealing: Sealing,
  given: PlainConfig,
  before: SealedConfig | null,
): { config: SealedConfig; faults: FieldFault[] } {
  const { box, context } = sealing;
  const config = copyOf(given);
  const faults: FieldFault[] = [];
  const stored = before === null ? [] : sealedTexts(sealing, before);
  // Of several with one name, each is taken once, in order.
  const take = (fits: (one: (typeof stored)[number]) => boolean) => {
    const at = stored.findIndex(fits);
    return at < 0 ? undefined : stored.splice(at, 1)[0];
  };
  const named = sealing.secrets(given).map((text) => ({ ...text, own: take(({ name }) => name === text.name) }));
  const secrets = named.map(({ path, kin, audience, own }) => {
    const isLost = own === undefined && kin !== undefined && textAt(config, path) === secretMask;
    const ofKin = () => take((one) => one.kin === kin && one.audience === audience) ?? take((one) => one.kin === kin);
    const found = isLost ? ofKin() : own;
    const isOwnMoved = audience === undefined ? undefined : found !== undefined && found.audience !== audience;
    return { path, value: String(textAt(config, path)), kept: found?.sealed, isOwnMoved };
  });
  const isMoved = before !== null && audienceOf(sealing, before) !== audienceOf(sealing, withKept(given, secrets));
  for (const { path, value, kept, isOwnMoved = isMoved } of secrets) {
    const fault = (message: FieldFault["message"]) => faults.push({ path: path.join("."), message });
    if (value !== secretMask) {
      const isSame = kept !== undefined && opened(sealing, kept) === value;
      replaceAt(config, path, { sealed: isSame ? kept : box.seal(value, context) });
    } else if (kept === undefined) fault("This secret value is not stored yet: please enter it");
    else if (isOwnMoved) fault("The address has changed: enter this secret value again");
    else replaceAt(config, path, { sealed: kept });
  }
  return { config, faults };
}

/** Seals texts that were kept in the clear before they counted as secret; null if there are none. */
export function sealOpenTexts(sealing: Sealing, kept: SealedConfig): SealedConfig | null {
  const open = sealing.secrets(maskSecrets(kept)).filter(({ path }) => !isSealed(textAt(kept, path)));
  if (open.length === 0) return null;
  const config = copyOf(kept);
  for (const { path } of open) {
    replaceAt(config, path, { sealed: sealing.box.seal(String(textAt(config, path)), sealing.context) });
  }
  return config;
}

/** Seals again by the first key what an older one sealed; null if there is none. What no key opens stays as it is. */
export function sealAgain({ box, context }: Pick<Sealing, "box" | "context">, kept: SealedConfig): SealedConfig | null {
  let isChanged = false;
  const config = mapSealed(kept, (sealed) => {
    const plain = box.isCurrent(sealed, context) ? undefined : opened({ box, context }, sealed);
    if (plain === undefined) return { sealed };
    isChanged = true;
    return { sealed: box.seal(plain, context) };
  });
  return isChanged ? (config as SealedConfig) : null;
}

/** Whether the first key sealed every secret of it. */
export const isCurrent = ({ box, context }: Pick<Sealing, "box" | "context">, kept: SealedConfig): boolean =>
  sealedIn(kept).every((sealed) => box.isCurrent(sealed, context));

/** Whether the version before sealed a secret of it. */
export const hasFormerSeal = (kept: SealedConfig): boolean => sealedIn(kept).some(isFormerSeal);

function sealedIn(kept: SealedConfig): string[] {
  const found: string[] = [];
  mapSealed(kept, (sealed) => void found.push(sealed));
  return found;
}

/**
 * Paths of the secrets that differ between two configurations, which look alike where they are masked.
 * @param within the audited field that holds the configuration; empty if its fields are audited themselves
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
    const kept = textAt(config, path);
    return isSealed(kept) ? [{ ...text, sealed: kept.sealed }] : [];
  });
}

/** A sealed text in the clear; undefined where another key sealed it. */
function opened({ box, context }: Pick<Sealing, "box" | "context">, sealed: string): string | undefined {
  try {
    return box.open(sealed, context);
  } catch {
    return undefined;
  }
}

type Kept = { path: SecretText["path"]; value: string; kept: string | undefined };

/** The given configuration with the stored secret in place of each mask. */
function withKept(given: PlainConfig, secrets: readonly Kept[]): SealedConfig {
  const config = copyOf(given);
  for (const { path, value, kept } of secrets) {
    if (value === secretMask && kept !== undefined) replaceAt(config, path, { sealed: kept });
  }
  return config;
}

/** An address may be a secret itself, so the audience is computed from the stored value, not from its mask. */
function audienceOf(sealing: Sealing, config: SealedConfig): string {
  return sealing.audience(mapSealed(config, (sealed) => opened(sealing, sealed) ?? secretMask) as PlainConfig);
}

/** A copy that shares nothing with it, not even what it holds twice. */
const copyOf = (config: PlainConfig) => JSON.parse(JSON.stringify(config)) as PlainConfig;

type Node = Record<string | number, unknown>;

function textAt(config: PlainConfig, path: SecretText["path"]): unknown {
  return path.reduce<unknown>((node, step) => (node as Node)[step], config);
}

function replaceAt(config: PlainConfig, path: SecretText["path"], value: unknown): void {
  const last = path.at(-1);
  if (last !== undefined) (textAt(config, path.slice(0, -1)) as Node)[last] = value;
}
