import type { Addresses } from "@sonde/kit/egress/name-servers";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { EgressFault } from "./egress.ts";

/** Where to, by addresses that the guard has passed. */
type Peer = { host: string; port: number; secure: boolean; addresses: Addresses };

/** How long one address of several may take before the next is tried. */
const attemptTimeoutMs = 1_000;

/** An open connection, over verified TLS where the peer is `secure`. No name is resolved again. @throws EgressFault */
export function openSocket(peer: Peer, signal: AbortSignal): Promise<Socket> {
  const { host, port, secure, addresses } = peer;
  return new Promise((resolve, reject) => {
    const to = {
      host,
      port,
      lookup: answerWith(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    };
    let connected = false;
    const socket = secure
      ? // SNI names a host; for a literal address the certificate is compared with the address.
        connectTls({ ...to, servername: isIP(host) === 0 ? host : "", ALPNProtocols: ["http/1.1"] })
      : connect(to);
    const fail = (fault: EgressFault) => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      reject(fault);
    };
    const phase = () => (connected ? ("tls" as const) : ("connect" as const));
    const onAbort = () =>
      fail(
        new EgressFault(phase(), connected ? `${host} did not finish TLS in time` : `${host} did not connect in time`),
      );
    const onError = (error: Error) => fail(new EgressFault(phase(), reasonOf(host, error)));
    socket.once("connect", () => (connected = true));
    socket.once(secure ? "secureConnect" : "connect", () => {
      signal.removeEventListener("abort", onAbort);
      socket.off("error", onError);
      resolve(socket);
    });
    // Never removed, so that an error between two listeners does not crash the process.
    socket.on("error", () => {});
    socket.on("error", onError);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Why a connection failed, in words that contain only the host of the address. */
export function reasonOf(host: string, error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (code === "ECONNREFUSED") return `${host} refused the connection`;
  if (code === "ECONNRESET" || code === "EPIPE") return `${host} closed the connection without an answer`;
  return (
    tlsReasonOf(host, cause) ?? `${host} could not be reached (${code === "" ? "unknown fault" : code.slice(0, 60)})`
  );
}

/** Why TLS failed, in our own words; undefined for another fault. Libraries replace the code, so the text counts. */
export function tlsReasonOf(host: string, error: unknown): string | undefined {
  const text = error instanceof Error ? error.message : "";
  if (text.includes("altnames")) return `The certificate of ${host} does not cover this name`;
  if (text.startsWith("certificate has expired")) return `The certificate of ${host} has expired`;
  if (/self-signed certificate|unable to (?:get|verify)/.test(text)) {
    return `The certificate of ${host} is not trusted; CA_FILE names authorities of your own`;
  }
  return /:SSL routines:|secure TLS connection/.test(text) ? `TLS with ${host} failed` : undefined;
}

function answerWith(addresses: Addresses): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, addresses[0], isIP(addresses[0]));
  };
}
