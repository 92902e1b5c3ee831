import { characters } from "@sonde/proto/http/text";
import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const path = "/hooks/xxx9wq1abtbdzkzsbpqxtq5r7y";
const error = (status: number, id: string, message: string) => ({
  status,
  body: { id, message, detailed_error: "", request_id: "pz8f1k", status_code: status },
});

export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "mattermost",
      config: (url) => ({ webhookUrl: `${url}${path}` }),
      answer(request, accept) {
        if (request.method !== "POST" || request.path !== path) return named.deleted;
        const { text = "", attachments = [] } = (request.json ?? {}) as { text?: string; attachments?: Attachment[] };
        if (request.json === undefined) return named.unreadable;
        if (text === "" && attachments.length === 0) {
          return error(400, "web.incoming_webhook.text.app_error", "No text specified.");
        }
        const isTooLong = attachments.some((each) => typeof each.text !== "string" || each.text.length > 16_383);
        if (isTooLong || characters(text) > 16_383) return named.unreadable;
        accept();
        return { status: 200, body: "ok" };
      },
      throttle: { status: 429, headers: { "retry-after": "1", "x-ratelimit-reset": "1" }, body: "limit exceeded" },
      named,
      limits: [{ key: () => "address", requests: 10, perMs: 1000 }],
    },
    options,
  );
}

type Attachment = { fallback?: string; color?: string; text?: string };

const named = {
  deleted: error(400, "web.incoming_webhook.invalid.app_error", "Invalid webhook."),
  off: error(
    501,
    "web.incoming_webhook.disabled.app_error",
    "Incoming webhooks have been disabled by the system admin.",
  ),
  locked: error(403, "web.incoming_webhook.channel_locked.app_error", "This webhook is not permitted to post here."),
  unreadable: error(400, "web.incoming_webhook.decode.app_error", "Unable to parse incoming data."),
  failing: error(500, "app.post.save.app_error", "We couldn't save the post."),
};
