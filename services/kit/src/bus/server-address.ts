import { NatsConnectionImpl } from "@nats-io/nats-core/internal";
import { Socket } from "node:net";
import type { Bus } from "./connect.ts";

/** The address and port of the server that the bus is connected to at present; undefined where it is away. */
export function busAddress({ nc, connected }: Pick<Bus, "nc" | "connected">) {
  // The client tells the server's name alone, which may have addresses in several networks.
  const transport = nc instanceof NatsConnectionImpl && connected() ? nc.protocol.transport : undefined;
  if (transport === undefined || !("socket" in transport) || !(transport.socket instanceof Socket)) return undefined;
  const { remoteAddress: address, remotePort: port } = transport.socket;
  return address === undefined || port === undefined ? undefined : { address, port };
}
