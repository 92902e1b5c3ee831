import type { ErrorCode } from "@sonde/proto/http/error-codes";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import { fill, type MessageParams } from "@sonde/proto/http/fill";
import type { Message } from "@sonde/proto/http/messages";

export type { ErrorCode, FieldFault };

export type AppErrorOptions = {
  params?: MessageParams;
  details?: readonly FieldFault[];
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** The only error that crosses the bus. Its message may be shown to users; its cause must not be. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  /** Key in `proto/http/messages`. */
  readonly key: Message;
  readonly params: MessageParams;
  readonly details: readonly FieldFault[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: Message, options: AppErrorOptions = {}) {
    super(fill(message, options.params), { cause: options.cause });
    this.code = code;
    this.key = message;
    this.params = options.params ?? {};
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** 400. */
export function invalid(details: readonly FieldFault[]): AppError {
  return new AppError("invalid", "The request is not valid", { details });
}

/** 422: the input refers to missing objects or conflicts with the current state. */
export function impossible(details: readonly FieldFault[]): AppError {
  return new AppError("impossible", "The request is not valid", { details });
}

/** 503. `service` is a display name. */
export function unavailable(service: string, cause?: unknown): AppError {
  return new AppError("unavailable", "The {service} service is currently unavailable", {
    params: { service },
    cause,
  });
}

/** `null` if the service is unavailable. @throws other errors */
export async function orNull<Part>(part: Promise<Part>): Promise<Part | null> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return null;
    throw error;
  }
}

/** Wraps unknown errors as `internal`. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError("internal", "Something went wrong. Quote request {requestId} when you report it.", {
    cause: thrown,
  });
}
