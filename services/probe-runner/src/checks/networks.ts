import {
  addressFromBytes,
  type Cidr,
  contains,
  isIpv6,
  isLoopback,
  parseAddress,
  parseCidr,
} from "@sonde/kit/addresses";
import { createCache } from "@sonde/kit/cache";
import type { Clock } from "@sonde/kit/time/clock";
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";

/** This machine's own addresses. They always answer, so they prove nothing about any network. */
export const ownMachine = "own";

const cidrs = (...texts: string[]): Cidr[] => texts.map((text) => parseCidr(text)!);
const privateRanges = cidrs("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7");
const refreshMs = 5000;
const maxCached = 10_000;

/**
 * Maps addresses to networks, so that hosts are compared only with similar ones: a printer that answers does not prove
 * that the internet connection works. Never throws.
 */
export function createNetworks(clock: Clock, interfaces: typeof networkInterfaces = networkInterfaces) {
  let readMs = Number.NEGATIVE_INFINITY;
  let own: Cidr[] = [];
  let links: { name: string; range: Cidr }[] = [];
  const cached = createCache<string, string>({ max: maxCached });

  function refresh() {
    const nowMs = clock.elapsedMs();
    if (nowMs - readMs < refreshMs) return;
    readMs = nowMs;
    let present: ReturnType<typeof interfaces>;
    try {
      present = interfaces();
    } catch {
      // File descriptors have run out, or the system forbids it. Socket callbacks call this, so keep the previous lists
      // instead of throwing.
      return;
    }
    cached.clear();
    const all = Object.values(present).flatMap((addresses) => addresses ?? []);
    own = cidrs(...all.map(({ address }) => address));
    links = all.flatMap(({ internal, cidr }) => {
      const range = cidr === null || internal ? undefined : parseCidr(cidr);
      return range === undefined ? [] : [{ name: `link ${cidr}`, range }];
    });
  }

  function find(text: string): string {
    const address = parseAddress(text);
    if (address === undefined || isLoopback(text) || own.some((range) => contains(range, address))) return ownMachine;
    const link = links.find(({ range }) => contains(range, address));
    if (link !== undefined) return link.name;
    const family = isIpv6(address) ? "IPv6" : "IPv4";
    return `${privateRanges.some((range) => contains(range, address)) ? "private" : "public"} ${family}`;
  }

  return (address: string): string => {
    refresh();
    let name = cached.get(address);
    if (name === undefined) cached.set(address, (name = find(address)));
    return name;
  };
}

/** `lost`: the router does not answer on the link. `unknown`: the system does not report routes (not Linux). */
export type OwnRoute = "none" | "lost" | "exists" | "unknown";

interface Route {
  range: Cidr;
  /** IPv4 only, as /proc/net/arp writes it; `null` if hosts are reached directly. */
  router: string | null;
}

const routesRefreshMs = 500;
const rejects = 0x0200;
const maxLength = 200_000;

/** Reads Linux's main routing table and IPv4 neighbours (proc(5): /proc/net/route, ipv6_route, arp). */
export function createOwnRoute(clock: Clock, read: (path: string) => string = readText) {
  let readMs = Number.NEGATIVE_INFINITY;
  let routes: Route[] = [];
  let lost = new Set<string>();

  return (address: string): OwnRoute => {
    const nowMs = clock.elapsedMs();
    if (nowMs - readMs >= routesRefreshMs) {
      readMs = nowMs;
      routes = [...routes4(read("/proc/net/route")), ...routes6(read("/proc/net/ipv6_route"))];
      lost = lostNeighbours(read("/proc/net/arp"));
    }
    const parsed = parseAddress(address);
    if (parsed === undefined || routes.length === 0) return "unknown";
    const fitting = routes.filter(({ range }) => contains(range, parsed));
    if (fitting.length === 0) return "none";
    const longest = Math.max(...fitting.map(({ range }) => range.prefixBits));
    const ways = fitting.filter(({ range }) => range.prefixBits === longest);
    return ways.every(({ router }) => router !== null && lost.has(router)) ? "lost" : "exists";
  };
}

/** Columns: Iface Destination Gateway Flags RefCnt Use Metric Mask …; addresses are little-endian hex. */
function routes4(text: string): Route[] {
  return rowsOf(text, 1).flatMap(([, destination = "", gateway = "", flags = "", , , , mask = ""]) => {
    if ((Number.parseInt(flags, 16) & rejects) !== 0) return [];
    const prefixBits = [...bytesOf(mask)].reduce((bits, byte) => bits + byte.toString(2).replaceAll("0", "").length, 0);
    const router = gateway === "00000000" ? null : bytesOf(gateway).reverse().join(".");
    return [{ range: { address: addressFromBytes(bytesOf(destination).reverse()), prefixBits }, router }];
  });
}

/** Hex columns: destination, prefix length, source, prefix length, next hop, metric, references, use, flags, device. */
function routes6(text: string): Route[] {
  return rowsOf(text, 0).flatMap(([destination = "", prefix = "", , , , , , , flags = "", device]) => {
    if (device === "lo" || (Number.parseInt(flags, 16) & rejects) !== 0) return [];
    return [
      {
        range: { address: addressFromBytes(bytesOf(destination)), prefixBits: Number.parseInt(prefix, 16) },
        router: null,
      },
    ];
  });
}

/** Neighbours that did not resolve to a hardware address (no ATF_COM flag). */
function lostNeighbours(text: string): Set<string> {
  const isLost = ([, , flags = ""]: string[]) => (Number.parseInt(flags, 16) & 0x2) === 0;
  return new Set(
    rowsOf(text, 1)
      .filter(isLost)
      .map(([address = ""]) => address),
  );
}

function rowsOf(text: string, heads: number): string[][] {
  // A full internet routing table is ignored: parsing it would block the event loop.
  if (text.length > maxLength) return [];
  const lines = text.split("\n").slice(heads);
  return lines.filter((line) => line.trim() !== "").map((line) => line.trim().split(/\s+/));
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
