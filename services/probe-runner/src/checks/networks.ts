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

/** An address of this machine itself: its answer shows nothing about any network. */
export const ownMachine = "own";

const cidrs = (...texts: string[]): Cidr[] => texts.map((text) => parseCidr(text)!);
const privateRanges = cidrs("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7");
const refreshMs = 5000;
const remembered = 10_000;

/**
 * Names the network through which an address is reached, so that hosts are compared with similar ones: this machine,
 * one that an interface is part of, else private or public addresses of a family. When the internet connection is down,
 * a printer that answers is no evidence about it. Never throws.
 */
export function createNetworks(clock: Clock, interfaces: typeof networkInterfaces = networkInterfaces) {
  let readMs = Number.NEGATIVE_INFINITY;
  let own: Cidr[] = [];
  let links: { name: string; range: Cidr }[] = [];
  const known = createCache<string, string>({ max: remembered });

  function refresh() {
    const nowMs = clock.elapsedMs();
    if (nowMs - readMs < refreshMs) return;
    readMs = nowMs;
    let present: ReturnType<typeof interfaces>;
    try {
      present = interfaces();
    } catch {
      // No file descriptor is free, or the system forbids it. Callers are in callbacks of sockets, so nothing is thrown
      // and the last lists stay.
      return;
    }
    known.clear();
    const found = Object.values(present).flatMap((addresses) => addresses ?? []);
    own = cidrs(...found.map(({ address }) => address));
    links = found.flatMap(({ internal, cidr }) => {
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
    let name = known.get(address);
    if (name === undefined) known.set(address, (name = find(address)));
    return name;
  };
}

/**
 * What this machine knows of its way to an address: `none`, no route leads there; `lost`, its router does not answer on
 * the wire; `there`, a route exists; `unknown` if the system does not report it (not Linux).
 */
export type OwnRoute = "none" | "lost" | "there" | "unknown";

interface Route {
  range: Cidr;
  /** Of IPv4, as /proc/net/arp writes it; null where hosts are reached directly. */
  router: string | null;
}

const routesRefreshMs = 500;
const rejects = 0x0200;
const maxLength = 200_000;

/**
 * Reads the kernel's main routing table (proc(5): /proc/net/route, /proc/net/ipv6_route) and its neighbours
 * (/proc/net/arp). IPv6 neighbours are not to be had there.
 */
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
    return ways.every(({ router }) => router !== null && lost.has(router)) ? "lost" : "there";
  };
}

/** Iface Destination Gateway Flags RefCnt Use Metric Mask …; addresses in hex, as a little-endian machine holds them. */
function routes4(text: string): Route[] {
  return rowsOf(text, 1).flatMap(([, destination = "", gateway = "", flags = "", , , , mask = ""]) => {
    if ((Number.parseInt(flags, 16) & rejects) !== 0) return [];
    const prefixBits = [...bytesOf(mask)].reduce((bits, byte) => bits + byte.toString(2).replaceAll("0", "").length, 0);
    const router = gateway === "00000000" ? null : bytesOf(gateway).reverse().join(".");
    return [{ range: { address: addressFromBytes(bytesOf(destination).reverse()), prefixBits }, router }];
  });
}

/** Destination, prefix length, source, prefix length, next hop, metric, references, use, flags, device; all in hex. */
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

/** Neighbours that did not answer for their hardware address (no ATF_COM flag). */
function lostNeighbours(text: string): Set<string> {
  const isLost = ([, , flags = ""]: string[]) => (Number.parseInt(flags, 16) & 0x2) === 0;
  return new Set(
    rowsOf(text, 1)
      .filter(isLost)
      .map(([address = ""]) => address),
  );
}

function rowsOf(text: string, heads: number): string[][] {
  // The routes of a machine with the whole internet's routing table are ignored: reading them would block the event
  // loop.
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
