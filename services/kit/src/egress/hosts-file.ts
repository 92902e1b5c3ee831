import { isIP } from "node:net";

/** Names of a hosts file (lower case) and their addresses, see hosts(5). */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const known = hosts.get(key) ?? [];
      if (!known.includes(address)) hosts.set(key, [...known, address]);
    }
  }
  return hosts;
}
