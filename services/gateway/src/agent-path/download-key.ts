import { createPublicKey } from "node:crypto";

/** A public key on P-256 as SubjectPublicKeyInfo in base64, from PEM or from that; null where it is none. */
export function toSpki(text: string): string | null {
  try {
    const isPem = text.includes("-----");
    const key = createPublicKey(isPem ? text : { key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") return null;
    return key.export({ type: "spki", format: "der" }).toString("base64");
  } catch {
    return null;
  }
}
