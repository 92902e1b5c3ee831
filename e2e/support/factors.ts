import { createHmac } from "node:crypto";
import type { Api } from "@sonde/testing/api";

/** The code of an authenticator app (RFC 6238) that was given this secret in base 32, some steps of 30 s from now. */
export function totpCode(secret: string, steps = 0): string {
  const bits = Array.from(secret)
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac("sha1", key).update(counter).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

type Begun = { ticket: string; totp: { secret: string } };

/** Begins an authenticator app of whom the API's token is of. */
export const beginApp = (api: Api): Promise<Begun> => api.send<Begun>("POST", "/api/me/factors", { type: "totp" });

/** Adds one; answers its id and secret. */
export async function addApp(api: Api): Promise<{ id: number; secret: string; recoveryCodes: string[] }> {
  const { ticket, totp } = await beginApp(api);
  const body = { type: "totp", ticket, code: totpCode(totp.secret) };
  const added = await api.send<{ factor: { id: number }; recoveryCodes: string[] }>("POST", "/api/me/factors", body);
  return { id: added.factor.id, secret: totp.secret, recoveryCodes: added.recoveryCodes };
}
