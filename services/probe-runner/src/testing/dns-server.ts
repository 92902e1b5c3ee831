import { createSocket } from "node:dgram";
import { type Answer, decode, encode, RECURSION_DESIRED } from "dns-packet";
import { closeLater } from "./loopback.ts";

/** A name server's responses by name: records, a response code, or silence. Other names do not exist. */
export type DnsZone = Record<string, readonly Answer[] | keyof typeof codes | "silent">;

const codes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;

/** Starts a name server on loopback (RFC 1035, UDP) and returns its port; `queries` records queries as `name type`. */
export async function serveDns(zone: DnsZone) {
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const { id, questions = [] } = decode(query);
    const [{ name, type } = { name: "", type: "A" }] = questions;
    queries.push(`${name} ${type}`);
    const response = zone[name.toLowerCase()] ?? "NXDOMAIN";
    if (response === "silent") return;
    const isCode = typeof response === "string";
    const answers = isCode ? [] : response.filter((answer) => answer.type === type || answer.type === "CNAME");
    const flags = RECURSION_DESIRED | (isCode ? codes[response] : 0);
    socket.send(encode({ type: "response", id: id ?? 0, flags, questions, answers }), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  closeLater(() => socket.close());
  return { port: socket.address().port, queries };
}
