import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { failure } from "@sonde/proto/http/envelope";
import type { z } from "zod";

/** An answer that says no, in the server's own words. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type HttpOptions = {
  /** Where Sonde is reached. */
  url: string;
  /** Its public name, where it listens to that one alone. */
  host: string | undefined;
};
export type Request = { method: "GET" | "POST" | "DELETE"; path: string; body?: object; token?: string | undefined };

const limitMs = 30_000;
const maxAnswerBytes = 4 * 1024 * 1024;

/**
 * Asks Sonde's HTTP API, and reads the answer by its schema.
 * @throws Refusal where the answer is no success; Error where there is none
 */
export async function ask<Shape extends z.ZodType>(
  { url, host }: HttpOptions,
  { method, path, body, token }: Request,
  shape: Shape,
): Promise<z.output<Shape>> {
  const address = new URL(path, url);
  const send = address.protocol === "https:" ? overHttps : overHttp;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    "Accept-Language": "en-US",
    "User-Agent": "sonde-setup",
    ...(host === undefined ? {} : { Host: host }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
  };
  const signal = AbortSignal.timeout(limitMs);
  const { status, bytes } = await new Promise<{ status: number; bytes: Buffer }>((resolve, reject) => {
    const asking = send(address, { method, headers, agent: false, signal }, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on("data", (part: Buffer) => {
        length += part.length;
        if (length > maxAnswerBytes) asking.destroy(new Error("its answer is too large"));
        else parts.push(part);
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(parts) }));
    });
    asking.once("error", (fault) =>
      reject(signal.aborted ? new Error(`no answer within ${limitMs / 1000} s`, { cause: fault }) : fault),
    );
    asking.end(text);
  });
  return read(status, bytes, shape);
}

function read<Shape extends z.ZodType>(status: number, bytes: Buffer, shape: Shape): z.output<Shape> {
  const start = bytes.toString("utf8", 0, 200);
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Refusal(status, "unreadable", `status ${status} without JSON: is this Sonde? It says: ${start}`);
  }
  const refused = failure.safeParse(body);
  if (refused.success) throw new Refusal(status, refused.data.code, refused.data.message);
  const known = shape.safeParse(body);
  if (known.success) return known.data;
  throw new Refusal(status, "unreadable", `status ${status} with an answer that this version does not know: ${start}`);
}
