import { clipText } from "@sonde/kit/clip";
import { X509Certificate } from "node:crypto";
import { getCACertificates, type TLSSocket } from "node:tls";

/** A certificate of a chain, and when it expires. */
export interface CertificateEnd {
  name: string;
  expiresAtMs: number;
}

const maxDepth = 10;
const maxNameBytes = 100;

let roots: Map<string, X509Certificate[]> | undefined;

/** The trusted roots by their subject. They are read once, for the first check that needs them. */
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
 * The certificate that expires first of the chain that OpenSSL verified: from the server's own to a trusted root, which is
 * looked for before what the server sent (X509_V_FLAG_TRUSTED_FIRST), so that an expired cross-signed one does not count.
 * @param socket after a handshake whose chain was verified
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

/** A single root of that name is the one that OpenSSL verified the certificate by: to verify it again takes time. */
function rootOf(certificate: X509Certificate): X509Certificate | undefined {
  const issuers = trustedRoots().get(certificate.issuer) ?? [];
  return issuers.find(
    (root) => certificate.checkIssued(root) && (issuers.length === 1 || certificate.verify(root.publicKey)),
  );
}

/** Its common name, else its organisation. */
function nameOf({ subject }: X509Certificate): string {
  const found = /^CN=(.*)$/m.exec(subject) ?? /^OU?=(.*)$/m.exec(subject);
  return clipText(found?.[1] ?? subject.replaceAll("\n", ", "), maxNameBytes);
}
