import { createHmac } from "node:crypto";

type Signed = {
  /** Of the message: the same at each attempt. */
  id: string;
  /** Epoch ms of this attempt. */
  atMs: number;
  /** The exact text that is sent. */
  body: string;
  secret?: string;
};

const prefix = "whsec_";

/**
 * Headers of Standard Webhooks 1.0, and beside them `X-Sonde-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`.
 * Without a secret there are no signatures.
 */
export function signatureHeaders({ id, atMs, body, secret }: Signed): Record<string, string> {
  const seconds = String(Math.floor(atMs / 1000));
  const named = { "webhook-id": id, "webhook-timestamp": seconds };
  if (secret === undefined) return named;
  const standard = createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.${body}`).digest("base64");
  const own = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { ...named, "webhook-signature": `v1,${standard}`, "x-sonde-signature": `t=${seconds},v1=${own}` };
}

/** A secret of the standard's form is base64 behind its prefix; of any other the characters are the key. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret);
}
