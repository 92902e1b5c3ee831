import { hash, randomBytes } from "node:crypto";

/** A token or a key: 256 random bits, base64url. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** What is kept of it: hex SHA-256. Of 256 random bits a plain hash tells nothing. */
export const secretHash = (secret: string): string => hash("sha256", secret, "hex");
