import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const digits = 6;
const secretBytes = 20;
/** Steps before and after the present one, for clocks that differ. */
const tolerance = 1;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const newTotpSecret = (): Buffer => randomBytes(secretBytes);

/** Bytes in base 32 (RFC 4648, §6), without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** The code of a counter (RFC 4226, §5.3), by SHA-1, as all apps take it. */
export function hotp(secret: Uint8Array, counter: number, length = digits): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac("sha1", secret).update(message).digest();
  const number = mac.readUInt32BE(mac[19]! & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** length).padStart(length, "0");
}

/** The step of an instant (RFC 6238, §4.2). */
export const stepAt = (ms: number): number => Math.floor(ms / stepMs);

/**
 * The step whose code this is, within one of the present; null: none, or not later than the last one that was used.
 * @param code six digits
 */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: number | null = null,
): number | null {
  const present = stepAt(nowMs);
  const matching = Array.from({ length: 2 * tolerance + 1 }, (_, at) => present - tolerance + at).filter((step) =>
    timingSafeEqual(Buffer.from(hotp(secret, step)), Buffer.from(code.padStart(digits).slice(-digits))),
  );
  return matching.find((step) => lastStep === null || step > lastStep) ?? null;
}

/** What an app reads from the QR code (the Key URI format of Google Authenticator). */
export function totpUri(secret: Uint8Array, issuer: string, username: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
