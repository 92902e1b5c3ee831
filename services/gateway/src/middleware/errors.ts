import { type AppError, toAppError } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import { type Failure, statusOfCode } from "@sonde/proto/http/envelope";
import { type Language, translate } from "@sonde/proto/http/messages";
import type { Context, Next } from "../context.ts";

/** Seconds until a retry makes sense, where the error itself says nothing. */
const retryAfter: Partial<Record<AppError["code"], number>> = { too_many: 30, unavailable: 2 };

/** The one place where an error becomes a response. */
export function errors(log: Log) {
  return async (ctx: Context, next: Next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toAppError(thrown);
      const { requestId, language } = ctx.state;
      if (error.code === "internal")
        log.error({ err: error.cause ?? error, requestId, route: ctx.state.route }, "fault");
      if (ctx.headerSent || ctx.respond === false) return void ctx.res.destroy();
      ctx.status = statusOfCode[error.code];
      const seconds = error.retryAfterSeconds ?? retryAfter[error.code];
      if (seconds !== undefined) ctx.set("Retry-After", String(Math.max(1, Math.ceil(seconds))));
      speak(ctx);
      ctx.body = failureOf(error, language, requestId);
    }
  };
}

/** Marks an answer as written in the request's language. */
export function speak(ctx: Context): void {
  ctx.res.setHeader("Content-Language", ctx.state.language);
  ctx.res.setHeader("Vary", "Accept-Encoding, Accept-Language");
  ctx.res.setHeader("Cache-Control", "no-store");
}

/** An error as a person may read it. */
export function failureOf(error: AppError, language: Language, requestId: string): Failure {
  const isInternal = error.code === "internal";
  return {
    success: false,
    // A sentence of another service's fault could tell of its inside.
    message: isInternal
      ? translate("Something went wrong. Quote request {requestId} when you report it.", language, { requestId })
      : translate(error.key, language, error.params),
    code: error.code,
    ...(error.details.length > 0 && !isInternal
      ? {
          errors: error.details.map(({ path, message, params }) => ({
            path,
            message: translate(message, language, params),
          })),
        }
      : {}),
    ...(isInternal ? { requestId } : {}),
  };
}
