import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

type Wanted = {
  /** DNS names or IPv4 addresses; the first is the common name. */
  names: readonly string[];
  notAfter: Date;
  /** Self-signed by default. */
  issuer?: { names: readonly string[]; key: string };
  /** PEM; a new key by default. */
  key?: string;
  subjectAltName?: boolean;
};

/** PEM for tests and benchmarks: P-256 with SHA-256 (RFC 5280), encoded in DER by hand. */
export function makeCertificate({ names, notAfter, issuer, key, subjectAltName = true }: Wanted) {
  const { publicKey, privateKey } =
    key === undefined
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : { publicKey: createPublicKey(key), privateKey: createPrivateKey(key) };
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const commonName = ([name = "test"]: readonly string[]) =>
    sequence(tlv(0x31, sequence(oid("550403"), tlv(0x0c, Buffer.from(name)))));
  const notBefore = new Date(Math.min(Date.now(), notAfter.getTime()) - 86_400_000);
  const toBeSigned = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    commonName(issuer?.names ?? names),
    sequence(time(notBefore), time(notAfter)),
    commonName(names),
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(...(subjectAltName ? [alternativeNames(names)] : []), basicConstraints())),
  );
  const signature = sign("sha256", toBeSigned, issuer?.key ?? privateKey);
  const der = sequence(toBeSigned, algorithm, tlv(0x03, Buffer.concat([Buffer.of(0), signature])));
  // A trailing empty line would make the PEM invalid.
  const lines = der.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    /^[\d.]+$/.test(name) ? tlv(0x87, Buffer.from(name.split(".").map(Number))) : tlv(0x82, Buffer.from(name)),
  );
  return sequence(oid("551d11"), tlv(0x04, sequence(...entries)));
}

function basicConstraints(): Buffer {
  return sequence(oid("551d13"), tlv(0x01, Buffer.of(0xff)), tlv(0x04, sequence(tlv(0x01, Buffer.of(0xff)))));
}

function time(at: Date): Buffer {
  return tlv(0x18, Buffer.from(`${at.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`));
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
}
