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

/** Secrets are masked. */
export function shownCheck(check: StoredCheck): Check {
  return readCheck({ ...maskSecrets(check), type: check.type });
}

/**
 * A mask stands for the stored secret of that name, unless the check would send it to another origin.
 * @returns the check, and an error for each mask without a stored secret
 */
export function storeCheck(
  box: SecretBox,
  input: Check,
  before: StoredCheck | null,
): { check: StoredCheck; faults: FieldFault[] } {
  const former = before?.type === input.type ? before : null;
  const { config, faults } = sealSecrets(sealingOf(box, input.type), input, former);
  return { check: { ...config, type: input.type }, faults };
}

/** `null` if no secret is in the clear or sealed by an older key. */
export function sealByFirstKey(box: SecretBox, stored: StoredCheck): StoredCheck | null {
  const sealing = sealingOf(box, stored.type);
  const closed = sealOpen(sealing, stored);
  const config = sealAgain(sealing, closed ?? stored) ?? closed;
  return config === null ? null : { ...config, type: stored.type };
}

export const isSealedByFirstKey = (box: SecretBox, stored: StoredCheck): boolean =>
  isCurrent({ box, context: secretContexts.check }, stored);

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

export function keyPairErrors(box: SecretBox, stored: StoredCheck): FieldFault[] {
  const { keyPairs } = kindOf(stored.type);
  if (keyPairs(shownCheck(stored)).length === 0) return [];
  const opened = attempt(() => openSecrets({ box, context: secretContexts.check }, stored));
  // Secrets that no key opens cannot be validated.
  return opened === undefined ? [] : keyPairs(readCheck({ ...opened, type: stored.type })).flatMap(keyPairError);
}

function keyPairError({ path, cert, key }: KeyPair): FieldFault[] {
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
    // For example an invalid certificate in the chain, or a key that is too short.
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
