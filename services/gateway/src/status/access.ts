import { type Cidr, parseCidr } from "@sonde/kit/addresses";
import { isTrusted } from "@sonde/kit/http/caller";
import { isPrivate, type PageAccess, pageAccess } from "@sonde/proto/http/status/access";
import { createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { cookieName, cookieOf, type Grant, grantOf, openGrant } from "./grants.ts";

/** Who may read a page, ready to be asked for each visitor. */
export type CachedAccess = Pick<PageAccess, "mode" | "hosts" | "links"> & {
  slug: string;
  /** Its documents are for some alone. */
  isPrivate: boolean;
  /** Null: there are no cookies of it. */
  key: KeyObject | null;
  allowFrom: readonly Cidr[];
};

export type Visitor = { cookies: string | undefined; address: string; isTls: boolean };

/** What cannot be read, as of a later version, locks the page. */
export const lockedAccess = (slug: string): CachedAccess => ({
  slug,
  mode: "password",
  isPrivate: true,
  hosts: [],
  links: [],
  key: null,
  allowFrom: [],
});

/** @throws where it cannot be read */
export function readAccess(slug: string, value: Uint8Array): CachedAccess {
  const access = pageAccess.parse(JSON.parse(Buffer.from(value).toString()));
  const { mode, hosts, links, key } = access;
  const secret = key === undefined ? null : createSecretKey(Buffer.from(key, "base64"));
  // What cannot be read matches nothing: a network is never left out.
  const allowFrom = access.allowFrom.map((text) => parseCidr(text) ?? nowhere);
  return { slug, mode, isPrivate: isPrivate(access), hosts, links, key: secret, allowFrom };
}
const nowhere = parseCidr("0.0.0.0/32")!;

/** Whether visitors from an address may read it at all, whatever else they show. */
export const isAddressAllowed = ({ allowFrom }: CachedAccess, address: string): boolean =>
  allowFrom.length === 0 || isTrusted(address, allowFrom);

/** Whether a visitor may read it now: from memory, so that it holds while every other part is down. */
export function mayRead(access: CachedAccess, { cookies, address, isTls }: Visitor, nowMs: number): boolean {
  if (!isAddressAllowed(access, address)) return false;
  if (access.mode === "public") return true;
  const cookie = cookieOf(cookies, cookieName(access.slug, isTls));
  if (cookie === undefined || access.key === null) return false;
  const grant = openGrant(access.slug, access.key, cookie, nowMs);
  return grant !== null && !isTicket(grant) && holds(access, grant, nowMs);
}

/** Whether what a grant is for is still there. */
function holds({ links }: CachedAccess, { source }: Grant, nowMs: number): boolean {
  if (!source.startsWith("l")) return true;
  const link = links.find(({ id }) => `l${id}` === source);
  return link !== undefined && (link.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
}

const isTicket = ({ source }: Grant) => source.startsWith("t");

/** The ticket of a member that a token is, which may have been used; null: it is none, or over. */
export function findTicket({ slug, key }: CachedAccess, token: string, nowMs: number): Grant | null {
  const grant = key === null ? null : openGrant(slug, key, token, nowMs);
  return grant !== null && isTicket(grant) ? grant : null;
}

/** What the token of a shared link is exchanged for; null: it is none, or over. */
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
