import type { FieldFault } from "@sonde/kit/errors";
import {
  maskSecrets,
  isCurrent,
  openSecrets,
  type PlainConfig,
  sealAgain,
  sealOpenTexts as sealOpen,
  type Sealing,
  sealSecrets,
} from "@sonde/domain/sealed-config";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import type { KeyPair } from "@sonde/proto/http/monitors/checks/kind";
import { type Check, kindOf, readCheck } from "@sonde/proto/http/monitors/kinds";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
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

/** The client certificates of a check that cannot be used with their keys, each with the reason and its path. */
export function keyPairFaults(box: SecretBox, kept: StoredCheck): FieldFault[] {
  const { keyPairs } = kindOf(kept.type);
  if (keyPairs(shownCheck(kept)).length === 0) return [];
  const opened = attempt(() => openSecrets({ box, context: secretContexts.check }, kept));
  // What no key opens is no fault of its form.
  return opened === undefined ? [] : keyPairs(readCheck({ ...opened, type: kept.type })).flatMap(keyPairFault);
}

function keyPairFault({ path, cert, key }: KeyPair): FieldFault[] {
  const certificate = attempt(() => new X509Certificate(cert));
  if (certificate === undefined) return [{ path: `${path}.cert`, message: "This is not a PEM certificate" }];
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(key)) {
    return [{ path: `${path}.key`, message: "The private key is encrypted: enter it without a passphrase" }];
  }
  const privateKey = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) return [{ path: `${path}.key`, message: "This is not a PEM private key" }];
  if (!certificate.checkPrivateKey(privateKey)) {
    return [{ path: `${path}.key`, message: "The private key does not belong to the certificate" }];
  }
  try {
    createSecureContext({ cert, key });
    return [];
  } catch (error) {
    // Another certificate of the chain, or a key that is too short.
    const code = error instanceof Error && "code" in error ? String(error.code).slice(0, 60) : "";
    return [{ path: `${path}.cert`, message: "The certificate cannot be used: {code}", params: { code } }];
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
