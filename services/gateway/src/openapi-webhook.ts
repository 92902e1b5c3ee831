import { webhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import type { Describing } from "./openapi-agents.ts";

const text = (description: string) => ({ schema: { type: "string" }, description });
const header = (name: string, description: string, required = false) => ({
  name,
  in: "header",
  required,
  ...text(description),
});

/** What a notification channel of type webhook sends, which others receive. */
export const describeWebhook = ({ schemaOf }: Pick<Describing, "schemaOf">) => ({
  alert: {
    post: {
      summary: "One moment of an incident, sent to a notification channel of type webhook",
      description:
        "By Standard Webhooks 1.0, where the channel has no body of its own. A body has less than 20 KB. Signatures are there where the channel has a secret. 2xx is a success, 410 ends the channel, whatever else is answered is tried again for 24 hours.",
      operationId: "alertWebhook",
      tags: ["notifications"],
      parameters: [
        header("webhook-id", "Of the message: the same at each attempt", true),
        header("webhook-timestamp", "Seconds since 1970, of the attempt", true),
        header("webhook-signature", '"v1," and base64 of HMAC-SHA256 over "id.timestamp.body"'),
        header("X-Sonde-Signature", 't=<seconds>,v1=<hex of HMAC-SHA256 over "t.body">'),
      ],
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(webhookEvent, "output") } } },
      responses: { "2XX": { description: "Taken" }, 410: { description: "Nothing more is wanted" } },
    },
  },
});
