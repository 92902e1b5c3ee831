import { createSocket } from "node:dgram";
import { type Answer, decode, encode, RECURSION_DESIRED } from "dns-packet";
import { closeLater } from "./loopback.ts";

/** A name server's answer for each name: records, a response code, or none at all. Other names do not exist. */
export type DnsZone = Record<string, readonly Answer[] | keyof typeof codes | "silent">;

const codes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;

/** A name server on loopback (RFC 1035, UDP); `asked` holds each question as `name type`. Returns its port. */
export async function serveDns(zone: DnsZone) {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const { id, questions = [] } = decode(query);
    const [{ name, type } = { name: "", type: "A" }] = questions;
    asked.push(`${name} ${type}`);
    const said = zone[name.toLowerCase()] ?? "NXDOMAIN";
    if (said === "silent") return;
    const isCode = typeof said === "string";
    const answers = isCode ? [] : said.filter((answer) => answer.type === type || answer.type === "CNAME");
    const flags = RECURSION_DESIRED | (isCode ? codes[said] : 0);
    socket.send(encode({ type: "response", id: id ?? 0, flags, questions, answers }), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  closeLater(() => socket.close());
  return { port: socket.address().port, asked };
}
