import { type Cidr, countedAddress } from "@sonde/kit/addresses";
import { clientAddress } from "@sonde/kit/http/caller";
import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import { registrationBody, reportBody } from "@sonde/kit/http/agent-bodies";
import { readInflatedBody } from "./inflated-body.ts";
import { isJson, notJson, parseJson } from "@sonde/kit/http/request-body";
import { registerAgentInput } from "@sonde/proto/http/agents/agents";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import type { IncomingMessage } from "node:http";
import { registerAgent } from "../agents/register.ts";
import { maxBatchSamples, maxSampleBytes, reportUnitBytes, reportUnitSamples } from "../report/limits.ts";
import { openingLimits } from "../state/warnings.ts";
import type { ExchangeResponse, Exchange, HttpContext } from "../context.ts";

const maxAddresses = 50;

export async function register(ctx: HttpContext, { request, response }: Exchange): Promise<ExchangeResponse> {
  if (!isJson(request.headers["content-type"])) throw notJson();
  const address = addressOf(request, ctx.trustedProxies);
  const { refusals, registrationBodies: bodies } = ctx.intake;
  refusals.check(address);
  const reservation = bodies.enter(address);
  try {
    const body = await readInflatedBody(request, response, registrationBody, reservation);
    const { interval, ...given } = readRegistration(body);
    const intervalMs = Math.max(interval, ctx.intake.minIntervalSeconds) * 1000;
    const { agentId, key } = await registerAgent(ctx, { ...given, intervalMs }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "unauthenticated") refusals.take(address);
      throw error;
    });
    return { status: 201, body: { agentId, key, limits: limitsOf(ctx) } };
  } finally {
    reservation.leave();
  }
}

function readRegistration(body: Buffer) {
  const value = parseJson(body);
  const fault = tooManyAddresses(value);
  if (fault !== null) throw invalid([fault]);
  const parsed = registerAgentInput.safeParse(value);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues).slice(0, 50));
  return parsed.data;
}

/** Checked first, because a schema validates every entry before it counts them. */
export function tooManyAddresses(value: unknown): FieldFault | null {
  const list = (value as { ipAddresses?: unknown } | null)?.ipAddresses;
  if (!Array.isArray(list) || list.length <= maxAddresses) return null;
  return { path: "ipAddresses", message: "Too many entries (maximum {max})", params: { max: maxAddresses } };
}

const limitsOf = ({ intake, reportsPerMinute }: HttpContext) => ({
  minIntervalSeconds: intake.minIntervalSeconds,
  maxBatchSamples,
  maxBodyBytes: reportBody.maxBytes,
  maxSampleBytes,
  reportsPerMinute,
  reportUnitBytes,
  reportUnitSamples,
  maxOpenIncidents: openingLimits.maxOpen,
  incidentsPerMinute: openingLimits.maxPerMinute,
});

const addressOf = (request: IncomingMessage, trusted: readonly Cidr[]) =>
  countedAddress(clientAddress(request, trusted, { trustsPeer: true }));
