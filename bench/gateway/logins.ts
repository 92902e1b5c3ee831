import { randomInt } from "node:crypto";
import { keepBusy } from "./keep-busy.ts";

// Guesses passwords, each from a new address, so that no per-address limit avoids the hashing: logins.ts <port>
// <username> <ms> <connections>
const [port, username, durationMs, connections] = process.argv.slice(2);
const body = JSON.stringify({ username, password: "not the right one" });
const address = () => `198.51.${randomInt(256)}.${randomInt(256)}`;
const request = () =>
  [
    "POST /api/auth/login HTTP/1.1",
    "Host: localhost",
    `X-Forwarded-For: ${address()}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
const load = { port: Number(port), connections: Number(connections), durationMs: Number(durationMs), request };
const counts = await keepBusy(load);
process.send?.(counts, () => process.exit(0));
