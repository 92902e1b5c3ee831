import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { StartupError } from "./startup-error.ts";
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

/** @throws StartupError on Node.js before 22.19, on which single-file runners may run */
export function trustAuthorities(certificates: readonly string[]): void {
  if (typeof setDefaultCACertificates !== "function")
    throw new StartupError("CA_FILE needs Node.js 22.19 or newer; older ones read NODE_EXTRA_CA_CERTS instead");
  setDefaultCACertificates([...getCACertificates(), ...certificates]);
}
