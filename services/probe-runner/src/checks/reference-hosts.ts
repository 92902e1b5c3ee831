import { type Bus, busAddress } from "@sonde/kit/bus/connect";
import { codeOf } from "@sonde/kit/egress/name-servers";
import { randomBytes } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { connect, isIP } from "node:net";

/** A machine that the runner itself depends on. While it answers, its network is reachable. */
export interface ReferenceHost {
  address: string;
  /** True if it answers before the signal aborts. Never rejects. */
  answers(signal: AbortSignal): Promise<boolean>;
}

const maxNameServers = 4;
const queryTimeoutMs = 1000;

/** Returns the system's name servers and, while connected, the bus. Never throws. */
export function createReferenceHosts(bus: Pick<Bus, "nc" | "connected">): () => ReferenceHost[] {
  return () => {
    const peer = busAddress(bus);
    if (peer === undefined) return nameServers();
    // Usually opens a new connection. An existing one counts too if a router accepts no more or the bus just closed it.
    const answers = (signal: AbortSignal) => tryConnect(peer.address, peer.port, signal);
    return [...nameServers(), { address: peer.address, answers }];
  };
}

function nameServers(): ReferenceHost[] {
  try {
    const servers = new Resolver().getServers().slice(0, maxNameServers);
    return servers.map((server) => ({ address: addressOf(server), answers: () => nameServerAnswers(server) }));
  } catch {
    return [];
  }
}

/**
 * Returns whether a name server (`address` or `address:port`) answers from the real DNS. A router may answer in its
 * place: from its cache, hence the random name; or that nothing exists, hence the query for the root. Never rejects;
 * takes at most a second.
 */
export async function nameServerAnswers(server: string): Promise<boolean> {
  try {
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 1 });
    resolver.setServers([server]);
    const freshName = `${randomBytes(12).toString("hex")}.com`;
    const [root, fresh] = await Promise.all([
      resolver.resolveNs(".").then(() => "found", codeOf),
      resolver.resolve4(freshName).then(() => "found", codeOf),
    ]);
    return ["found", "ENODATA"].includes(root) && ["found", "ENODATA", "ENOTFOUND"].includes(fresh);
  } catch {
    return false;
  }
}

function addressOf(server: string): string {
  return isIP(server) === 0 ? server.replace(/:\d+$/, "").replace(/^\[|\]$/g, "") : server;
}

/** Returns whether a host accepts or refuses a connection before the signal aborts. Never rejects. */
export type TryConnect = (address: string, port: number, signal: AbortSignal) => Promise<boolean>;

export const tryConnect: TryConnect = (address, port, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const socket = connect({ host: address, port });
    const end = (answered: boolean) => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      resolve(answered);
    };
    const onAbort = () => end(false);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => end(true));
    // Keep this listener: an error may be emitted after the end.
    socket.on("error", (error) => end("code" in error && error.code === "ECONNREFUSED"));
  });
