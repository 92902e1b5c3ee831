import { clipText } from "@sonde/kit/clip";
import type { Clock } from "@sonde/kit/time/clock";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { ProbeFailure } from "../probe.ts";
import type { CertificateEnd } from "./chain.ts";

/** TLS failure. The message is one of `reasons`, never OpenSSL's or Node's text. */
export class TlsError extends Error {
  override readonly name = "TlsError";
}

const maxNamesBytes = 150;
const maxNamesRead = 1000;

/** RFC 9110 §4.3.4: only subjectAltName counts, not the common name. */
export function identityError(host: string, certificate: PeerCertificate): TlsError | undefined {
  const { subjectaltname } = certificate;
  if (subjectaltname === undefined) return new TlsError("The certificate has no subjectAltName");
  // Without a subject Node cannot fall back to the common name.
  if (checkServerIdentity(host, { ...certificate, subject: nameless }) === undefined) return undefined;
  const names = [...subjectaltname.slice(0, maxNamesRead).matchAll(/(?:DNS|IP Address):([^,]+)/g)].map(
    ([, name]) => name,
  );
  const only = names.length === 0 ? "" : `, only ${clipText(names.join(", "), maxNamesBytes)}`;
  return new TlsError(`The certificate does not cover this host name${only}`);
}

const nameless: PeerCertificate["subject"] = { C: "", ST: "", L: "", O: "", OU: "", CN: "" };

const untrusted: Record<string, string> = {
  CERT_HAS_EXPIRED: "The certificate has expired",
  CERT_NOT_YET_VALID: "The certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate's root is unknown",
  UNABLE_TO_GET_ISSUER_CERT: "The certificate's root is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate's root is unknown",
  INVALID_PURPOSE: "The certificate is not meant for servers",
  INVALID_CA: "A certificate in the chain is not allowed to sign others",
  PATH_LENGTH_EXCEEDED: "The certificate chain is too long",
  CERT_CHAIN_TOO_LONG: "The certificate chain is too long",
  CERT_SIGNATURE_FAILURE: "A signature in the certificate chain is wrong",
  // Node has no codes for these; OpenSSL's messages are the only distinction.
  "EE certificate key too weak": "The certificate's key is too weak",
  "CA certificate key too weak": "The key of an issuing certificate is too weak",
  "CA signature digest algorithm too weak": "A signature in the certificate chain uses a weak hash",
};

function untrustedSentence(code: string, message: string, certificate: PeerCertificate): string | undefined {
  // System and Node errors begin with E. Of OpenSSL's codes, only ERROR_IN_* do.
  if (code === "" || (code.startsWith("E") && !code.startsWith("ERROR_IN_"))) return undefined;
  // The server sent only its own certificate, and the issuer is not a trusted root.
  if (code === "UNABLE_TO_VERIFY_LEAF_SIGNATURE") {
    return `The server sent no intermediate certificate, and the issuer ${issuerOf(certificate)} is unknown`;
  }
  const unknown = code === "UNSPECIFIED" ? "" : ` (${code})`;
  return untrusted[code] ?? untrusted[message] ?? `The certificate is not trusted${unknown}`;
}

// OpenSSL reasons (sslerr.h) that mean that the server does not speak TLS.
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

/** TLS alerts by number (RFC 8446 §6). */
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
/** After the server's certificate, each of these means that a client certificate is required (TLS 1.2 and 1.3). */
const clientAlerts = new Set([40, 41, 42, 43, 44, 45, 46, 48, 49, 116]);

/** Returns the low 23 bits of an OpenSSL error code (ERR_GET_REASON); for an alert, 1000 plus its number. */
function reasonOf(message: string): number | undefined {
  const code = /error:([0-9A-F]{8}):/.exec(message)?.[1];
  return code === undefined ? undefined : Number.parseInt(code, 16) & 0x7fffff;
}

/** Whether the server requires a client certificate. `shown`: it had already sent its own. */
export function requiresClientCertificate({ message }: Error, shown: boolean): boolean {
  const alert = (reasonOf(message) ?? 0) - firstAlert;
  return shown ? clientAlerts.has(alert) : alert === 116;
}

/** Translates TLS errors; other socket errors stay unchanged. @param shown the server had sent a certificate */
export function toTlsError(error: Error, certificate?: PeerCertificate, shown = certificate !== undefined): Error {
  const sentence = sentenceOf(error, certificate, shown);
  return sentence === undefined ? error : new TlsError(sentence);
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

export function issuerOf({ issuer }: PeerCertificate): string {
  const names = [issuer.CN, issuer.O ?? issuer.OU].flat().filter((part) => part !== undefined);
  return clipText(names.join(", "), maxIssuerBytes);
}

/** Always `undefined` without `minDaysLeft`. @param first to expire in the chain, if that was verified */
export function endsSoon(
  expiresAtMs: number | undefined,
  minDaysLeft: number | undefined,
  clock: Pick<Clock, "now">,
  first?: CertificateEnd,
): ProbeFailure | undefined {
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
