import { contains, parseAddress, parseCidr, type Cidr } from "./addresses.ts";
import { embeddedIpv4 } from "./embedded.ts";

/** Decides which addresses Sonde may dial on somebody's behalf. */
export interface EgressGuard {
  /** Why this address (text of an IPv4 or IPv6 address) may not be dialled; undefined where it may. */
  refusal(address: string): string | undefined;
}

// Contract §3, Targets. Metadata services hand out the machine's own credentials; the rest is never a target.
const alwaysForbidden: readonly (readonly [range: string, name: string])[] = [
  ["0.0.0.0/8", "an unspecified address"],
  ["169.254.0.0/16", "a link-local address"],
  ["100.100.100.200/32", "a cloud metadata address"],
  ["168.63.129.16/32", "a cloud metadata address"],
  ["192.0.0.192/32", "a cloud metadata address"],
  ["224.0.0.0/4", "a multicast address"],
  ["255.255.255.255/32", "a broadcast address"],
  ["::/128", "an unspecified address"],
  ["fe80::/10", "a link-local address"],
  ["fd00:ec2::254/128", "a cloud metadata address"],
  ["fd20:ce::254/128", "a cloud metadata address"],
  ["ff00::/8", "a multicast address"],
];

interface Rule {
  range: Cidr;
  name: string;
}

/**
 * The one guard of all outgoing requests to addresses that people name.
 * `denyCidrs` is what PROBE_DENY_CIDRS adds to the ranges that are always forbidden; a fault in it throws.
 */
export function createGuard({ denyCidrs = [] }: { denyCidrs?: readonly string[] } = {}): EgressGuard {
  const rules = [...alwaysForbidden, ...denyCidrs.map((range) => [range, "denied by PROBE_DENY_CIDRS"] as const)].map(
    ([text, name]): Rule => {
      const range = parseCidr(text);
      if (range === undefined) throw new Error(`PROBE_DENY_CIDRS: ${text} is not a range such as 10.0.0.0/8`);
      return { range, name };
    },
  );

  // The same few thousand addresses are asked about again and again.
  const known = new Map<string, string | undefined>();
  return {
    refusal(address) {
      const remembered = known.get(address);
      if (remembered !== undefined || known.has(address)) return remembered;
      if (known.size >= maxKnown) known.clear();
      const reason = judge(rules, address);
      known.set(address, reason);
      return reason;
    },
  };
}

const maxKnown = 20_000;

function judge(rules: readonly Rule[], address: string): string | undefined {
  // A zone id exists on link-local scopes alone.
  if (address.includes("%")) return `${address} is a link-local address`;
  const bytes = parseAddress(address);
  if (bytes === undefined) return `${address} is not an address`;
  const name = match(rules, bytes);
  return name === undefined ? undefined : `${address} is ${name}`;
}

function match(rules: readonly Rule[], bytes: Uint8Array): string | undefined {
  const direct = rules.find(({ range }) => contains(range, bytes));
  if (direct !== undefined || bytes.length === 4) return direct?.name;
  for (const inner of embeddedIpv4(bytes)) {
    const hidden = rules.find(({ range }) => contains(range, inner));
    if (hidden !== undefined) return `${hidden.name} (${inner.join(".")} within IPv6)`;
  }
  return undefined;
}
