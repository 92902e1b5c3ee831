import { prepareFailure } from "@sonde/kit/http/answer";
import type { Log } from "@sonde/kit/service/log";
import type { Context, Next } from "../context.ts";

/** Errors become answers here, and nowhere else. */
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
