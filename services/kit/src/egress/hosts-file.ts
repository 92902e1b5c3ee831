import { isIP } from "node:net";
import type { Addresses } from "./name-servers.ts";

/** Names of a hosts file (lower case) and their addresses, see hosts(5). */
export function parseHosts(text: string): Map<string, Addresses> {
  const hosts = new Map<string, Addresses>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const [first = address, ...rest] = hosts.get(key) ?? [];
      hosts.set(key, first === address || rest.includes(address) ? [first, ...rest] : [first, ...rest, address]);
    }
  }
  return hosts;
}
