import { AppError } from "@sonde/kit/errors";
import { registerRunnerInput, runnerPath, startRunnerInput } from "@sonde/proto/http/monitors/runners";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { readJsonBody } from "../middleware/body.ts";
import { allowMethods } from "../middleware/errors.ts";
import { bearerToken } from "../sessions/sessions.ts";
import { validate } from "../validate.ts";

const bodyLimits = { maxBytes: 4096, deadlineMs: 10_000 };

export const isRunnerPath = (path: string) => path.startsWith(`${runnerPath}/`);

/** Requests of remote runners: registration with a token, and the settings with which each start begins. */
export const serveRunners =
  ({ services: { monitors }, runners: count }: Pick<Deps, "services" | "runners">) =>
  async (ctx: Context) => {
    ctx.state.route = "runner";
    const path = ctx.path.slice(runnerPath.length + 1);
    if (path !== "register" && path !== "start") throw new AppError("not_found", "Nothing exists at this address");
    if (!allowMethods(ctx, ["POST"])) return;
    const { requestId, address } = ctx.state;
    await count(address);
    const body = await readJsonBody(ctx.req, ctx.res, bodyLimits);
    const call = { call: { requestId, address } };
    if (path === "register") {
      ctx.status = 201;
      const registered = await monitors.registerRunner(validate(registerRunnerInput, body), call);
      ctx.body = { success: true, ...registered };
      return;
    }
    const key = bearerToken(ctx.req) ?? "";
    const settings = await monitors.startRunner({ ...validate(startRunnerInput, body), key }, call);
    ctx.body = { success: true, ...settings };
  };
