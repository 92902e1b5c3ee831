import type { EgressGuard } from "@sonde/kit/egress/guard";
import type { Resolver } from "@sonde/kit/egress/resolver";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { Silence } from "../probe/probe.ts";
import { chooseHosts, createKnownHosts, type Network, othersOf } from "./known-hosts.ts";
import { createNetworks, createOwnRoute, ownMachine, type OwnRoute } from "./networks.ts";
import { type ReferenceHost, tryConnect as connectOnNetwork, type TryConnect } from "./reference-hosts.ts";

export interface ReachOptions {
  clock: TimerClock;
  resolver: Pick<Resolver, "compare">;
  guard: EgressGuard;
  tryConnect?: TryConnect;
  networkOf?: (address: string) => string;
  routeTo?: (address: string) => OwnRoute;
  /** Machines that the runner uses itself, see `createReferenceHosts`. */
  referenceHosts?: () => readonly ReferenceHost[];
}

/** An answer of another host that is younger needs no round of connections. */
const freshMs = 1000;
const minSilent = 5;
const believedAfterMs = 600_000;
const believedAtLastMs = 3_600_000;
/** Two tries of TCP fit in. */
const probeMs = 1500;
const waves = [
  { untilHost: 3, afterMs: 0 },
  { untilHost: 6, afterMs: 250 },
  { untilHost: 12, afterMs: 500 },
] as const;

const noRoute = "no route";
const lostRouter = "the router does not answer";
const cutOff = "no known host answers";
const namesLost = "no known name is found";

/**
 * Distinguishes a host that is down from a runner that has lost its network.
 * A silence (no connection, a connection that went dead, a name that is not found) is attributed to the runner, and so
 * no data, if
 * 1. the kernel has no route to the host, or its router does not answer on the wire;
 * 2. hosts that answered lately do not answer either: up to twelve others of the same network are connected to (a
 * connection that is closed at once), and one answer is enough to confirm the silence. Hosts are distinguished by
 * address, so many monitors of one machine count as one;
 * 3. no host has answered yet, and five others are as silent;
 * 4. of a name: names of other domains that were found lately are not found now either, or the name servers deny the
 * root of all names (see `Resolver.compare`).
 * With no host to compare with, a silence is confirmed: a single monitor must become DOWN in time.
 * All known hosts may really be down at once (a whole site, monitored from elsewhere), which looks the same from here.
 * So machines that the runner uses itself are tried along with them: its name servers, and the bus. One that answers at
 * that moment shows that its network works, and the silence of hosts of that network is confirmed at once. Those on
 * this machine show nothing about any network, and one that does not answer is no evidence. If none answers, the
 * silence is confirmed after ten minutes for each other host, at most an hour: a network of the runner's that is down
 * for longer than that makes its monitors DOWN, unless 1. shows that it is down. Until then they show no data and turn
 * stale, which is alerted as such.
 */
