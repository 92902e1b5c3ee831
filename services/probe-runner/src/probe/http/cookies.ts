import type { Header } from "@sonde/proto/http/monitors/checks/http";
import type { IncomingHttpHeaders } from "node:http";
import { type Destination, type HopRequest, originOf } from "./request.ts";

type Cookie = { origin: string; path: string; name: string; value: string };

/** More are not kept, and none that is longer. */
const mostCookies = 100;
const longestCookie = 4096;

/** Cookies of one run (RFC 6265). Each is sent to the origin that set it alone: `Domain` widens nothing. */
export function createCookies(now: () => number) {
  const kept = new Map<string, Cookie>();
  const values = new Set<string>();
  return {
    /** A request with the cookies for its address. */
    onto(request: HopRequest): HopRequest {
      const origin = originOf(request.destination);
      const path = pathOf(request.destination);
      const own = [...kept.values()].filter((each) => each.origin === origin && isWithin(path, each.path));
      if (own.length === 0) return request;
      own.sort((one, other) => other.path.length - one.path.length);
      const isCookie = ({ name }: Header) => name.toLowerCase() === "cookie";
      const given = request.headers.filter(isCookie).map(({ value }) => value);
      const value = given.concat(own.map((each) => `${each.name}=${each.value}`)).join("; ");
      return {
        ...request,
        headers: [...request.headers.filter((each) => !isCookie(each)), { name: "Cookie", value }],
      };
    },
    /** Notes what an answer sets, and forgets what it ends. */
    take(from: Destination, headers: IncomingHttpHeaders): void {
      for (const line of headers["set-cookie"] ?? []) {
        const read = readCookie(line, from, now());
        if (read === undefined) continue;
        const { cookie, isOver } = read;
        const key = [cookie.origin, cookie.path, cookie.name].join(" ");
        if (isOver) kept.delete(key);
        else if (kept.has(key) || kept.size < mostCookies) {
          kept.set(key, cookie);
          values.add(cookie.value);
        }
      }
    },
    /** All that there were, those that ended included. */
    values: (): Iterable<string> => values,
  };
}

export type Cookies = ReturnType<typeof createCookies>;

/** Reads a line of Set-Cookie (§5.2); undefined where it sets nothing here. */
function readCookie(line: string, from: Destination, nowMs: number): { cookie: Cookie; isOver: boolean } | undefined {
  const [pair = "", ...parts] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at).trim();
  const value = pair.slice(at + 1).trim();
  if (at < 0 || name === "" || pair.length > longestCookie || /[^\t\x20-\x7e\x80-\xff]/.test(pair)) return undefined;
  const attributes = new Map(
    parts.map((part) => {
      const [key = "", ...rest] = part.split("=");
      return [key.trim().toLowerCase(), rest.join("=").trim()] as const;
    }),
  );
  if (attributes.has("secure") && !from.secure) return undefined;
  const maxAge = attributes.get("max-age") ?? "";
  const isOver = /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : Date.parse(attributes.get("expires") ?? "") <= nowMs;
  const path = attributes.get("path")?.startsWith("/") === true ? attributes.get("path")! : folderOf(pathOf(from));
  return { cookie: { origin: originOf(from), path, name, value }, isOver };
}

const pathOf = ({ path }: Destination) => path.split("?", 1)[0]!;
/** The path of a cookie that names none (§5.1.4). */
const folderOf = (path: string) => path.slice(0, Math.max(1, path.lastIndexOf("/")));

const isWithin = (path: string, folder: string) =>
  path === folder || (path.startsWith(folder) && (folder.endsWith("/") || path[folder.length] === "/"));
