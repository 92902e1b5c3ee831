import {
  registrationBodies,
  registrationBody,
  reportBodies,
  reportBody,
  unknownReportBodies,
} from "@sonde/kit/http/agent-bodies";
import { type BodyPool, createBodyPool } from "@sonde/kit/http/body-pool";
import { Agent } from "@sonde/kit/http/node-http";
import type { BodyLimits } from "@sonde/kit/http/request-body";
import type { Agent as HttpAgent } from "node:http";

/**
 * The limits of one kind of request: its bodies, and its own connections to agent-ingest. A full class does not delay
 * the others.
 */
export type RequestClass = { limits: BodyLimits; bodies: BodyPool; agent: HttpAgent };

/** Registrations, which need no key; reports by keys that were good lately, and by all others. */
export type RequestClasses = { register: RequestClass; known: RequestClass; unknown: RequestClass };

/** Less than agent-ingest keeps its own, so that no request meets a connection that is just being closed. */
const idleMs = 60_000;

export function createRequestClasses(): RequestClasses {
  const agentOf = (maxSockets: number) =>
    new Agent({ keepAlive: true, maxSockets, maxFreeSockets: Math.ceil(maxSockets / 4), timeout: idleMs });
  return {
    register: { limits: registrationBody, bodies: createBodyPool(registrationBodies), agent: agentOf(16) },
    known: { limits: reportBody, bodies: createBodyPool(reportBodies), agent: agentOf(256) },
    unknown: { limits: reportBody, bodies: createBodyPool(unknownReportBodies), agent: agentOf(64) },
  };
}