export function watchReach(options: ReachOptions) {
  const { clock, resolver, guard, tryConnect = connectOnNetwork, referenceHosts = () => [] } = options;
  const hosts = createKnownHosts(options.networkOf ?? createNetworks(clock));
  const routeTo = options.routeTo ?? createOwnRoute(clock);
  let namesQuietSinceMs: number | undefined;

  async function troubleWithName(name: string): Promise<string | undefined> {
    const { others, credible, lastFoundMs } = await resolver.compare(name);
    // An ordinary lookup that found its name ended the last quiet time as well.
    if (credible || lastFoundMs > (namesQuietSinceMs ?? 0)) namesQuietSinceMs = undefined;
    if (credible) return undefined;
    namesQuietSinceMs ??= clock.elapsedMs();
    return isBelieved(namesQuietSinceMs, Math.max(1, others)) ? undefined : namesLost;
  }

  async function troubleWithHost(addresses: readonly string[], unrouted: boolean, sinceMs: number) {
    const [address = ""] = addresses;
    const name = hosts.networkOf(address);
    if (name === ownMachine) return undefined;
    const route = routeTo(address);
    if (unrouted && route !== "there") return noRoute;
    if (route === "lost") return lostRouter;

    const own = hosts.get(address);
    hosts.wasSilent(own, addresses, clock.elapsedMs());
    const compared = comparable(own, addresses);
    const others = compared === undefined ? silentOthers(own, addresses) : othersOf(compared, addresses).length;
    if (compared === undefined && others < minSilent) return undefined;
    const network = compared ?? own;
    // A check that the runner's trouble fell into proves nothing, though all is well again.
    if (network.cutOffMs <= sinceMs) {
      if (answeredSince(network, addresses, sinceMs) || (await eitherAnswers(network, own, addresses))) {
        // It is down: no other's silence is to be compared with this one's.
        for (const one of addresses) {
          own.alive.delete(one);
          own.silent.delete(one);
        }
        return undefined;
      }
      network.cutOffMs = clock.elapsedMs();
      network.quietSinceMs ??= network.cutOffMs;
    }
    return isBelieved(network.quietSinceMs ?? clock.elapsedMs(), others) ? undefined : cutOff;
  }

  /** Its own network, or if none of its hosts answered lately, the one with the latest answer. */
  function comparable(own: Network, addresses: readonly string[]): Network | undefined {
    if (othersOf(own, addresses).length > 0) return own;
    let best: Network | undefined;
    for (const [name, network] of hosts.all()) {
      if (name === ownMachine || othersOf(network, addresses).length === 0) continue;
      if (best === undefined || network.lastLifeMs > best.lastLifeMs) best = network;
    }
    return best;
  }

  const silentOthers = ({ silent }: Network, addresses: readonly string[]) =>
    [...silent].filter((address) => !addresses.includes(address)).length;

  const isBelieved = (quietSinceMs: number, others: number) =>
    clock.elapsedMs() - quietSinceMs > Math.min(others * believedAfterMs, believedAtLastMs);

  function answeredSince({ alive }: Network, addresses: readonly string[], sinceMs: number): boolean {
    const fromMs = Math.max(sinceMs, clock.elapsedMs() - freshMs);
    return [...alive].some(([address, { atMs }]) => atMs >= fromMs && !addresses.includes(address));
  }

  /** Of its own network only reference hosts may be left to try. */
  async function eitherAnswers(network: Network, own: Network, addresses: readonly string[]): Promise<boolean> {
    const rounds = [...new Set([network, own])].map((one) => anyAnswers(one, addresses));
    return (await Promise.all(rounds)).includes(true);
  }

  /** Many are in doubt at once when the network fails: they share one round. */
  function anyAnswers(network: Network, addresses: readonly string[]): Promise<boolean> {
    network.probing ??= probeHosts(network, addresses).finally(() => (network.probing = undefined));
    return network.probing;
  }

  function probeHosts(network: Network, addresses: readonly string[]): Promise<boolean> {
    const chosen = chooseHosts(othersOf(network, addresses), network.turn++).filter(
      ({ address }) => guard.refusal(address) === undefined,
    );
    const asked = referenceHosts().filter(({ address }) => hosts.networkOf(address) === network.name);
    const over = new AbortController();
    const timers: (() => void)[] = [];
    return new Promise((resolve) => {
      const end = (answered: boolean) => {
        for (const clear of timers) clear();
        resolve(answered);
        over.abort();
      };
      timers.push(clock.setTimeout(() => end(false), probeMs));
      let left = chosen.length + asked.length;
      const settle = (answered: boolean, note: () => void) => {
        left--;
        if (over.signal.aborted) return;
        if (answered) note();
        if (answered || left === 0) end(answered);
      };
      const tryOne = async ({ address, port }: (typeof chosen)[number]) => {
        const answered = await tryConnect(address, port, over.signal);
        settle(answered, () => hosts.answered(address, port, clock.elapsedMs()));
      };
      const ask = async (referenceHost: ReferenceHost) => {
        settle(await referenceHost.answers(over.signal), () => hosts.lived(network, clock.elapsedMs()));
      };
      void Promise.all(asked.map(ask));
      let from = 0;
      for (const { untilHost, afterMs } of waves) {
        const wave = chosen.slice(from, untilHost);
        from = untilHost;
        timers.push(clock.setTimeout(() => void Promise.all(wave.map(tryOne)), afterMs));
      }
      if (left === 0) end(false);
    });
  }

  return {
    /** A host at this address accepted or refused a connection. */
    alive: (address: string, port: number) => hosts.answered(address, port, clock.elapsedMs()),
    /** The runner's own trouble that explains a silence which began at `sinceMs` (monotonic), or undefined. Never rejects. */
    async ownTrouble(silence: Silence, sinceMs: number): Promise<string | undefined> {
      if (silence.of === "name") return troubleWithName(silence.name);
      return troubleWithHost(silence.addresses, silence.unrouted, sinceMs);
    },
  };
}

export type Reachability = ReturnType<typeof watchReach>;
