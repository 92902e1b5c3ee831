import type { Clock } from "@sonde/kit/time/clock";
import { addressOf, type Cidr, contains, parseAddress } from "@sonde/kit/addresses";
import { readFileSync } from "node:fs";

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

const refreshMs = 500;
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
    if (nowMs - readMs >= refreshMs) {
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
    return [{ range: { address: addressOf(bytesOf(destination).reverse()), prefixBits }, router }];
  });
}

/** Destination, prefix length, source, prefix length, next hop, metric, references, use, flags, device; all in hex. */
function routes6(text: string): Route[] {
  return rowsOf(text, 0).flatMap(([destination = "", prefix = "", , , , , , , flags = "", device]) => {
    if (device === "lo" || (Number.parseInt(flags, 16) & rejects) !== 0) return [];
    return [
      { range: { address: addressOf(bytesOf(destination)), prefixBits: Number.parseInt(prefix, 16) }, router: null },
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
