import { type Cache, createCache } from "@sonde/kit/cache";

/** Observed hosts of one network; times are monotonic milliseconds. */
export interface Network {
  name: string;
  /** Hosts that answered recently, newest first. */
  alive: Cache<string, { port: number; atMs: number }>;
  /** Hosts that did not answer, since the last answer from any host. */
  silent: Set<string>;
  lastAnswerMs: number;
  quietSinceMs: number | undefined;
  cutOffMs: number;
  probing: Promise<boolean> | undefined;
  turn: number;
}

export interface KnownHost {
  address: string;
  port: number;
}

const maxHosts = 64;
const maxNetworks = 64;
/** A host is skipped if it last answered this much earlier than its network did: it may no longer exist. */
const olderByMs = 3_600_000;
const maxProbed = 12;
const newest = 4;

export function createKnownHosts(networkOf: (address: string) => string) {
  const networks = createCache<string, Network>({ max: maxNetworks });

  function get(address: string): Network {
    const name = networkOf(address);
    let network = networks.get(name);
    if (network !== undefined) return network;
    network = {
      name,
      alive: createCache({ max: maxHosts }),
      silent: new Set(),
      lastAnswerMs: Number.NEGATIVE_INFINITY,
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
      markAlive(network, atMs);
    },
    markAlive,
    markSilent(network: Network, addresses: readonly string[], atMs: number) {
      network.quietSinceMs ??= atMs;
      for (const address of addresses) if (network.silent.size < maxHosts) network.silent.add(address);
    },
  };
}

/** Hosts of a network that answered recently, newest first, except those in `addresses`. */
export function othersOf({ alive, lastAnswerMs }: Network, addresses: readonly string[]): KnownHost[] {
  return [...alive]
    .filter(([address, { atMs }]) => atMs >= lastAnswerMs - olderByMs && !addresses.includes(address))
    .map(([address, { port }]) => ({ address, port }));
}

/** Picks up to 12 hosts: the newest, and a different part of the rest each turn in case all the newest are down. */
export function chooseHosts(others: readonly KnownHost[], turn: number): KnownHost[] {
  const rest = others.slice(newest);
  const from = rest.length === 0 ? 0 : (turn * (maxProbed - newest)) % rest.length;
  return [...others.slice(0, newest), ...rest.slice(from), ...rest.slice(0, from)].slice(0, maxProbed);
}

function markAlive(network: Network, atMs: number) {
  network.lastAnswerMs = atMs;
  network.quietSinceMs = undefined;
  network.silent.clear();
}
