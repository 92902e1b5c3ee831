import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from "node:crypto";

/** One record holds the whole message, so push services must accept at least this much (RFC 8030, section 7.2). */
const recordBytes = 4096;
const [saltBytes, keyBytes, nonceBytes] = [16, 16, 12];

/** For tests with known values. */
type Chosen = { sender: ECDH; salt: Buffer };

export type DeviceKeys = { p256dh: string; auth: string };

/**
 * Encrypts a message for one browser, as `aes128gcm` (RFC 8188) with the keys of its subscription (RFC 8291).
 * @throws Error if `p256dh` is not a point on P-256
 */
export function encryptPush(
  plain: string,
  { p256dh, auth }: DeviceKeys,
  { sender, salt }: Chosen = { sender: newPair(), salt: randomBytes(saltBytes) },
): Buffer {
  const device = Buffer.from(p256dh, "base64url");
  const own = sender.getPublicKey();
  const derive = (secret: Uint8Array, salted: Uint8Array, info: Uint8Array, bytes: number) =>
    Buffer.from(hkdfSync("sha256", secret, salted, info, bytes));
  const keyInfo = Buffer.concat([Buffer.from("WebPush: info\0"), device, own]);
  const secret = derive(sender.computeSecret(device), Buffer.from(auth, "base64url"), keyInfo, 32);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), keyBytes);
  const nonce = derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), nonceBytes);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // 2 marks the last record.
  const sealed = [cipher.update(plain, "utf8"), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()];
  const header = Buffer.alloc(5);
  header.writeUInt32BE(recordBytes);
  header.writeUInt8(own.length, 4);
  return Buffer.concat([salt, header, own, ...sealed]);
}

function newPair(): ECDH {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  return pair;
}
