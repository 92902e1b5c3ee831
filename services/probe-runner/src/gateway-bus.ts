import type { BusOptions } from "@sonde/kit/bus/connect";
import { type ConnectionOptions, wsconnect } from "@nats-io/nats-core";
import { runnerPath } from "@sonde/proto/http/monitors/runners";
import { WebSocket } from "ws";
import type { RunnerIdentity } from "./remote/identity.ts";
import { proxyFor, tunnelAgent } from "./remote/tunnel.ts";

const handshakeMs = 10_000;
const maxPayload = 2 * 2 ** 20;
/** Growing, and random, so that the runners of a restarted gateway do not return at the same instant. */
const [firstWaitMs, maxWaitMs] = [250, 3_000];

/**
 * Connects to the bus through the gateway, with the key as password.
 * @param onRefused called when the gateway rejects the key; it may be wrong, so the client keeps trying
 */
export function connectThroughGateway(
  { url: address, runnerId, key }: RunnerIdentity,
  onRefused: () => void,
): NonNullable<BusOptions["connect"]> {
  const url = new URL(address.replace(/^http/, "ws") + runnerPath);
  let failures = 0;
  const open = () => {
    const web = new URL(url.href.replace(/^ws/, "http"));
    const socket = new WebSocket(url, {
      agent: tunnelAgent(web, proxyFor(web, process.env)),
      headers: { Authorization: `Bearer ${key}` },
      handshakeTimeout: handshakeMs,
      perMessageDeflate: false,
      maxPayload,
    });
    // The client removes its listeners when it gives up on a connection that is still being opened.
    socket.on("error", () => {});
    failures++;
    socket.once("open", () => (failures = 0));
    socket.on("unexpected-response", (request, { statusCode }) => {
      if (statusCode === 401) onRefused();
      request.destroy();
      socket.emit("error", new Error(`the gateway returned status ${statusCode}`));
    });
    return { socket: socket as unknown as globalThis.WebSocket, encrypted: url.protocol === "wss:" };
  };
  return (options: ConnectionOptions) =>
    wsconnect({
      ...options,
      servers: [url.href],
      user: `runner.${runnerId}`,
      pass: key,
      wsFactory: async () => open(),
      reconnectDelayHandler: () => Math.random() * Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures, 8)),
    });
}
