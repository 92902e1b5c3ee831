import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

/**
 * The certificates of a bundle, each as PEM (RFC 7468).
 * @throws Error with the file's fault
 */
export function readAuthorities(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new Error("holds no certificate in PEM");
  for (const [index, certificate] of certificates.entries()) {
    if (!isCertificate(certificate)) throw new Error(`certificate ${index + 1} is damaged`);
  }
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** From now on this process trusts these certificates beside those that it trusts already. */
export function trustAuthorities(certificates: readonly string[]): void {
  setDefaultCACertificates([...getCACertificates(), ...certificates]);
}
