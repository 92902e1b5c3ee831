import type { Addresses } from "@sonde/kit/egress/name-servers";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import {
  connect as connectTls,
  type ConnectionOptions,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import type { Destination } from "../http/request.ts";
import { type CertificateEnd, firstToExpire } from "./chain.ts";
import { identityFault, requiresClientCertificate, TlsFault, tlsFault } from "./faults.ts";

/** How long one address of several may take at most before the next is tried; the last has all the time there is. */
const maxAttemptMs = 1000;

let context: SecureContext | undefined;

/** The trusted roots. They are read once, not once a check. */
function trustedRoots(): SecureContext {
  return (context ??= createSecureContext());
}

export interface DialOptions {
  verifyTls: boolean;
  /** The name that is asked for (SNI) and that the certificate must contain, if it is not the host. */
  servername?: string | undefined;
  /** The trusted roots and a client certificate; without one there is none. */
  identity?: SecureContext | undefined;
  /** The peer's certificate, trusted or not; of a handshake that failed, where it came so far. */
  onCertificate(certificate: PeerCertificate): void;
  /** The certificate of a verified chain that expires first. To read the chain takes time: only if it is wanted. */
  onChain?: ((first: CertificateEnd) => void) | undefined;
}

/** Opens a fresh connection to one of the addresses, which the guard has passed; no name is resolved again. */
export function dial(
  { secure, host, port }: Destination,
  addresses: Addresses,
  timeoutMs: number | undefined,
  options: DialOptions,
  protocol = "http/1.1",
): Socket {
  if (!secure) return dialPlain(host, port, addresses, timeoutMs);
  return openTls(options.servername ?? host, options, {
    ...createDialer(host, port, addresses, timeoutMs),
    ALPNProtocols: [protocol],
  });
}

/**
 * Begins TLS, on a new connection or on `way.socket`. Errors of TLS are `TlsFault`s.
 * @param host the name that the certificate must contain
 * @param onRefused instead of an error: the server required a client certificate before the handshake's end (TLS 1.2)
 */
export function openTls(
  host: string,
  { verifyTls, onCertificate, onChain, identity }: DialOptions,
  way: ConnectionOptions,
  onRefused?: (untrusted: Error | undefined) => void,
): TLSSocket {
  // The certificate itself is not kept: a closed socket may live for long.
  let seen = false;
  const show = (certificate: PeerCertificate) => {
    seen = true;
    onCertificate(certificate);
  };
  const socket = connectTls({
    ...way,
    // SNI names a host; for a literal address the certificate is held against the address.
    servername: isIP(host) === 0 ? host : "",
    secureContext: identity ?? trustedRoots(),
    rejectUnauthorized: verifyTls,
    // Node has read the certificate for this already; to read it once more would cost.
    checkServerIdentity(_name, certificate) {
      show(certificate);
      return identityFault(host, certificate);
    },
  });
  const read = socket.getPeerCertificate.bind(socket);
  const destroy = socket.destroy.bind(socket);
  Object.assign(socket, {
    // After a handshake Node makes objects of the whole chain and hands them to `checkServerIdentity`, which looks at the
    // first alone; OpenSSL has verified the chain by then. To read that one takes half as long as it and its issuer.
    getPeerCertificate: () => read(false),
    // Node closes a connection as it fails: what the server showed is read before.
    destroy: (error?: Error) => destroy(error === undefined || socket.destroyed ? error : explained(error)),
  });
  const explained = (error: Error) => {
    const certificate = shownBy(socket);
    if (certificate !== undefined && !seen) show(certificate);
    if (certificate && onRefused && requiresClientCertificate(error, true)) onRefused(distrust(socket, host));
    return tlsFault(error, certificate);
  };
  if (onChain !== undefined) {
    socket.once("secureConnect", () => {
      const first = socket.authorized ? firstToExpire(socket) : undefined;
      if (first !== undefined) onChain(first);
    });
  }
  // An unverified chain is not held against the name.
  if (!verifyTls) {
    socket.once("secureConnect", () => {
      const certificate = seen ? undefined : shownBy(socket);
      if (certificate !== undefined) show(certificate);
    });
  }
  return socket;
}

function shownBy(socket: TLSSocket): PeerCertificate | undefined {
  const certificate = socket.getPeerCertificate();
  return certificate?.raw === undefined ? undefined : certificate;
}

/** What is wrong with a certificate that was shown: its chain, or else its names. */
export function distrust(socket: TLSSocket, host: string): Error | undefined {
  // Node keeps the code alone, and only after a whole handshake; OpenSSL's own words are with its handle.
  const { ssl } = socket as TLSSocket & { ssl?: { verifyError?(): Error | null } };
  if (ssl?.verifyError === undefined) return new TlsFault("The certificate is not trusted");
  const certificate = socket.getPeerCertificate();
  const fault = ssl.verifyError();
  return fault ? tlsFault(fault, certificate) : identityFault(host, certificate);
}

/** Opens a fresh connection in the clear, as `dial` does. */
export function dialPlain(host: string, port: number, addresses: Addresses, timeoutMs: number | undefined): Socket {
  return connect(createDialer(host, port, addresses, timeoutMs));
}

/**
 * What is dialled of a port at addresses.
 * @param timeoutMs of the whole check: each address gets its share, and one is left for what comes after connecting
 */
export function createDialer(host: string, port: number, addresses: Addresses, timeoutMs = Infinity) {
  if (addresses.length === 1) return { host: addresses[0], port };
  const attemptMs = Math.ceil(Math.min(maxAttemptMs, timeoutMs / (addresses.length + 1)));
  return { host, port, lookup: answerWith(addresses), autoSelectFamilyAttemptTimeout: attemptMs };
}

function answerWith(addresses: Addresses): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, addresses[0], isIP(addresses[0]));
  };
}
