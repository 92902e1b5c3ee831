import { AppError } from "@sonde/kit/errors";
import { prepareFailure } from "@sonde/kit/http/answer";
import type { Log } from "@sonde/kit/service/log";
import type { Context, Next } from "../context.ts";

export function errors(log: Log) {
  return async (ctx: Context, next: Next) => {
    try {
      await next();
    } catch (thrown) {
      const failure = prepareFailure(ctx.res, thrown, ctx.state, { log, route: ctx.state.route });
      if (failure === null) return;
      if (ctx.respond === false) return void ctx.res.destroy();
      ctx.status = failure.status;
      ctx.body = failure.body;
    }
  };
}

/** Responds to OPTIONS itself, returning `false`. @throws AppError `method_not_allowed` */
export function allowMethods(ctx: Context, methods: readonly string[]): boolean {
  if (methods.includes(ctx.method)) return true;
  ctx.set("Allow", [...methods, "OPTIONS"].join(", "));
  if (ctx.method !== "OPTIONS") throw new AppError("method_not_allowed", "This method is not allowed");
  ctx.status = 204;
  return false;
}
