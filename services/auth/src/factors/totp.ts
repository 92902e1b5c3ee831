import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const digits = 6;
const secretBytes = 20;
/** Accepted steps before and after the current one, to allow for clock differences. */
const tolerance = 1;
/** Steps within which a wrong code is reported as a clock problem. */
const reportedDistance = 10;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const newTotpSecret = (): Buffer => randomBytes(secretBytes);

/** RFC 4648, §6, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** RFC 4226, §5.3. SHA-1 is the only algorithm that all apps support. */
export function hotp(secret: Uint8Array, counter: number, length = digits): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac("sha1", secret).update(message).digest();
  const number = mac.readUInt32BE(mac[19]! & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** length).padStart(length, "0");
}

/** RFC 6238, §4.2. */
export const stepAt = (ms: number): number => Math.floor(ms / stepMs);

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

/** `null` if no step within the tolerance matches, or it is not later than `lastStep`. @param code six digits */
export const matchingStep = (
  secret: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: number | null = null,
): number | null => matchingSteps(secret, code, { nowMs, lastStep, distance: tolerance })[0] ?? null;

/** Finds a match within five minutes; for codes that `matchingStep` rejected. */
export const stepOutsideTolerance = (
  secret: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: number | null = null,
): number | null => matchingSteps(secret, code, { nowMs, lastStep, distance: reportedDistance })[0] ?? null;

/** For the QR code (Google Authenticator's Key URI format). */
export function totpUri(secret: Uint8Array, issuer: string, username: string): string {
  // A colon separates issuer and user; neither may contain one, even encoded.
  const [by, whose] = [issuer, username].map((text) => encodeURIComponent(text.replaceAll(/:+/g, "-")));
  return `otpauth://totp/${by}:${whose}?secret=${base32(secret)}&issuer=${by}`;
}
