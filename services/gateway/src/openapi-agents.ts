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

const reportBody = z.object({
  samples: z
    .array(z.object(shapesOf(sampleFields)))
    .min(1)
    .max(500),
  sentAt: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: "The agent's clock when it sends the report" }),
  interval: z
    .number()
    .min(1)
    .max(3600)
    .optional()
    .meta({ description: "Current sampling interval in seconds; absent means the interval given at registration" }),
  host: hostFacts.optional().meta({ description: "Sent when the agent starts and when the host changes" }),
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

export function describeAgentRoutes({ schemaOf, failuresOf, headers }: Describing): Record<string, Json> {
  const json = (schema: z.ZodType, io: "input" | "output") => ({ schema: schemaOf(schema, io) });
  const failures = failuresOf(refusals);
  return {
    "/agent/v1/register": {
      post: {
        summary: "Exchange a one-time registration token for an agent id and key",
        description:
          "Bodies are at most 64 KiB. After 30 rejected tokens from one address within a minute, the response is 429. The key is only returned here, together with the limits for its reports.",
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
          "Accepts protobuf (sonde.agents.v1.Report) or the same message as JSON, optionally gzip-encoded. A body is at most 4 MiB, also after decompression; a sample is at most 64 KiB. Valid samples are stored, and invalid ones are listed in `rejected`; if none is valid, the response is 400. Towards the agent's rate limit, each started 64 KiB and each started 100 samples count as one report. An agent can have at most 16 reports, or 16 MiB, in progress; more are 429. A body that arrives too slowly is 503: send the same samples again.",
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
            description: "Success: accepted samples are stored",
            headers,
            content: { "application/json": json(reportAnswer, "output") },
          },
          ...failures,
        },
      },
    },
  };
}
