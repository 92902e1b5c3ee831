import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import {
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import type { Destination } from "./target.ts";

/** How long one address of several may take before the next is tried; the last has all the time there is. */
const attemptTimeoutMs = 1000;

let context: SecureContext | undefined;

/** The trusted roots. They are read once, not once a check. */
export function trustedRoots(): SecureContext {
  return (context ??= createSecureContext());
}

export interface DialOptions {
  verifyTls: boolean;
  /** When the peer's certificate ends, epoch milliseconds. */
  onCertificate(expiresAtMs: number): void;
}

/** Opens a fresh connection to one of the addresses, which the guard has passed; no name is resolved again. */
export function dial(
  { secure, host, port }: Destination,
  addresses: readonly string[],
  { verifyTls, onCertificate }: DialOptions,
): Socket {
  if (!secure) return dialPlain(host, port, addresses);
  let seen = false;
  const socket = connectTls({
    ...addressOf(host, port, addresses),
    // SNI names a host; for a literal address the certificate is held against the address.
    servername: isIP(host) === 0 ? host : "",
    secureContext: trustedRoots(),
    rejectUnauthorized: verifyTls,
    ALPNProtocols: ["http/1.1"],
    // Node has read the certificate for this already; to read it once more would cost.
    checkServerIdentity(name, certificate) {
      seen = true;
      onCertificate(Date.parse(certificate.valid_to));
      return checkServerIdentity(name, certificate);
    },
  });
  leaveChainUnread(socket);
  socket.once("secureConnect", () => {
    // An unverified chain is not held against the name.
    if (!seen) readCertificate(socket, onCertificate);
  });
  return socket;
}

/**
 * After a handshake Node makes objects of the whole chain and hands them to `checkServerIdentity`, which looks at the
 * first alone; OpenSSL has verified the chain by then. To read that one takes half as long as it and its issuer.
 */
export function leaveChainUnread(socket: TLSSocket) {
  const read = socket.getPeerCertificate.bind(socket);
  Object.assign(socket, { getPeerCertificate: () => read(false) });
}

/** Opens a fresh connection in the clear, as `dial` does. */
export function dialPlain(host: string, port: number, addresses: readonly string[]): Socket {
  return connect(addressOf(host, port, addresses));
}

function addressOf(host: string, port: number, addresses: readonly string[]) {
  return addresses.length === 1
    ? { host: addresses[0]!, port }
    : { host, port, lookup: answerWith(addresses), autoSelectFamilyAttemptTimeout: attemptTimeoutMs };
}

function readCertificate(socket: TLSSocket, onCertificate: DialOptions["onCertificate"]) {
  const certificate = socket.getPeerX509Certificate();
  if (certificate !== undefined) onCertificate(certificate.validToDate.getTime());
}

function answerWith(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
}
