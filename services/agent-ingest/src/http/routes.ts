import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import { hostFacts, registerAgentInput } from "@sonde/proto/http/agents";
import { faultsOf } from "@sonde/proto/http/issues";
import { translate, type Language } from "@sonde/proto/http/messages";
import type { IncomingMessage } from "node:http";
import { describeHost } from "../agents/describe.ts";
import { registerAgent } from "../agents/register.ts";
import type { Context } from "../context.ts";
import { readReport } from "../report/read.ts";
import { admit, type IntakeContext, maxBatchSamples, takeReport } from "../report/report.ts";
import { maxBodyBytes, readBody, refuse } from "./body.ts";

export type HttpContext = Pick<Context, "db" | "clock" | "published" | "keys"> & {
  intake: IntakeContext;
  reportsPerMinute: number;
};
export type Answer = { status: number; body: object };
export type Handle = (ctx: HttpContext, request: IncomingMessage, language: Language) => Promise<Answer>;

/** `POST` alone, by path. */
export const routes: ReadonlyMap<string, Handle> = new Map<string, Handle>([
  ["/agent/v1/register", register],
  ["/agent/v1/report", report],
]);

async function register(ctx: HttpContext, request: IncomingMessage): Promise<Answer> {
  const [type = ""] = (request.headers["content-type"] ?? "").toLowerCase().split(";");
  if (type.trim() !== "application/json") {
    throw refuse(request, new AppError("invalid", "The content type must be application/json"));
  }
  const address = addressOf(request);
  const { refusals } = ctx.intake;
  try {
    refusals.check(address);
  } catch (error) {
    throw refuse(request, error as AppError);
  }
  const body = await readBody(request);
  const parsed = registerAgentInput.safeParse(parseJson(body));
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues).slice(0, 50));
  const { interval, ...given } = parsed.data;
  for (const path of ["token", "name"] as const) {
    if (given[path]?.includes("\0")) throw invalid([{ path, message: "This value is not valid" }]);
  }
  const intervalMs = Math.max(interval, ctx.intake.minIntervalSeconds) * 1000;
  const { agentId, key } = await registerAgent(ctx, { ...given, intervalMs }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "unauthenticated") refusals.take(address);
    throw error;
  });
  const limits = {
    minIntervalSeconds: ctx.intake.minIntervalSeconds,
    maxBatchSamples,
    maxBodyBytes,
    reportsPerMinute: ctx.reportsPerMinute,
  };
  return { status: 201, body: { agentId, key, limits } };
}

/** Whose request it is, as the gateway saw it. */
function addressOf({ headers, socket }: IncomingMessage): string {
  const forwarded = headers["x-forwarded-for"];
  return typeof forwarded === "string" ? forwarded.slice(0, 100) : (socket.remoteAddress ?? "");
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new AppError("invalid", "The body is not valid JSON", { cause });
  }
}

async function report(ctx: HttpContext, request: IncomingMessage, language: Language): Promise<Answer> {
  const reporter = await Promise.resolve()
    .then(() => ctx.keys.check(bearerOf(request)))
    .then((known) => (admit(ctx.intake, known), known))
    .catch((error: AppError) => {
      throw refuse(request, error);
    });
  const body = await readBody(request);
  const given = readReport(request.headers["content-type"], body);
  const { accepted, rejected, serverTimeMs, interval } = await takeReport(ctx.intake, reporter, given);
  const resendHost = given.host !== undefined && !(await keepHost(ctx, reporter.agentId, given.host, rejected));
  return {
    status: 200,
    body: {
      accepted,
      ...(rejected.length === 0 ? {} : { rejected: rejected.map((fault) => say(fault, language)) }),
      serverTime: new Date(serverTimeMs).toISOString(),
      ...(interval === undefined ? {} : { interval }),
      ...(resendHost ? { resendHost } : {}),
    },
  };
}

/** Keeps what a host says of itself, where it is sound; false where that cannot be now. A report never fails for it. */
async function keepHost(ctx: HttpContext, agentId: number, given: unknown, rejected: FieldFault[]): Promise<boolean> {
  const parsed = hostFacts.safeParse(given);
  if (parsed.success) return describeHost(ctx, agentId, parsed.data);
  rejected.push(...faultsOf(parsed.error.issues).map((fault) => ({ ...fault, path: `host.${fault.path}` })));
  return true;
}

const say = ({ path, message, params }: AppError["details"][number], language: Language) => ({
  path,
  message: translate(message, language, params),
});

function bearerOf(request: IncomingMessage): string {
  const [, key] = /^bearer +(\S{1,200})$/i.exec(request.headers.authorization ?? "") ?? [];
  if (key === undefined) throw new AppError("unauthenticated", "The agent key is not valid or was revoked");
  return key;
}
