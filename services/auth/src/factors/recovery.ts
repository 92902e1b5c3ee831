import { recoveryCodeCount } from "@sonde/proto/http/factors";
import { hash, randomBytes } from "node:crypto";
import { base32 } from "./totp.ts";

/** 80 random bits each, in four groups. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(10)).toLowerCase().match(/.{4}/g)!.join("-"));

/** Ignores case, spaces and hyphens. Unsalted, since codes are random. */
export const hashRecoveryCode = (code: string): string =>
  hash("sha256", code.toLowerCase().replaceAll(/[\s-]/g, ""), "hex");
