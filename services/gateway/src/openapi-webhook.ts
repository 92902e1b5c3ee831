import { webhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import type { Describing } from "./openapi-agents.ts";

const text = (description: string) => ({ schema: { type: "string" }, description });
const header = (name: string, description: string, required = false) => ({
  name,
  in: "header",
  required,
  ...text(description),
});

export const describeWebhook = ({ schemaOf }: Pick<Describing, "schemaOf">) => ({
  alert: {
    post: {
      summary: "Event of an incident, sent through a webhook channel",
      description:
        "Follows Standard Webhooks 1.0 unless the channel has a custom body. Bodies are smaller than 20 KB. Signatures are sent if the channel has a secret. A 2xx response is a success, 410 disables the channel, and any other response is retried for 24 hours.",
      operationId: "alertWebhook",
      tags: ["notifications"],
      parameters: [
        header("webhook-id", "Id of the message; the same for every attempt", true),
        header("webhook-timestamp", "Time of the attempt, in seconds since 1970", true),
        header("webhook-signature", '"v1," and base64 of HMAC-SHA256 over "id.timestamp.body"'),
        header("X-Sonde-Signature", 't=<seconds>,v1=<hex of HMAC-SHA256 over "t.body">'),
      ],
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(webhookEvent, "output") } } },
      responses: { "2XX": { description: "Accepted" }, 410: { description: "No further messages wanted" } },
    },
  },
});
