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
import { identityError, requiresClientCertificate, TlsError, toTlsError } from "./errors.ts";

/** Maximum time for one of several addresses before the next is tried. The last one gets all remaining time. */
const maxAttemptMs = 1000;

let context: SecureContext | undefined;

function trustedRoots(): SecureContext {
  return (context ??= createSecureContext());
}

export interface DialOptions {
  verifyTls: boolean;
  /** Name for SNI and certificate verification, if different from the host. */
  servername?: string | undefined;
  /** Trusted roots with a client certificate, if one is used. */
  identity?: SecureContext | undefined;
  /** Receives the server's certificate, trusted or not, even if the handshake fails later. */
  onCertificate(certificate: PeerCertificate): void;
  /** Receives the first certificate to expire in a verified chain. Optional because reading the chain is slow. */
  onChain?: ((first: CertificateEnd) => void) | undefined;
}

/** Opens a fresh connection to one of the addresses, which passed the guard. Does not resolve names again. */
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
 * Starts TLS on a new connection or on `way.socket`. TLS errors are `TlsError`s.
 * @param onRefused called instead of an error if the server requires a client certificate in the handshake (TLS 1.2)
 */
export function openTls(
  host: string,
  { verifyTls, onCertificate, onChain, identity }: DialOptions,
  way: ConnectionOptions,
  onRefused?: (untrusted: Error | undefined) => void,
): TLSSocket {
  // Do not keep the certificate itself: a closed socket may live long.
  let seen = false;
  const show = (certificate: PeerCertificate) => {
    seen = true;
    onCertificate(certificate);
  };
  const socket = connectTls({
    ...way,
    // SNI is only for names. For an address, the certificate is verified against the address.
    servername: isIP(host) === 0 ? host : "",
    secureContext: identity ?? trustedRoots(),
    rejectUnauthorized: verifyTls,
    // Node has already read the certificate here; reading it again would be slow.
    checkServerIdentity(_name, certificate) {
      show(certificate);
      return identityError(host, certificate);
    },
  });
  const read = socket.getPeerCertificate.bind(socket);
  const destroy = socket.destroy.bind(socket);
  Object.assign(socket, {
    // After a handshake Node builds objects for the whole chain for `checkServerIdentity`, which uses only the first.
    // OpenSSL has verified the chain by then. Reading only the first certificate takes half the time.
    getPeerCertificate: () => read(false),
    // Node closes a failing connection, so read what the server presented first.
    destroy: (error?: Error) => destroy(error === undefined || socket.destroyed ? error : explained(error)),
  });
  const explained = (error: Error) => {
    const certificate = shownBy(socket);
    if (certificate !== undefined && !seen) show(certificate);
    if (certificate && onRefused && requiresClientCertificate(error, true)) onRefused(trustError(socket, host));
    return toTlsError(error, certificate);
  };
  if (onChain !== undefined) {
    socket.once("secureConnect", () => {
      const first = socket.authorized ? firstToExpire(socket) : undefined;
      if (first !== undefined) onChain(first);
    });
  }
  // If verification is off, Node does not call `checkServerIdentity`.
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

/** Returns why a presented certificate is not trusted: because of its chain, or else its names. */
export function trustError(socket: TLSSocket, host: string): Error | undefined {
  // Node keeps only the code, and only after a complete handshake; OpenSSL's handle has the details.
  const { ssl } = socket as TLSSocket & { ssl?: { verifyError?(): Error | null } };
  if (ssl?.verifyError === undefined) return new TlsError("The certificate is not trusted");
  const certificate = socket.getPeerCertificate();
  const failure = ssl.verifyError();
  return failure ? toTlsError(failure, certificate) : identityError(host, certificate);
}

export function dialPlain(host: string, port: number, addresses: Addresses, timeoutMs: number | undefined): Socket {
  return connect(createDialer(host, port, addresses, timeoutMs));
}

/** @param timeoutMs of the whole check: each address gets an equal share, and one share is left for the rest */
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
