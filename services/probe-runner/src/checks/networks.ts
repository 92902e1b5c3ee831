import { type Cidr, contains, isIpv6, isLoopback, parseAddress, parseCidr } from "@sonde/kit/addresses";
import type { Clock } from "@sonde/kit/time/clock";
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
  const known = new Map<string, string>();

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
    if (name === undefined) {
      if (known.size >= remembered) known.clear();
      known.set(address, (name = find(address)));
    }
    return name;
  };
}
