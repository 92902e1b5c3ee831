import { errorCodes } from "@sonde/proto/http/error-codes";
import { isMessage, type Message } from "@sonde/proto/http/messages";
import * as z from "zod";
import { AppError, toAppError } from "./errors.ts";

export function encodeError(error: AppError): string {
  const { code, key, params, details, retryAfterSeconds } = error;
  return JSON.stringify({ code, key, params, details, retryAfterSeconds });
}

const params = z.record(z.string(), z.union([z.string(), z.number()]));
const message = z.custom<Message>((text) => typeof text === "string" && isMessage(text));
const reply = z.object({
  code: z.enum(errorCodes),
  key: message,
  params,
  details: z.array(z.object({ path: z.string(), message, params: params.optional() })),
  retryAfterSeconds: z.number().optional(),
});

/** An unreadable reply becomes an internal error. */
export function decodeError(text: string): AppError {
  try {
    const { code, key, ...options } = reply.parse(JSON.parse(text));
    return new AppError(code, key, options);
  } catch (cause) {
    return toAppError(new Error(`unreadable error reply: ${text.slice(0, 200)}`, { cause }));
  }
}
