import { createPrivateKey, createPublicKey, hash, sign } from "node:crypto";
import type { Permissions } from "@sonde/proto/permissions";

/** DER of an Ed25519 private key, before its 32 bytes (RFC 8410 §7). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An authorization request of nats-server. */
export type AuthRequest = { userNkey: string; serverId: string; user: string; password: string };

/** Reads a request, which only nats-server can publish. @throws Error if it is malformed */
export function readAuthRequest(token: string): AuthRequest {
  const { nats } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    nats: { user_nkey: string; server_id: { id: string }; connect_opts: { user?: string; pass?: string } };
  };
  const { user = "", pass: password = "" } = nats.connect_opts;
  return { userNkey: nats.user_nkey, serverId: nats.server_id.id, user, password };
}

/**
 * Signs responses to authorization requests. nats-server accepts only those of the issuer in its configuration. The
 * client's own library signs in JavaScript, which takes 25 ms.
 * @param keys `SONDE_KEY_CALLOUT`; the first key is used
 */
export function calloutIssuer(keys: string) {
  const [first = ""] = keys.split(",");
  const seed = Buffer.from(first, "base64");
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const publicKey = accountKey(Buffer.from(x, "base64url"));

  const token = (claims: { sub: string; aud: string; name?: string; nats: object }) => {
    const body = { iss: publicKey, iat: Math.floor(Date.now() / 1000), ...claims };
    const jti = hash("sha256", JSON.stringify(body), "hex");
    const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ jti, ...body })}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
  };
  const respond = ({ userNkey, serverId }: AuthRequest, nats: object) =>
    token({ sub: userNkey, aud: serverId, nats: { type: "authorization_response", version: 2, ...nats } });

  return {
    /** `issuer` of the server's configuration. */
    publicKey,
    accept(request: AuthRequest, { publish, subscribe }: Permissions): string {
      const limits = { subs: maxSubscriptions, data: -1, payload: -1 };
      const nats = { type: "user", version: 2, pub: publish, sub: subscribe, ...limits };
      return respond(request, { jwt: token({ sub: request.userNkey, aud: "$G", name: request.user, nats }) });
    },
    refuse: (request: AuthRequest): string => respond(request, { error: "unknown user or wrong password" }),
  };
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Encodes a public key as the nkey of an account: prefix 0, key and CRC-16/XMODEM in base32 (github.com/nats-io/nkeys).
 * The supervisor needs only this, and stays small without the library.
 */
export function accountKey(publicKey: Buffer): string {
  const bytes = Buffer.concat([Buffer.of(0), publicKey, Buffer.alloc(2)]);
  let crc = 0;
  for (const byte of bytes.subarray(0, -2)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  bytes.writeUInt16LE(crc, bytes.length - 2);
  const digits = BigInt(`0x${bytes.toString("hex")}`)
    .toString(32)
    .padStart(56, "0");
  return digits.replace(/./g, (digit) => base32.charAt(Number.parseInt(digit, 32)));
}

/** A runner needs fewer than 50. */
const maxSubscriptions = 500;

export type CalloutIssuer = ReturnType<typeof calloutIssuer>;
