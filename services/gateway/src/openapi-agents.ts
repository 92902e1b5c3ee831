import {
  hostFacts,
  registerAgentAnswer,
  registerAgentInput,
  reportAnswer,
  shapesOf,
} from "@sonde/proto/http/agents/agents";
import type { ErrorCode } from "@sonde/proto/http/envelope";
import { sampleFields } from "@sonde/proto/samples/fields";
import * as z from "zod";

type Json = { [key: string]: unknown };

export type Describing = {
  schemaOf(schema: z.ZodType, io: "input" | "output"): Json;
  failuresOf(codes: readonly ErrorCode[]): Json;
  headers: Json;
};

/** Samples as they may be sent: unknown fields are ignored. */
const reportBody = z.object({
  samples: z
    .array(z.object(shapesOf(sampleFields)))
    .min(1)
    .max(500),
  sentAt: z.iso.datetime({ offset: true }).optional().meta({ description: "The agent's clock as the report leaves" }),
  interval: z
    .number()
    .min(1)
    .max(3600)
    .optional()
    .meta({ description: "How often the agent samples now, seconds; absent: as it said when it registered" }),
  host: hostFacts.optional().meta({ description: "Told when the agent starts and when it changes" }),
});

const refusals: readonly ErrorCode[] = [
  "invalid",
  "unauthenticated",
  "method_not_allowed",
  "too_large",
  "misdirected",
  "too_many",
  "internal",
  "unavailable",
];

/** The routes that agents call. They have keys instead of sessions, and agent-ingest answers them. */
export function describeAgentRoutes({ schemaOf, failuresOf, headers }: Describing): Record<string, Json> {
  const json = (schema: z.ZodType, io: "input" | "output") => ({ schema: schemaOf(schema, io) });
  const failures = failuresOf(refusals);
  return {
    "/agent/v1/register": {
      post: {
        summary: "Trade a one-time registration token for an agent's id and key",
        description:
          "Bodies are at most 64 KiB. Thirty tokens that are refused within a minute from one address end in 429. The key is told in this answer alone, with the limits that hold for its reports.",
        operationId: "registerAgent",
        tags: ["agents"],
        security: [],
        "x-who": "token",
        parameters: [],
        requestBody: { required: true, content: { "application/json": json(registerAgentInput, "input") } },
        responses: {
          201: {
            description: "Success",
            headers,
            content: { "application/json": json(registerAgentAnswer, "output") },
          },
          ...failures,
        },
      },
    },
    "/agent/v1/report": {
      post: {
        summary: "Report samples of a host",
        description:
          "As protobuf (sonde.agents.v1.Report), or as JSON of the same message; gzip is accepted as content encoding. A body is at most 4 MiB, also once it was decompressed, and a sample 64 KiB. Good samples are kept and bad ones listed in rejected; 400 where none is good. A report counts against its agent's rate once for each 64 KiB and for each 100 samples that it has begun. One agent has at most 16 reports, or 16 MiB of them, under way; more are 429. A body that comes too slowly is 503: the same samples may be sent again.",
        operationId: "reportSamples",
        tags: ["agents"],
        security: [{ agentKey: [] }],
        "x-who": "agent",
        parameters: [],
        requestBody: {
          required: true,
          content: {
            "application/json": json(reportBody, "input"),
            "application/x-protobuf": { schema: { type: "string", format: "binary" } },
          },
        },
        responses: {
          200: {
            description: "Success: what was accepted is stored",
            headers,
            content: { "application/json": json(reportAnswer, "output") },
          },
          ...failures,
        },
      },
    },
  };
}
