import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";

const dayMs = 86_400_000;

/** `p` password, `m` member account, `e` email link, `l` and an id a shared link; `t` and a random id is a ticket. */
export type GrantSource = "p" | "m" | "e" | `t${string}` | `l${string}`;
export type Grant = { source: GrantSource; expiresAtMs: number };

const sources = /^(?:[pme]|t[\w-]{16}|l\d{1,10})$/;
const maxTokenLength = 200;
/** Lifetimes; a member's is shorter because accounts can end. */
const lifeMs = { p: 30 * dayMs, e: 30 * dayMs, l: 30 * dayMs, m: dayMs, t: 60_000 };

/** Tolerated clock difference between gateways. */
const clockToleranceMs = 60_000;

export const grantOf = (source: GrantSource, nowMs: number, endsAtMs = Number.POSITIVE_INFINITY): Grant => ({
  source,
  expiresAtMs: Math.floor(Math.min(nowMs + lifeOf(source), endsAtMs)),
});
const lifeOf = (source: GrantSource): number => lifeMs[source[0] as keyof typeof lifeMs];

export const newTicket = (nowMs: number): Grant => grantOf(`t${randomBytes(12).toString("base64url")}`, nowMs);

/** Without TLS browsers reject cookies with the prefix. */
export const cookieName = (slug: string, isTls: boolean): string => `${isTls ? "__Host-" : ""}sonde-page-${slug}`;

/** The name below a base path, where browsers reject the first prefix. */
export const belowPath = (name: string): string => name.replace(/^__Host-/, "__Secure-");

export function sealGrant(slug: string, key: KeyObject, { source, expiresAtMs }: Grant): string {
  return `${expiresAtMs}.${source}.${macOf(slug, key, expiresAtMs, source).toString("base64url")}`;
}

/** `null` if the signature is invalid, the grant has expired, or it is a ticket from a clock far ahead. */
export function openGrant(slug: string, key: KeyObject, text: string, nowMs: number): Grant | null {
  if (text.length > maxTokenLength) return null;
  const [expires = "", source = "", mac = "", ...rest] = text.split(".");
  if (rest.length > 0 || !/^\d{1,15}$/.test(expires) || !sources.test(source)) return null;
  const grant = { source: source as GrantSource, expiresAtMs: Number(expires) };
  const [given, own] = [Buffer.from(mac, "base64url"), macOf(slug, key, grant.expiresAtMs, grant.source)];
  if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
  const leftMs = grant.expiresAtMs - nowMs;
  const isFromFuture = source.startsWith("t") && leftMs > lifeMs.t + clockToleranceMs;
  return leftMs > 0 && !isFromFuture ? grant : null;
}

const macOf = (slug: string, key: KeyObject, expiresAtMs: number, source: string) =>
  createHmac("sha256", key).update(`${slug}|${expiresAtMs}|${source}`).digest();

export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
