import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const digits = 6;
const secretBytes = 20;
/** Steps before and after the present one, for clocks that differ. */
const tolerance = 1;
/** Steps within which a code is said to be of another time. */
const shownDistance = 10;
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

/** The steps up to `distance` from the present one whose code this is, and that are later than the last one used. */
function matchingSteps(
  secret: Uint8Array,
  code: string,
  { nowMs, lastStep, distance }: { nowMs: number; lastStep: number | null; distance: number },
): number[] {
  const first = stepAt(nowMs) - distance;
  return Array.from({ length: 2 * distance + 1 }, (_, at) => first + at)
    .filter((step) =>
      timingSafeEqual(Buffer.from(hotp(secret, step)), Buffer.from(code.padStart(digits).slice(-digits))),
    )
    .filter((step) => lastStep === null || step > lastStep);
}

/**
 * The step whose code this is, within one of the present; null: none, or not later than the last one that was used.
 * @param code six digits
 */
export const matchingStep = (
  secret: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: number | null = null,
): number | null => matchingSteps(secret, code, { nowMs, lastStep, distance: tolerance })[0] ?? null;

/** Returns the step within five minutes that has this code, if `matchingStep` refused it; otherwise `null`. */
export const stepOfOtherClock = (
  secret: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: number | null = null,
): number | null => matchingSteps(secret, code, { nowMs, lastStep, distance: shownDistance })[0] ?? null;

/** What an app reads from the QR code (the Key URI format of Google Authenticator). */
export function totpUri(secret: Uint8Array, issuer: string, username: string): string {
  // A colon separates the two, and neither may hold one, even encoded.
  const [by, whose] = [issuer, username].map((text) => encodeURIComponent(text.replaceAll(/:+/g, "-")));
  return `otpauth://totp/${by}:${whose}?secret=${base32(secret)}&issuer=${by}`;
}
