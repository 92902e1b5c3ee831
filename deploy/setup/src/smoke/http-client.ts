import { failure } from "@sonde/proto/http/envelope";
import type { z } from "zod";
import { type ReceivedResponse, send } from "../http.ts";

/** An error response, with the server's own message. */
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
export type ApiRequest = { method: "GET" | "POST" | "DELETE"; path: string; body?: object; token?: string | undefined };

/**
 * Asks Sonde's HTTP API, and reads the answer by its schema.
 * @throws Refusal where the answer is no success; Error if there is none
 */
export async function ask<Shape extends z.ZodType>(
  { url, host }: HttpOptions,
  { method, path, body, token }: ApiRequest,
  shape: Shape,
): Promise<z.output<Shape>> {
  const headers = {
    "Accept-Language": "en-US",
    ...(host === undefined ? {} : { Host: host }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  return read(await send(new URL(path, url), { method, headers, body }), shape);
}

function read<Shape extends z.ZodType>({ status, text }: ReceivedResponse, shape: Shape): z.output<Shape> {
  const start = text.slice(0, 200);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(status, "unreadable", `status ${status} without JSON: is this Sonde? It says: ${start}`);
  }
  const refused = failure.safeParse(body);
  if (refused.success) throw new Refusal(status, refused.data.code, refused.data.message);
  const known = shape.safeParse(body);
  if (known.success) return known.data;
  throw new Refusal(status, "unreadable", `status ${status} with an answer that this version does not know: ${start}`);
}
