import { characters } from "@sonde/proto/http/text";
import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const path = "/hooks/64f1c0ffee/AbCdEfGhIjKlMnOpQrStUvWxYz";
const refusal = (status: number, error: string) => ({ status, body: { success: false, error } });

export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "rocketchat",
      config: (url) => ({ webhookUrl: `${url}${path}` }),
      answer(request, accept) {
        if (request.method !== "POST" || request.path !== path) return named.unknown;
        const { text = "", attachments = [] } = (request.json ?? {}) as { text?: string; attachments?: Attachment[] };
        if (text === "" && attachments.length === 0) return refusal(400, "Invalid message");
        if ([text, ...attachments.map((each) => each.text ?? "")].some((each) => characters(each) > 5000)) {
          return named.too_long;
        }
        accept();
        return { status: 200, body: { success: true } };
      },
      throttle: refusal(
        429,
        "Error, too many requests. Please slow down. You must wait 33 seconds before trying this endpoint again. [error-too-many-requests]",
      ),
      named,
      limits: [{ key: (request) => request.path, requests: 10, perMs: 60_000 }],
    },
    options,
  );
}

type Attachment = { color?: string; text?: string };

const named = {
  unknown: refusal(404, "Invalid integration id or token provided."),
  no_channel: refusal(400, "invalid-channel"),
  too_long: refusal(400, "error-message-size-exceeded"),
  script: refusal(200, "Message was not taken by the script"),
  off: { status: 503, body: "Service Unavailable" },
};
