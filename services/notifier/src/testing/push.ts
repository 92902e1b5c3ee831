import { createDecipheriv, createECDH, generateKeyPairSync, hkdfSync } from "node:crypto";
import type { DeviceKeys } from "../channels/push/encrypt.ts";
import type { PushIdentity } from "../channels/push/vapid.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const { x = "", y = "" } = pair.publicKey.export({ format: "jwk" });
const point = [Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];

export const testIdentity: PushIdentity = {
  publicKey: Buffer.concat(point).toString("base64url"),
  privateKey: pair.privateKey,
  subject: "https://sonde.example.com",
};

/** Does what a browser does: RFC 8291, section 3, and RFC 8188, section 2. */
export function decryptPush(body: Buffer, privateKey: string, { p256dh, auth }: DeviceKeys): string {
  const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 21 + body.readUInt8(20))];
  const own = createECDH("prime256v1");
  own.setPrivateKey(privateKey, "base64url");
  const derive = (secret: Uint8Array, salted: Uint8Array, info: Uint8Array, bytes: number) =>
    Buffer.from(hkdfSync("sha256", secret, salted, info, bytes));
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), Buffer.from(p256dh, "base64url"), sender]);
  const secret = derive(own.computeSecret(sender), Buffer.from(auth, "base64url"), info, 32);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const decipher = createDecipheriv(
    "aes-128-gcm",
    key,
    derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12),
  );
  decipher.setAuthTag(body.subarray(-16));
  const record = Buffer.concat([decipher.update(body.subarray(21 + sender.length, -16)), decipher.final()]);
  return record.subarray(0, record.lastIndexOf(2)).toString();
}
