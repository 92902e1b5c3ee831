import type { Header } from "@sonde/proto/http/monitors/checks/http";
import { isIP } from "node:net";
import { shortestMasked } from "../masks.ts";
import type { Destination, HopRequest } from "./request.ts";

/** `domain`: the hosts below it get the cookie as well, if it is not of its host only (RFC 6265 §5.3). */
type Cookie = { domain: string; isHostOnly: boolean; path: string; isSecure: boolean; name: string; value: string };

/** More are not kept, and none that is longer. */
const maxCookies = 100;
const maxCookieBytes = 4096;

/** The cookies of one check (RFC 6265), as a browser that just started has them. */
export function createCookies(now: () => number) {
  const kept = new Map<string, Cookie>();
  const values = new Set<string>();
  return {
    /** A request with the cookies for its address. One that a header of the monitor has too replaces that. */
    onto(request: HopRequest): HopRequest {
      const { destination } = request;
      const own = [...kept.values()].filter((each) => isFor(each, destination));
      if (own.length === 0) return request;
      own.sort((one, other) => other.path.length - one.path.length);
      const names = new Set(own.map(({ name }) => name));
      const isCookie = ({ name }: Header) => name.toLowerCase() === "cookie";
      const given = request.headers
        .filter(isCookie)
        .flatMap(({ value }) => value.split(";"))
        .map((pair) => pair.trim())
        .filter((pair) => pair !== "" && !names.has(pair.split("=", 1)[0]!.trim()));
      const value = given.concat(own.map((each) => `${each.name}=${each.value}`)).join("; ");
      return {
        ...request,
        headers: [...request.headers.filter((each) => !isCookie(each)), { name: "Cookie", value }],
      };
    },
    /** Notes what the lines of Set-Cookie of a response set, and forgets what they end. */
    async take(from: Destination, lines: readonly string[]): Promise<void> {
      for (const line of lines) {
        const read = await readCookie(line, from, now());
        if (read === undefined) continue;
        const { cookie, isOver } = read;
        const key = [cookie.domain, cookie.path, cookie.name].join(" ");
        if (isOver) kept.delete(key);
        else if (kept.has(key) || kept.size < maxCookies) {
          kept.set(key, cookie);
          values.add(cookie.value);
        }
      }
    },
    /** The value of a cookie by its name; of several, that of the longest path. */
    valueOf(name: string): string | undefined {
      const named = [...kept.values()].filter((each) => each.name === name);
      return named.toSorted((one, other) => other.path.length - one.path.length)[0]?.value;
    },
    /** The values that evidence masks, those of cookies that ended included. */
    secrets: (): string[] => [...values].filter(({ length }) => length >= shortestMasked),
  };
}

export type Cookies = ReturnType<typeof createCookies>;

const isFor = ({ domain, isHostOnly, path, isSecure }: Cookie, destination: Destination) =>
  (isHostOnly ? hostOf(destination) === domain : isWithinDomain(hostOf(destination), domain)) &&
  (destination.secure || !isSecure) &&
  isWithinPath(pathOf(destination), path);

/** Reads a line of Set-Cookie (§5.2, §5.3); undefined if it sets nothing here. */
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
  const asked = (attributes.get("domain") ?? "").replace(/^\./, "").toLowerCase();
  const isShared = asked !== "" && (await isPublicSuffix(asked));
  if (asked !== "" && (!isWithinDomain(host, asked) || (isShared && asked !== host))) return undefined;
  const maxAge = attributes.get("max-age") ?? "";
  const isOver = /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : Date.parse(attributes.get("expires") ?? "") <= nowMs;
  const path = attributes.get("path")?.startsWith("/") === true ? attributes.get("path")! : folderOf(pathOf(from));
  const isHostOnly = asked === "" || isShared;
  return { cookie: { domain: asked === "" ? host : asked, isHostOnly, path, isSecure, name, value }, isOver };
}

/** Whether everyone can register names below a domain, so that its hosts have nothing in common. */
async function isPublicSuffix(domain: string): Promise<boolean> {
  // The list takes 4 MiB: it is loaded for the first such cookie.
  const { getPublicSuffix } = await import("tldts");
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

const hostOf = ({ host }: Destination) => host.toLowerCase();
const isWithinDomain = (host: string, domain: string) =>
  host === domain || (host.endsWith(`.${domain}`) && isIP(host) === 0);

const pathOf = ({ path }: Destination) => path.split("?", 1)[0]!;
/** The path of a cookie that names none (§5.1.4). */
const folderOf = (path: string) => path.slice(0, Math.max(1, path.lastIndexOf("/")));

const isWithinPath = (path: string, folder: string) =>
  path === folder || (path.startsWith(folder) && (folder.endsWith("/") || path[folder.length] === "/"));
