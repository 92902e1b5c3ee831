import { AppError, type FieldFault } from "@sonde/kit/errors";
import { reportBody } from "@sonde/kit/http/agent-bodies";
import { readInflatedBody } from "./inflated-body.ts";
import type { BodyReservation } from "@sonde/kit/http/body-pool";
import { isLateBody } from "@sonde/kit/http/request-body";
import { hostFacts } from "@sonde/proto/http/agents/agents";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { type Language, translate } from "@sonde/proto/http/messages";
import type { IncomingMessage } from "node:http";
import { describeHost } from "../agents/register.ts";
import type { Reporter } from "../keys/keys.ts";
import { admit, takeReport } from "../report/report.ts";
import { tooManyAddresses } from "./register.ts";
import type { ExchangeResponse, Exchange, HttpContext } from "../context.ts";

/** Reads the body only if the key is valid and the rate allows it. */
export async function report(ctx: HttpContext, exchange: Exchange): Promise<ExchangeResponse> {
  const { request, language } = exchange;
  const reporter = await ctx.keys.check(bearerOf(request));
  admit(ctx.intake, reporter);
  const { accepted, rejected, serverTimeMs, interval, host } = await receive(ctx, reporter, exchange);
  ctx.intake.fullness.accepted();
  const resendHost = host !== undefined && !(await storeHost(ctx, reporter.agentId, host, rejected));
  return {
    status: 200,
    body: {
      accepted,
      rejected: rejected.length === 0 ? undefined : rejected.map((fault) => presentFault(fault, language)),
      serverTime: new Date(serverTimeMs).toISOString(),
      interval,
      resendHost: resendHost || undefined,
    },
  };
}

async function receive({ intake, clock }: HttpContext, reporter: Reporter, { request, response }: Exchange) {
  let reservation: BodyReservation | undefined;
  try {
    reservation = intake.reportBodies.enter(String(reporter.agentId));
    const body = await readInflatedBody(request, response, reportBody, reservation);
    const receivedAtMs = clock.now();
    return await takeReport(intake, reporter, { contentType: request.headers["content-type"], body, receivedAtMs });
  } catch (error) {
    // A late body says nothing about capacity.
    if (error instanceof AppError && error.code === "unavailable" && !isLateBody(error)) intake.fullness.refused();
    throw error;
  } finally {
    reservation?.leave();
  }
}

/** Stores valid facts of a host; false if that is impossible now. They never fail a report. */
async function storeHost(ctx: HttpContext, agentId: number, given: unknown, rejected: FieldFault[]): Promise<boolean> {
  const long = tooManyAddresses(given);
  const parsed = long === null ? hostFacts.safeParse(given) : null;
  if (parsed?.success === true) return describeHost(ctx, agentId, parsed.data);
  const faults = long === null ? faultsOf(parsed?.error.issues ?? []) : [long];
  rejected.push(...faults.map((fault) => ({ ...fault, path: `host.${fault.path}` })));
  return true;
}

const presentFault = ({ path, message, params }: FieldFault, language: Language) => ({
  path,
  message: translate(message, language, params),
});

function bearerOf(request: IncomingMessage): string {
  const [, key] = /^bearer +(\S{1,200})$/i.exec(request.headers.authorization ?? "") ?? [];
  if (key === undefined) throw new AppError("unauthenticated", "The agent key is not valid or has been revoked");
  return key;
}
