import { AppError } from "@sonde/kit/errors";
import type { Context } from "../context.ts";

/**
 * Whether a request is to be answered, having one of these methods; OPTIONS, which names them, is answered here.
 * @throws AppError `method_not_allowed`
 */
export function allowMethods(ctx: Context, methods: readonly string[]): boolean {
  if (methods.includes(ctx.method)) return true;
  ctx.set("Allow", [...methods, "OPTIONS"].join(", "));
  if (ctx.method !== "OPTIONS") throw new AppError("method_not_allowed", "This method is not allowed here");
  ctx.status = 204;
  return false;
}
