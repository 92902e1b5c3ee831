import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

/** @returns certificates in PEM (RFC 7468) @throws Error that describes the problem */
export function readAuthorities(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new Error("contains no PEM certificate");
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

export function trustAuthorities(certificates: readonly string[]): void {
  setDefaultCACertificates([...getCACertificates(), ...certificates]);
}
