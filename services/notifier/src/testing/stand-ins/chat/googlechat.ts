import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const path = "/v1/spaces/AAAAabcdefg/messages";
const error = (code: number, status: string, message: string) => ({
  status: code,
  body: { error: { code, message, status } },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "googlechat",
      config: (url) => ({ webhookUrl: `${url}${path}?key=AIzaSyA-1234567890&token=abcdefghijklmnop_qrst` }),
      answer({ method, path: given, query, text, json }, accept) {
        if (method !== "POST" || !given.startsWith(`${path}?`)) return error(404, "NOT_FOUND", "Space not found.");
        if (query.get("key") !== "AIzaSyA-1234567890") return named.bad_key;
        if (query.get("token") !== "abcdefghijklmnop_qrst") return named.bad_token;
        const { text: said, thread, ...rest } = (json ?? {}) as MessageBody;
        if (Object.keys(rest).length > 0) return error(400, "INVALID_ARGUMENT", "Invalid JSON payload: Unknown name");
        if (typeof said !== "string" || said === "") return named.empty;
        if (said.length > 4096 || Buffer.byteLength(text) > 32_000) return named.too_long;
        // Without the option an unknown thread is an error.
        if (thread !== undefined && query.get("messageReplyOption") !== "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD") {
          return error(404, "NOT_FOUND", "Thread not found.");
        }
        accept();
        const space = "spaces/AAAAabcdefg";
        const name = `${space}/messages/m${++lastId}`;
        return { status: 200, body: { name, text: said, thread: thread ?? { name: `${space}/threads/t${lastId}` } } };
      },
      throttle: error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
      named,
      limits: [{ key: () => "space", requests: 1, perMs: 1000 }],
    },
    options,
  );
}

type MessageBody = { text?: unknown; thread?: { name: string } };

const named = {
  bad_key: error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
  bad_token: error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
  left: error(403, "PERMISSION_DENIED", "The caller does not have permission"),
  empty: error(400, "INVALID_ARGUMENT", "Message cannot be empty."),
  too_long: error(400, "INVALID_ARGUMENT", "Message is too long."),
  failing: error(500, "INTERNAL", "Internal error encountered."),
};
