import { hash, randomBytes } from "node:crypto";

/** A token or a key: 256 random bits, base64url. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** The stored form: hex SHA-256. For 256 random bits a plain hash is enough. */
export const secretHash = (secret: string): string => hash("sha256", secret, "hex");
