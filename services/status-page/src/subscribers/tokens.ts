import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { createHash, randomBytes } from "node:crypto";

const saltBytes = 32;

/** The stored part of a token: enough to recognise it, and to make it again with the key of this installation. */
export type KeptToken = { hash: Buffer; salt: Buffer };

/** A new token of 256 bits, in its stored form: the token itself is derived when a mail needs it, and never stored. */
export function newToken(secrets: SecretBox, purpose: "confirmation" | "unsubscription"): KeptToken {
  const salt = randomBytes(saltBytes);
  return { salt, hash: tokenHash(secrets.token(salt, secretContexts[purpose])) };
}

export const confirmToken = (secrets: SecretBox, salt: Uint8Array): string =>
  secrets.token(salt, secretContexts.confirmation);
export const unsubscribeToken = (secrets: SecretBox, salt: Uint8Array): string =>
  secrets.token(salt, secretContexts.unsubscription);

export const tokenHash = (token: string): Buffer => createHash("sha256").update(token).digest();
