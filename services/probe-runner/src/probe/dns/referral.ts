import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { isIP } from "node:net";
import type { DecodedPacket } from "dns-packet";
import type { RecordType } from "@sonde/proto/http/monitors/checks/dns";

const timeoutMs = 1000;
/** Messages that are no answer to the question. */
const maxStrayMessages = 20;
/** The most that UDP carries without extensions (RFC 1035 §4.2.1); it also bounds the time that decoding takes. */
const maxBytes = 512;

/**
 * The zone whose name servers `server` refers to in place of records. c-ares hides referrals: it answers that there is no
 * data. Asks once, over UDP, for a second at most and never past `signal`. Never rejects.
 * @returns the zone's name, `.` for the root's; undefined where the server does not refer, or does not answer in time
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
    // Connected, it takes answers of this server alone.
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

/** A referral differs from "no data" by name servers without the SOA of a zone (RFC 2308 §2.2), from no authority. */
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
