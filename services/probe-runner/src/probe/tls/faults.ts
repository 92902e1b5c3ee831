import { clipText } from "@sonde/kit/clip";
import type { Clock } from "@sonde/kit/time/clock";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { Fault } from "../probe.ts";
import type { CertificateEnd } from "./chain.ts";

/** Why TLS failed; the message is a sentence of `reasons`, never the text of OpenSSL or Node. */
export class TlsFault extends Error {
  override readonly name = "TlsFault";
}

const maxNamesBytes = 150;
/** More of a list of names is not read. */
const maxNamesRead = 1000;

/**
 * Why a certificate does not identify the host (RFC 9110 §4.3.4): its subjectAltName must name it, its common name is
 * ignored.
 */
export function identityFault(host: string, certificate: PeerCertificate): TlsFault | undefined {
  const { subjectaltname } = certificate;
  if (subjectaltname === undefined) return new TlsFault("The certificate has no subjectAltName");
  // Without a subject Node does not fall back to the common name.
  if (checkServerIdentity(host, { ...certificate, subject: nameless }) === undefined) return undefined;
  const names = [...subjectaltname.slice(0, maxNamesRead).matchAll(/(?:DNS|IP Address):([^,]+)/g)].map(
    ([, name]) => name,
  );
  const only = names.length === 0 ? "" : `, only ${clipText(names.join(", "), maxNamesBytes)}`;
  return new TlsFault(`The certificate does not cover this host name${only}`);
}

const nameless: PeerCertificate["subject"] = { C: "", ST: "", L: "", O: "", OU: "", CN: "" };

const untrusted: Record<string, string> = {
  CERT_HAS_EXPIRED: "The certificate has expired",
  CERT_NOT_YET_VALID: "The certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate's root is not known",
  UNABLE_TO_GET_ISSUER_CERT: "The certificate's root is not known",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate's root is not known",
  INVALID_PURPOSE: "The certificate is not meant for servers",
  INVALID_CA: "A certificate of the chain may not sign others",
  PATH_LENGTH_EXCEEDED: "The certificate chain is too long",
  CERT_CHAIN_TOO_LONG: "The certificate chain is too long",
  CERT_SIGNATURE_FAILURE: "A signature in the certificate chain is wrong",
  // Node has no code for these, which OpenSSL distinguishes by text alone.
  "EE certificate key too weak": "The certificate's key is too weak",
  "CA certificate key too weak": "The key of a certificate that signs is too weak",
  "CA signature digest algorithm too weak": "A signature in the certificate chain uses a weak hash",
};

/** Why the chain of a certificate is not trusted; undefined for the code of another error. */
function untrustedSentence(code: string, message: string, certificate: PeerCertificate): string | undefined {
  // Errors of the system and of Node begin with an E; of those of OpenSSL these alone do.
  if (code === "" || (code.startsWith("E") && !code.startsWith("ERROR_IN_"))) return undefined;
  // The first certificate came without the next one, which is not among the roots either.
  if (code === "UNABLE_TO_VERIFY_LEAF_SIGNATURE") {
    return `The server sent no intermediate certificate, and the issuer ${issuerOf(certificate)} is not known`;
  }
  const unknown = code === "UNSPECIFIED" ? "" : ` (${code})`;
  return untrusted[code] ?? untrusted[message] ?? `The certificate is not trusted${unknown}`;
}

// Reasons of OpenSSL (sslerr.h) for what no server that speaks TLS sends.
const foreign = new Set([146, 156, 198, 252, 267, 443]);
const failures: Record<number, string> = {
  258: "The server does not support TLS 1.2 or newer",
  266: "The server does not support TLS 1.2 or newer",
  338: "The server's TLS lacks secure renegotiation",
  394: "The server's Diffie-Hellman key is too weak",
  399: "The certificate's key is too weak",
};

export const noCommonProtocol = "The server speaks neither HTTP/1.1 nor HTTP/2 (ALPN)";

export const wantsCertificate = "The server requires a client certificate";

