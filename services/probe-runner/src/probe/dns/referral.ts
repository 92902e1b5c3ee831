import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { isIP } from "node:net";
import type { DecodedPacket } from "dns-packet";
import type { RecordType } from "@sonde/proto/http/monitors/checks/dns";

const timeoutMs = 1000;
const maxStrayMessages = 20;
/** Maximum UDP payload without EDNS (RFC 1035 §4.2.1); also bounds decoding time. */
const maxBytes = 512;

/**
 * Returns the zone that `server` refers to instead of returning records (`.` for the root), or `undefined` if it does
 * not refer or respond in time. c-ares reports referrals as "no data", so this sends one query over UDP, for at most a
 * second and never past `signal`. Never rejects.
 */
export async function referredZone(
  server: { host: string; port: number },
  question: { name: string; type: RecordType },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { decode, encode } = await import("dns-packet");
  const id = randomInt(65_536);
  const query = encode({ type: "query", id, questions: [question] });
  const done = new AbortController();
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs), done.signal]);
  if (ended.aborted) return undefined;
  return new Promise((resolve) => {
    const socket = createSocket({ type: isIP(server.host) === 6 ? "udp6" : "udp4", signal: ended });
    // A connected socket receives only this server's messages.
    socket.once("connect", () => socket.send(query));
    socket.on("error", () => done.abort());
    socket.once("close", () => resolve(undefined));
    let stray = 0;
    socket.on("message", (bytes) => {
      const answer = bytes.length > maxBytes ? undefined : attempt(() => decode(bytes));
      if (answer?.id !== id) return ++stray > maxStrayMessages ? done.abort() : undefined;
      resolve(zoneOf(answer));
      done.abort();
    });
    socket.connect(server.port, server.host);
  });
}

/** A referral has NS records but no SOA, unlike "no data" (RFC 2308 §2.2). */
function zoneOf({ type, flag_aa: isAuthority, answers = [], authorities = [] }: DecodedPacket) {
  if (type !== "response" || isAuthority || answers.length > 0) return undefined;
  if (authorities.some((record) => record.type === "SOA")) return undefined;
  return authorities.find((record) => record.type === "NS")?.name;
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
