import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Seals and opens secrets at rest with one key. A sealed text opens only in the context that it was sealed for. */
export interface SecretBox {
  seal(plain: string, context: string): string;
  /** @throws Error when the key or the context is another, or the text was changed. */
  open(sealed: string, context: string): string;
  /**
   * A token that nobody can make without the key, always the same for one context and salt: 43 characters of base64url,
   * 256 bits (HMAC-SHA256 under a key of the context's own).
   */
  token(salt: Uint8Array, context: string): string;
}

/** Every context that secrets are sealed for, so that a value moved from one place to another does not open. */
export const secretContexts = {
  /** Secrets in the configuration of a check; the name is from when headers alone had some. */
  check: "monitor-header",
  /** What a link in a message allows whoever has it. */
  acknowledgeLink: "acknowledge-link",
  /** Secrets in the configuration of a channel. */
  channel: "notification-channel",
  /** The link that confirms a subscription to the public page, and the one that ends it. */
  confirmation: "subscription-confirmation",
  unsubscription: "subscription-end",
} as const;

const version = "v1";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random nonce and the context as additional data: `v1.<base64url of nonce, ciphertext, tag>`.
 * `key` is `SONDE_SECRET_KEY`, 32 bytes in base64; the cipher's own key is derived from it (HKDF, RFC 5869).
 */
export function secretBox(key: string): SecretBox {
  const master = Buffer.from(key, "base64");
  if (master.length !== 32) throw new Error("SONDE_SECRET_KEY must be 32 bytes in base64");
  const keyFor = (info: string) => Buffer.from(hkdfSync("sha256", master, "", info, 32));
  const cipherKey = keyFor("sonde secrets v1");

  return {
    token: (salt, context) =>
      createHmac("sha256", keyFor(`sonde token v1 ${context}`))
        .update(salt)
        .digest("base64url"),
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce);
      cipher.setAAD(Buffer.from(context));
      const parts = [nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `${version}.${Buffer.concat(parts).toString("base64url")}`;
    },
    open(sealed, context) {
      const [prefix, body = ""] = sealed.split(".");
      const bytes = Buffer.from(body, "base64url");
      if (prefix !== version || bytes.length < nonceBytes + tagBytes) throw new Error("not a sealed secret");
      const decipher = createDecipheriv("aes-256-gcm", cipherKey, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const plain = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      return Buffer.concat([plain, decipher.final()]).toString("utf8");
    },
  };
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
