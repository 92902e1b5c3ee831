import { clipText } from "@sonde/kit/clip";
import { X509Certificate } from "node:crypto";
import { getCACertificates, type TLSSocket } from "node:tls";

export interface CertificateEnd {
  name: string;
  expiresAtMs: number;
}

const maxDepth = 10;
const maxNameBytes = 100;

let roots: Map<string, X509Certificate[]> | undefined;

function trustedRoots(): Map<string, X509Certificate[]> {
  if (roots !== undefined) return roots;
  roots = new Map();
  for (const pem of getCACertificates()) {
    const root = new X509Certificate(pem);
    roots.set(root.subject, [...(roots.get(root.subject) ?? []), root]);
  }
  return roots;
}

/**
 * Covers the chain that OpenSSL verified. Roots take precedence over sent certificates (X509_V_FLAG_TRUSTED_FIRST), so
 * an expired cross-signed one does not count.
 * @param socket after a handshake with a verified chain
 */
export function firstToExpire(socket: TLSSocket): CertificateEnd | undefined {
  let first: CertificateEnd | undefined;
  let next = socket.getPeerX509Certificate();
  for (let depth = 0; next !== undefined && depth < maxDepth; depth++) {
    const certificate = next;
    const expiresAtMs = Date.parse(certificate.validTo);
    if (first === undefined || expiresAtMs < first.expiresAtMs) first = { name: nameOf(certificate), expiresAtMs };
    if (certificate.subject === certificate.issuer) break;
    next = rootOf(certificate) ?? certificate.issuerCertificate;
  }
  return first;
}

/** If only one root has the issuer's name, OpenSSL used it; verifying again would cost time. */
function rootOf(certificate: X509Certificate): X509Certificate | undefined {
  const issuers = trustedRoots().get(certificate.issuer) ?? [];
  return issuers.find(
    (root) => certificate.checkIssued(root) && (issuers.length === 1 || certificate.verify(root.publicKey)),
  );
}

function nameOf({ subject }: X509Certificate): string {
  const found = /^CN=(.*)$/m.exec(subject) ?? /^OU?=(.*)$/m.exec(subject);
  return clipText(found?.[1] ?? subject.replaceAll("\n", ", "), maxNameBytes);
}
