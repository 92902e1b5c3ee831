import { hash, randomBytes } from "node:crypto";

/** 256 random bits, without any information about the user. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** The stored form of a token: hex SHA-256. It needs no salt, since the token is random. */
export const hashToken = (token: string): string => hash("sha256", token, "hex");
