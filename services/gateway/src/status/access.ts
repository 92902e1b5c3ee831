import { type Cidr, parseCidr } from "@sonde/kit/addresses";
import { isTrusted } from "@sonde/kit/http/caller";
import { isPrivate, type PageAccess, pageAccess } from "@sonde/proto/http/status/access";
import { createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { belowPath, cookieName, cookieOf, type Grant, grantOf, openGrant } from "./grants.ts";

export type CachedAccess = Pick<PageAccess, "mode" | "hosts" | "links"> & {
  slug: string;
  isPrivate: boolean;
  /** `null` if the page has no cookies. */
  key: KeyObject | null;
  allowFrom: readonly Cidr[];
};

export type Visitor = { cookies: string | undefined; address: string; isTls: boolean };

/** Locks a page whose access cannot be read, for example because a later version wrote it. */
export const lockedAccess = (slug: string): CachedAccess => ({
  slug,
  mode: "password",
  isPrivate: true,
  hosts: [],
  links: [],
  key: null,
  allowFrom: [],
});

/** @throws if the value cannot be read */
export function readAccess(slug: string, value: Uint8Array): CachedAccess {
  const access = pageAccess.parse(JSON.parse(Buffer.from(value).toString()));
  const { mode, hosts, links, key } = access;
  const secret = key === undefined ? null : createSecretKey(Buffer.from(key, "base64"));
  // An unreadable network matches nothing: dropping it could lift the restriction.
  const allowFrom = access.allowFrom.map((text) => parseCidr(text) ?? nowhere);
  return { slug, mode, isPrivate: isPrivate(access), hosts, links, key: secret, allowFrom };
}
const nowhere = parseCidr("0.0.0.0/32")!;

export const isAddressAllowed = ({ allowFrom }: CachedAccess, address: string): boolean =>
  allowFrom.length === 0 || isTrusted(address, allowFrom);

/** Decided from memory, so it works while everything else is down. */
export function mayRead(access: CachedAccess, { cookies, address, isTls }: Visitor, nowMs: number): boolean {
  if (!isAddressAllowed(access, address)) return false;
  if (access.mode === "public") return true;
  const name = cookieName(access.slug, isTls);
  const cookie = cookieOf(cookies, name) ?? cookieOf(cookies, belowPath(name));
  if (cookie === undefined || access.key === null) return false;
  const grant = openGrant(access.slug, access.key, cookie, nowMs);
  return grant !== null && !isTicket(grant) && holds(access, grant, nowMs);
}

function holds({ links }: CachedAccess, { source }: Grant, nowMs: number): boolean {
  if (!source.startsWith("l")) return true;
  const link = links.find(({ id }) => `l${id}` === source);
  return link !== undefined && (link.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
}

const isTicket = ({ source }: Grant) => source.startsWith("t");

/** Does not check whether the ticket was used. */
export function findTicket({ slug, key }: CachedAccess, token: string, nowMs: number): Grant | null {
  const grant = key === null ? null : openGrant(slug, key, token, nowMs);
  return grant !== null && isTicket(grant) ? grant : null;
}

/** `null` if the token is invalid or expired. */
export function redeem({ key, links }: CachedAccess, token: string, nowMs: number): Grant | null {
  if (key === null) return null;
  const digest = hash("sha256", token, "buffer");
  for (const { id, hash: known, expiresAtMs = Number.POSITIVE_INFINITY } of links) {
    const own = Buffer.from(known, "base64url");
    if (own.length === digest.length && timingSafeEqual(own, digest) && expiresAtMs > nowMs) {
      return grantOf(`l${id}`, nowMs, expiresAtMs);
    }
  }
  return null;
}
