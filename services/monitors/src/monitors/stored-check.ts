import type { FieldFault } from "@sonde/kit/errors";
import {
  maskSecrets,
  isCurrent,
  type PlainConfig,
  sealAgain,
  sealOpenTexts as sealOpen,
  type Sealing,
  sealSecrets,
} from "@sonde/kit/sealed-config";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { type Check, kindOf, readCheck } from "@sonde/proto/http/monitors/kinds";
import type { StoredCheck } from "./monitor.ts";

/** A check as people see it: secrets masked. */
export function shownCheck(check: StoredCheck): Check {
  return readCheck({ ...maskSecrets(check), type: check.type });
}

/**
 * A check as it is stored: secrets sealed. A mask means the secret stored under that name, unless the check would send
 * it to another origin.
 * @returns the check, and a fault for each mask without a stored secret
 */
export function storeCheck(
  box: SecretBox,
  given: Check,
  before: StoredCheck | null,
): { check: StoredCheck; faults: FieldFault[] } {
  const former = before?.type === given.type ? before : null;
  const { config, faults } = sealSecrets(sealingOf(box, given.type), given, former);
  return { check: { ...config, type: given.type }, faults };
}

/**
 * Seals texts that were kept in the clear before they counted as secret, and again by the first key what an older one
 * sealed; null if there are none.
 */
export function sealByFirstKey(box: SecretBox, kept: StoredCheck): StoredCheck | null {
  const sealing = sealingOf(box, kept.type);
  const closed = sealOpen(sealing, kept);
  const config = sealAgain(sealing, closed ?? kept) ?? closed;
  return config === null ? null : { ...config, type: kept.type };
}

/** Whether the first key sealed all its secrets. */
export const isSealedByFirstKey = (box: SecretBox, kept: StoredCheck): boolean =>
  isCurrent({ box, context: secretContexts.check }, kept);

function sealingOf(box: SecretBox, type: Check["type"]): Sealing {
  const { secrets, audience } = kindOf(type);
  const read = (config: PlainConfig) => readCheck({ ...config, type });
  return {
    box,
    context: secretContexts.check,
    secrets: (config) => secrets(read(config)),
    audience: (config) => audience(read(config)),
  };
}
