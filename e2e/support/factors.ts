import { createHmac } from "node:crypto";
import type { Api } from "@sonde/testing/api";

/** Returns an authenticator app's code (RFC 6238) for a base 32 secret, `steps` periods of 30 s from now. */
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

type Enrolment = { ticket: string; totp: { secret: string } };

/** Starts the enrolment of an authenticator app for the user of the API's token. */
export const startEnrolment = (api: Api): Promise<Enrolment> =>
  api.send<Enrolment>("POST", "/api/me/factors", { type: "totp" });

export async function addApp(api: Api): Promise<{ id: number; secret: string; recoveryCodes: string[] }> {
  const { ticket, totp } = await startEnrolment(api);
  const body = { type: "totp", ticket, code: totpCode(totp.secret) };
  const added = await api.send<{ factor: { id: number }; recoveryCodes: string[] }>("POST", "/api/me/factors", body);
  return { id: added.factor.id, secret: totp.secret, recoveryCodes: added.recoveryCodes };
}
