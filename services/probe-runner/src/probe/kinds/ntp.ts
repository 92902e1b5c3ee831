import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { isIP } from "node:net";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { failureOf, isRefusal, isUnrouted } from "../failures.ts";
import { routeTo } from "../link.ts";
import { outcomeOf } from "../outcome.ts";
import {
  type AnyTarget,
  cancelled,
  type ProbeFailure,
  type Probe,
  type ProbeContext,
  type ProbeOutcome,
} from "../probe.ts";

const packetBytes = 48;
const maxStrayMessages = 20;
/** Seconds from 1900, the NTP epoch, to 1970. */
const epochSeconds = 2_208_988_800;
/** Length of an NTP era: 2^32 seconds. */
const eraMs = 2 ** 32 * 1000;

/** Kiss-o'-death codes that refuse a client. Others mean that the server is not synchronised yet. */
const refusals = ["DENY", "RSTR", "RATE"];

export interface NtpTarget extends AnyTarget<"ntp"> {
  port: number;
  maxOffset: number;
}

export const probe: Probe<"ntp", NtpTarget> = { compile: compileNtp, run: probeNtp };

function compileNtp({ host, port, maxOffset }: CheckOf<"ntp">): NtpTarget {
  return { kind: "ntp", host: canonicalHost(host) ?? host, port, maxOffset };
}

/** Queries a time server (RFC 5905 §14) over UDP at addresses that the guard allowed. */
async function probeNtp(target: NtpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const timings = { dns: 0, firstByte: 0, total: 0 };
  const endMs = ctx.clock.elapsedMs() + (ctx.timeoutMs ?? 10_000);
  const route = await routeTo(target.host, ctx, timings);
  const startedMs = ctx.clock.elapsedMs();
  const found = "addresses" in route ? await queryAny(target, route.addresses, ctx, endMs) : route;
  timings.firstByte = "packet" in found ? found.roundTripMs : ctx.clock.elapsedMs() - startedMs;
  timings.total = timings.dns + timings.firstByte;
  const failure = "packet" in found ? judge(found, target) : found;
  const seen = "addresses" in route ? { addresses: route.addresses, host: target.host } : {};
  return outcomeOf(failure, { timings }, seen, () => ({}));
}

/** `sentAtMs`: wall clock at sending. */
type Response = { packet: Buffer; sentAtMs: number; roundTripMs: number };

/** Tries one address after another; a single address twice, since UDP may lose a message. */
async function queryAny(
  target: NtpTarget,
  addresses: readonly string[],
  ctx: ProbeContext,
  endMs: number,
): Promise<Response | ProbeFailure> {
  const tries = addresses.length === 1 ? [...addresses, ...addresses] : addresses;
  let found: Response | ProbeFailure = { kind: "connect", message: "The network is unreachable" };
  for (const [at, address] of tries.entries()) {
    const waitMs = (endMs - ctx.clock.elapsedMs()) / (tries.length - at);
    found = await query(address, target.port, ctx, at === tries.length - 1 ? undefined : waitMs);
    if ("packet" in found || "trouble" in found) return found;
    if (found.silence?.of === "host") found.silence = { ...found.silence, addresses };
  }
  return found;
}

/** Sends one request. Without `waitMs`, waits until the check's own deadline. */
function query(
  address: string,
  port: number,
  { signal, clock, onAlive }: ProbeContext,
  waitMs: number | undefined,
): Promise<Response | ProbeFailure> {
  const silent = (failure: { kind: "timeout" | "connect"; message: string }, unrouted = false): ProbeFailure => ({
    ...failure,
    silence: { of: "host", addresses: [address], unrouted },
  });
  const noAnswer = () =>
    signal.reason === cancelled
      ? { trouble: "cancelled" }
      : silent({ kind: "timeout", message: "The time server did not answer" });
  if (signal.aborted) return Promise.resolve(noAnswer());
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? "udp6" : "udp4");
    const timer = waitMs === undefined ? undefined : setTimeout(() => end(noAnswer()), Math.max(1, waitMs));
    const onAbort = () => end(noAnswer());
    const end = (found: Response | ProbeFailure) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.removeAllListeners().on("error", () => {});
      socket.close();
      resolve(found);
    };
    signal.addEventListener("abort", onAbort);
    // The server returns the transmit timestamp as the origin. A random one works as well and cannot be guessed.
    const request = Buffer.concat([Buffer.from([0b00_100_011]), Buffer.alloc(39), randomBytes(8)]);
    let sentAtMs = 0;
    let sentMs = 0;
    let stray = 0;
    socket.once("error", (error) => {
      const failure = failureOf(error, "connect");
      if (isRefusal(error)) onAlive?.(address, port);
      end(
        "trouble" in failure || isRefusal(error)
          ? failure
          : silent({ kind: "connect", message: failure.message }, isUnrouted(error)),
      );
    });
    // A connected socket receives only this server's messages.
    socket.once("connect", () => {
      sentAtMs = clock.now();
      sentMs = clock.elapsedMs();
      socket.send(request);
    });
    socket.on("message", (packet) => {
      const roundTripMs = clock.elapsedMs() - sentMs;
      const isAnswer = packet.length >= packetBytes && packet.subarray(24, 32).equals(request.subarray(40));
      if (isAnswer) {
        onAlive?.(address, port);
        end({ packet, sentAtMs, roundTripMs });
      } else if (++stray > maxStrayMessages) end({ kind: "protocol", message: "The server's response is not valid" });
    });
    socket.connect(port, address);
  });
}

function judge({ packet, sentAtMs, roundTripMs }: Response, { maxOffset }: NtpTarget): ProbeFailure | undefined {
  const [leap, mode, stratum] = [packet[0]! >> 6, packet[0]! & 7, packet[1]!];
  if (mode !== 4) return { kind: "protocol", message: "The server's response is not valid" };
  // A kiss-o'-death has its code in place of the reference id (RFC 5905 §7.4).
  const code = packet.toString("latin1", 12, 16);
  if (stratum === 0 && refusals.includes(code))
    return { kind: "status", message: `The time server refused the request (${code})` };
  const isUnsynchronised = leap === 3 || stratum === 0 || stratum > 15 || packet.readBigUInt64BE(40) === 0n;
  if (isUnsynchronised) return { kind: "status", message: "The time server is not synchronized" };
  const receivedMs = timestampAt(packet, 32, sentAtMs);
  const transmittedMs = timestampAt(packet, 40, sentAtMs);
  const offsetMs = (receivedMs - sentAtMs + (transmittedMs - (sentAtMs + roundTripMs))) / 2;
  if (Math.abs(offsetMs) <= maxOffset) return undefined;
  const offset = Math.round(offsetMs * 10) / 10;
  return { kind: "assertion", message: `The clock is off by ${offset} ms (maximum ${maxOffset} ms)` };
}

/** Converts an NTP timestamp to epoch milliseconds, in the era nearest to `nearMs` (RFC 5905 §6). */
function timestampAt(packet: Buffer, at: number, nearMs: number): number {
  const seconds = packet.readUInt32BE(at) - epochSeconds;
  const ms = seconds * 1000 + (packet.readUInt32BE(at + 4) / 2 ** 32) * 1000;
  return ms + Math.round((nearMs - ms) / eraMs) * eraMs;
}
