import type { Header } from "@sonde/proto/http/monitors/checks/http";
import { isIP } from "node:net";
import { shortestMasked } from "../masks.ts";
import type { Destination, HopRequest } from "./request.ts";

/** `isHostOnly`: subdomains do not receive the cookie (RFC 6265 §5.3). */
type Cookie = { domain: string; isHostOnly: boolean; path: string; isSecure: boolean; name: string; value: string };

const maxCookies = 100;
const maxCookieBytes = 4096;

/** The cookie jar of one check (RFC 6265), initially empty. */
export function createCookies(now: () => number) {
  const stored = new Map<string, Cookie>();
  const values = new Set<string>();
  return {
    /** Returns the request with matching cookies. They override those of the same name in the monitor's headers. */
    onto(request: HopRequest): HopRequest {
      const { destination } = request;
      const own = [...stored.values()].filter((each) => isFor(each, destination));
      if (own.length === 0) return request;
      own.sort((one, other) => other.path.length - one.path.length);
      const names = new Set(own.map(({ name }) => name));
      const isCookie = ({ name }: Header) => name.toLowerCase() === "cookie";
      const ownPairs = request.headers
        .filter(isCookie)
        .flatMap(({ value }) => value.split(";"))
        .map((pair) => pair.trim())
        .filter((pair) => pair !== "" && !names.has(pair.split("=", 1)[0]!.trim()));
      const value = ownPairs.concat(own.map((each) => `${each.name}=${each.value}`)).join("; ");
      return {
        ...request,
        headers: [...request.headers.filter((each) => !isCookie(each)), { name: "Cookie", value }],
      };
    },
    async take(from: Destination, lines: readonly string[]): Promise<void> {
      for (const line of lines) {
        const read = await readCookie(line, from, now());
        if (read === undefined) continue;
        const { cookie, isOver } = read;
        const key = [cookie.domain, cookie.path, cookie.name].join(" ");
        if (isOver) stored.delete(key);
        else if (stored.has(key) || stored.size < maxCookies) {
          stored.set(key, cookie);
          values.add(cookie.value);
        }
      }
    },
    /** Returns a cookie's value; if several have the name, that of the longest path. */
    valueOf(name: string): string | undefined {
      const named = [...stored.values()].filter((each) => each.name === name);
      return named.toSorted((one, other) => other.path.length - one.path.length)[0]?.value;
    },
    /** Values to mask in evidence, including those of removed cookies. */
    secrets: (): string[] => [...values].filter(({ length }) => length >= shortestMasked),
  };
}

export type Cookies = ReturnType<typeof createCookies>;

const isFor = ({ domain, isHostOnly, path, isSecure }: Cookie, destination: Destination) =>
  (isHostOnly ? hostOf(destination) === domain : isWithinDomain(hostOf(destination), domain)) &&
  (destination.secure || !isSecure) &&
  isWithinPath(pathOf(destination), path);

/** Parses a Set-Cookie line (§5.2, §5.3); `undefined` if the cookie is invalid for this response. */
async function readCookie(
  line: string,
  from: Destination,
  nowMs: number,
): Promise<{ cookie: Cookie; isOver: boolean } | undefined> {
  const [pair = "", ...parts] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at).trim();
  const value = pair.slice(at + 1).trim();
  if (at < 0 || name === "" || pair.length > maxCookieBytes || /[^\t\x20-\x7e\x80-\xff]/.test(pair)) return undefined;
  const attributes = new Map(
    parts.map((part) => {
      const [key = "", ...rest] = part.split("=");
      return [key.trim().toLowerCase(), rest.join("=").trim()] as const;
    }),
  );
  const isSecure = attributes.has("secure");
  if (isSecure && !from.secure) return undefined;
  const host = hostOf(from);
  const domain = (attributes.get("domain") ?? "").replace(/^\./, "").toLowerCase();
  const isShared = domain !== "" && (await isPublicSuffix(domain));
  if (domain !== "" && (!isWithinDomain(host, domain) || (isShared && domain !== host))) return undefined;
  const maxAge = attributes.get("max-age") ?? "";
  const isOver = /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : Date.parse(attributes.get("expires") ?? "") <= nowMs;
  const path = attributes.get("path")?.startsWith("/") === true ? attributes.get("path")! : folderOf(pathOf(from));
  const isHostOnly = domain === "" || isShared;
  return { cookie: { domain: domain === "" ? host : domain, isHostOnly, path, isSecure, name, value }, isOver };
}

/** Whether anyone can register names below a domain, so that its hosts are unrelated. */
async function isPublicSuffix(domain: string): Promise<boolean> {
  // The list takes 4 MiB, so load it only for the first cookie with a domain.
  const { getPublicSuffix } = await import("tldts");
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

const hostOf = ({ host }: Destination) => host.toLowerCase();
const isWithinDomain = (host: string, domain: string) =>
  host === domain || (host.endsWith(`.${domain}`) && isIP(host) === 0);

const pathOf = ({ path }: Destination) => path.split("?", 1)[0]!;
/** Default path of a cookie (§5.1.4). */
const folderOf = (path: string) => path.slice(0, Math.max(1, path.lastIndexOf("/")));

const isWithinPath = (path: string, folder: string) =>
  path === folder || (path.startsWith(folder) && (folder.endsWith("/") || path[folder.length] === "/"));