/** Alerts of a server, by their number (RFC 8446 §6). */
const alerts: Record<number, string> = {
  40: "The server accepts none of the TLS ciphers offered, or does not know this host name",
  70: "The server does not support TLS 1.2 or newer",
  71: "The server accepts none of the TLS ciphers offered, or does not know this host name",
  80: "The server failed during the TLS handshake; it may not know this host name",
  112: "The server has no certificate for this host name (SNI)",
  116: wantsCertificate,
  120: noCommonProtocol,
};
const firstAlert = 1000;
/** Sent after the server's certificate, each of them refuses a client without one, in TLS 1.2 as in 1.3. */
const clientAlerts = new Set([40, 41, 42, 43, 44, 45, 46, 48, 49, 116]);

/** The reason of an error of OpenSSL, the last 23 bits of its code (ERR_GET_REASON); an alert is 1000 and its number. */
function reasonOf(message: string): number | undefined {
  const code = /error:([0-9A-F]{8}):/.exec(message)?.[1];
  return code === undefined ? undefined : Number.parseInt(code, 16) & 0x7fffff;
}

/** Whether the server ended the handshake because it requires a client certificate. `shown`: it had sent its own. */
export function requiresClientCertificate({ message }: Error, shown: boolean): boolean {
  const alert = (reasonOf(message) ?? 0) - firstAlert;
  return shown ? clientAlerts.has(alert) : alert === 116;
}

/**
 * An error of a TLS connection in a sentence of our own; one of the socket below it stays as it is.
 * @param certificate the server's, where the handshake failed after it
 * @param shown whether the server had sent a certificate
 */
export function tlsFault(error: Error, certificate?: PeerCertificate, shown = certificate !== undefined): Error {
  const sentence = sentenceOf(error, certificate, shown);
  return sentence === undefined ? error : new TlsFault(sentence);
}

function sentenceOf(error: Error, certificate: PeerCertificate | undefined, shown: boolean): string | undefined {
  const { message } = error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ERR_TLS_DH_PARAM_SIZE") return failures[394];
  if (message.startsWith("Client network socket disconnected")) {
    return "The connection was closed during the TLS handshake";
  }
  const reason = reasonOf(message);
  if (reason === undefined) return certificate && untrustedSentence(code, message, certificate);
  if (requiresClientCertificate(error, shown)) return alerts[116];
  if (foreign.has(reason)) return "The server does not speak TLS on this port";
  if (reason < firstAlert) return failures[reason] ?? "The server's TLS is not valid";
  const alert = reason - firstAlert;
  return alerts[alert] ?? `The server ended TLS with alert ${alert}`;
}

const dayMs = 86_400_000;
const maxIssuerBytes = 200;

/** Who issued a certificate: its common name and its organisation. */
export function issuerOf({ issuer }: PeerCertificate): string {
  const names = [issuer.CN, issuer.O ?? issuer.OU].flat().filter((part) => part !== undefined);
  return clipText(names.join(", "), maxIssuerBytes);
}

/**
 * Why a certificate ends too soon, by whole days; undefined if it does not, or if no number of days is configured.
 * @param first the certificate of its chain that expires first, if that was verified
 */
export function endsSoon(
  expiresAtMs: number | undefined,
  minDaysLeft: number | undefined,
  clock: Pick<Clock, "now">,
  first?: CertificateEnd,
): Fault | undefined {
  if (expiresAtMs === undefined || minDaysLeft === undefined) return undefined;
  const isOfChain = first !== undefined && first.expiresAtMs < expiresAtMs;
  const days = Math.floor(((isOfChain ? first.expiresAtMs : expiresAtMs) - clock.now()) / dayMs);
  if (days >= minDaysLeft) return undefined;
  if (days < 0) return { kind: "tls", message: "The certificate has expired" };
  return {
    kind: "tls",
    message: `Certificate ${isOfChain ? `${first.name} in the chain ` : ""}expires in ${days} ${days === 1 ? "day" : "days"} (minimum ${minDaysLeft})`,
  };
}
