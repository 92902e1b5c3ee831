import { type Cache, createCache } from "@sonde/kit/cache";

/** What was seen of the hosts of one network; instants are monotonic milliseconds. */
export interface Network {
  name: string;
  /** Those that answered lately, the newest first. */
  alive: Cache<string, { port: number; atMs: number }>;
  /** Those that did not answer, since the last that did. */
  silent: Set<string>;
  lastLifeMs: number;
  /** Since when no host answered; undefined while one does. */
  quietSinceMs: number | undefined;
  /** When the runner was last found to be cut off from it. */
  cutOffMs: number;
  /** A round of probing in progress, shared by all checks in doubt. */
  probing: Promise<boolean> | undefined;
  /** Where the next round continues in the list. */
  turn: number;
}

/** A host to connect to. */
export interface KnownHost {
  address: string;
  port: number;
}

const remembered = 64;
const maxNetworks = 64;
/** A host whose last answer is this much older than its network's may no longer exist. */
const olderByMs = 3_600_000;
const maxProbed = 12;
const newest = 4;

/** A bounded memory of addresses that answered, network by network. */
export function createKnownHosts(networkOf: (address: string) => string) {
  const networks = createCache<string, Network>({ max: maxNetworks });

  function get(address: string): Network {
    const name = networkOf(address);
    let network = networks.get(name);
    if (network !== undefined) return network;
    network = {
      name,
      alive: createCache({ max: remembered }),
      silent: new Set(),
      lastLifeMs: Number.NEGATIVE_INFINITY,
      quietSinceMs: undefined,
      cutOffMs: Number.NEGATIVE_INFINITY,
      probing: undefined,
      turn: 0,
    };
    networks.set(name, network);
    return network;
  }

  return {
    networkOf,
    get,
    all: (): Iterable<[string, Network]> => networks,
    answered(address: string, port: number, atMs: number) {
      const network = get(address);
      network.alive.set(address, { port, atMs });
      lived(network, atMs);
    },
    lived,
    wasSilent(network: Network, addresses: readonly string[], atMs: number) {
      network.quietSinceMs ??= atMs;
      for (const address of addresses) if (network.silent.size < remembered) network.silent.add(address);
    },
  };
}

/** Hosts of a network that answered lately, without the given addresses; the newest first. */
export function othersOf({ alive, lastLifeMs }: Network, addresses: readonly string[]): KnownHost[] {
  return [...alive]
    .filter(([address, { atMs }]) => atMs >= lastLifeMs - olderByMs && !addresses.includes(address))
    .map(([address, { port }]) => ({ address, port }));
}

/** At most twelve of them: the newest, and with each turn others of the rest, in case all the newest are down. */
export function chooseHosts(others: readonly KnownHost[], turn: number): KnownHost[] {
  const rest = others.slice(newest);
  const from = rest.length === 0 ? 0 : (turn * (maxProbed - newest)) % rest.length;
  return [...others.slice(0, newest), ...rest.slice(from), ...rest.slice(0, from)].slice(0, maxProbed);
}

/** A host of the network answered. */
function lived(network: Network, atMs: number) {
  network.lastLifeMs = atMs;
  network.quietSinceMs = undefined;
  network.silent.clear();
}
