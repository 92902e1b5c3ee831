import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { type KeyName, keysIn, type ServiceKeys, variableOfKey } from "./secret-keys.ts";

/** A value moved to another context cannot be opened. */
export const secretContexts = {
  /** Named when only headers had secrets. */
  check: "monitor-header",
  acknowledgeLink: "acknowledge-link",
  channel: "notification-channel",
  confirmation: "subscription-confirmation",
  unsubscription: "subscription-end",
  oidcClient: "oidc-client",
  oidcToken: "oidc-token",
  totp: "totp",
} as const;
export type SecretContext = (typeof secretContexts)[keyof typeof secretContexts];

const keyOf: Record<SecretContext, KeyName> = {
  "monitor-header": "check",
  "acknowledge-link": "link",
  "notification-channel": "channel",
  "subscription-confirmation": "confirmation",
  "subscription-end": "unsubscription",
  "oidc-client": "signin",
  "oidc-token": "signin",
  totp: "signin",
};

/** Sealed by the previous version with a key that this service does not have. */
export class FormerSealError extends Error {
  override readonly name = "FormerSealError";
}

/** The previous version had one key for all contexts. */
const [version, formerVersion] = ["v2", "v1"];
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Texts are sealed as `v2.<base64url of nonce, ciphertext, tag>` with the context as additional data, so they open only
 * in their own context. The first key of a context seals, all of them open.
 * @throws Error if a key is missing, or is not 32 bytes in base64
 */
export function secretBox(keys: ServiceKeys) {
  const all = keysIn(keys);
  const ofContext = (context: SecretContext) => ofName(keyOf[context]);
  const ofName = (name: KeyName) => {
    const [first, ...older] = all.get(name) ?? [];
    if (first === undefined) throw new Error(`${variableOfKey(name)} is not set`);
    return [first, ...older] as const;
  };

  /** @throws FormerSealError; Error if no key opens it, the context differs, or the text was changed */
  const open = (sealed: string, context: SecretContext): string => {
    const [prefix, body = ""] = sealed.split(".");
    const bytes = Buffer.from(body, "base64url");
    const isFormer = prefix === formerVersion;
    if (!(isFormer || prefix === version) || bytes.length < nonceBytes + tagBytes) {
      throw new Error("not a sealed secret");
    }
    if (isFormer && !all.has("v1")) throw new FormerSealError("this text was sealed by the previous version");
    const given = isFormer ? ofName("v1") : ofContext(context);
    return decrypt(given.find((key) => opens(key, bytes, context)) ?? given[0], bytes, context).toString();
  };

  return {
    open,
    /** If false, the text should be sealed again. */
    isCurrent: (sealed: string, context: SecretContext): boolean =>
      sealed.startsWith(`${version}.`) &&
      opens(ofContext(context)[0], Buffer.from(sealed.slice(version.length + 1), "base64url"), context),
    /** Deterministic: 43 characters of base64url, 256 bits (HMAC-SHA256 under the context's first key). */
    token: (salt: Uint8Array, context: SecretContext): string =>
      createHmac("sha256", ofContext(context)[0]).update(salt).digest("base64url"),
    seal: (plain: string, context: SecretContext): string =>
      `${version}.${encrypt(ofContext(context)[0], Buffer.from(plain), context).toString("base64url")}`,
  };
}

export type SecretBox = ReturnType<typeof secretBox>;

export const isFormerSeal = (sealed: string): boolean => sealed.startsWith(`${formerVersion}.`);

function opens(key: Buffer, bytes: Buffer, context: SecretContext): boolean {
  try {
    decrypt(key, bytes, context);
    return true;
  } catch {
    return false;
  }
}

/** AES-256-GCM. Returns nonce, ciphertext and tag. */
export function encrypt(key: Buffer, plain: Uint8Array, context = ""): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if the tag does not match key, context and bytes */
export function decrypt(key: Buffer, bytes: Buffer, context = ""): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}

/** Stored in JSON in place of the plain text. */
export type Sealed = { sealed: string };

export const isSealed = (value: unknown): value is Sealed =>
  typeof value === "object" && value !== null && "sealed" in value && typeof value.sealed === "string";

export function mapSealed(value: unknown, replace: (sealed: string) => unknown): unknown {
  if (isSealed(value)) return replace(value.sealed);
  if (Array.isArray(value)) return value.map((item) => mapSealed(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapSealed(part, replace)]));
}
