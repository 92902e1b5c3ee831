import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { type KeyName, keysIn, type ServiceKeys, variableOfKey } from "./secret-keys.ts";

/** Every context that secrets are sealed for, so that a value moved from one place to another does not open. */
export const secretContexts = {
  /** Secrets in the configuration of a check; the name is from when headers alone had some. */
  check: "monitor-header",
  /** What a link in a message permits its holder. */
  acknowledgeLink: "acknowledge-link",
  /** Secrets in the configuration of a channel. */
  channel: "notification-channel",
  /** The link that confirms a subscription to the public page, and the one that ends it. */
  confirmation: "subscription-confirmation",
  unsubscription: "subscription-end",
  /** The client secret of a provider that people sign in with, and what it gave to read their roles again. */
  oidcClient: "oidc-client",
  oidcToken: "oidc-token",
  /** What codes of a second factor are made of. */
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

/** The version before sealed a text, under a key that this service does not have. */
export class FormerSealError extends Error {
  override readonly name = "FormerSealError";
}

/** `v1.` texts are of the version before, which had one key for all contexts. */
const [version, formerVersion] = ["v2", "v1"];
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals and opens secrets at rest with the keys that a service was given. A sealed text opens only in the context that it
 * was sealed for; a context without a key is an error. Texts are sealed as `v2.<base64url of nonce, ciphertext, tag>`, with the context as additional data.
 * @param keys a service's configuration, or what `deriveKeys` returned. The first key of a context seals, all open.
 * @throws Error when a key is not 32 bytes in base64
 */
export function secretBox(keys: ServiceKeys) {
  const all = keysIn(keys);
  const ofContext = (context: SecretContext) => ofName(keyOf[context]);
  const ofName = (name: KeyName) => {
    const [first, ...older] = all.get(name) ?? [];
    if (first === undefined) throw new Error(`${variableOfKey(name)} is not given`);
    return [first, ...older] as const;
  };

  /**
   * @throws FormerSealError when the version before sealed it and this service has no key of that version; Error when no
   *   key opens it, the context is another, or the text was changed.
   */
  const open = (sealed: string, context: SecretContext): string => {
    const [prefix, body = ""] = sealed.split(".");
    const bytes = Buffer.from(body, "base64url");
    const isFormer = prefix === formerVersion;
    if (!(isFormer || prefix === version) || bytes.length < nonceBytes + tagBytes) {
      throw new Error("not a sealed secret");
    }
    if (isFormer && !all.has("v1")) throw new FormerSealError("the version before sealed this text");
    const given = isFormer ? ofName("v1") : ofContext(context);
    return decrypt(given.find((key) => opens(key, bytes, context)) ?? given[0], bytes, context).toString();
  };

  return {
    open,
    /** Whether the first key opens it: false for what an older key sealed, which is to be sealed again. */
    isCurrent: (sealed: string, context: SecretContext): boolean =>
      sealed.startsWith(`${version}.`) &&
      opens(ofContext(context)[0], Buffer.from(sealed.slice(version.length + 1), "base64url"), context),
    /**
     * A token that cannot be made without the key, always the same for one context and salt: 43 characters of base64url,
     * 256 bits (HMAC-SHA256 under the context's first key).
     */
    token: (salt: Uint8Array, context: SecretContext): string =>
      createHmac("sha256", ofContext(context)[0]).update(salt).digest("base64url"),
    seal: (plain: string, context: SecretContext): string =>
      `${version}.${encrypt(ofContext(context)[0], Buffer.from(plain), context).toString("base64url")}`,
  };
}

export type SecretBox = ReturnType<typeof secretBox>;

/** Whether the version before sealed a text. */
export const isFormerSeal = (sealed: string): boolean => sealed.startsWith(`${formerVersion}.`);

function opens(key: Buffer, bytes: Buffer, context: SecretContext): boolean {
  try {
    decrypt(key, bytes, context);
    return true;
  } catch {
    return false;
  }
}

/** AES-256-GCM with a random nonce: nonce, ciphertext, tag. It opens with the same key and context alone. */
export function encrypt(key: Buffer, plain: Uint8Array, context = ""): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error when the tag does not fit key, context and bytes */
export function decrypt(key: Buffer, bytes: Buffer, context = ""): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}

/** A secret text where it is kept: in place of the text, in JSON of any shape. */
export type Sealed = { sealed: string };

export const isSealed = (value: unknown): value is Sealed =>
  typeof value === "object" && value !== null && "sealed" in value && typeof value.sealed === "string";

/** A copy of a JSON value in which each sealed text is replaced by another. */
export function mapSealed(value: unknown, replace: (sealed: string) => unknown): unknown {
  if (isSealed(value)) return replace(value.sealed);
  if (Array.isArray(value)) return value.map((item) => mapSealed(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapSealed(part, replace)]));
}
