import { recoveryCodeCount } from "@sonde/proto/http/factors";
import { hash, randomBytes } from "node:crypto";
import { base32 } from "./totp.ts";

/** 80 random bits each, in four groups. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(10)).toLowerCase().match(/.{4}/g)!.join("-"));

/** The stored form; it needs no salt, since codes are random. People type them in their own way. */
export const hashRecoveryCode = (code: string): string =>
  hash("sha256", code.toLowerCase().replaceAll(/[\s-]/g, ""), "hex");
