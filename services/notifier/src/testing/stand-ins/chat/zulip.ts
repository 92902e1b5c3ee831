import { characters } from "@sonde/proto/http/text";
import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const bot = { botEmail: "sonde-bot@zulip.example.com", apiKey: "a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3" };
const login = `Basic ${Buffer.from(`${bot.botEmail}:${bot.apiKey}`).toString("base64")}`;
const error = (status: number, code: string, msg: string, more: object = {}) => ({
  status,
  body: { result: "error", code, msg, ...more },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "zulip",
      config: (serverUrl) => ({ serverUrl, ...bot, channel: "alerts", topic: "Sonde" }),
      answer({ method, path, headers, text }, accept) {
        if (method !== "POST" || path !== "/api/v1/messages") return { status: 404, body: "Not Found" };
        if (headers["authorization"] !== login) return named.wrong_key;
        const form = new URLSearchParams(text);
        const { type, to, topic = "", content = "" } = Object.fromEntries(form);
        if (type !== "stream" && type !== "channel") return error(400, "BAD_REQUEST", "Invalid type");
        if (to !== "alerts") return named.no_channel;
        if (topic === "" || characters(topic) > 60) return error(400, "BAD_REQUEST", "Topic is missing");
        if (content.trim() === "") return error(400, "BAD_REQUEST", "Message must not be empty");
        // A real server truncates it.
        if (characters(content) > 10_000) return error(400, "BAD_REQUEST", "Message is too long");
        accept();
        return { status: 200, body: { result: "success", msg: "", id: ++lastId } };
      },
      throttle: {
        ...error(429, "RATE_LIMIT_HIT", "API usage exceeded rate limit", { "retry-after": 2.5 }),
        headers: { "retry-after": "2.5" },
      },
      named,
      limits: [{ key: () => "bot", requests: 200, perMs: 60_000 }],
    },
    options,
  );
}

const named = {
  wrong_key: error(401, "UNAUTHORIZED", "Invalid API key"),
  deactivated: error(403, "USER_DEACTIVATED", "Account is deactivated"),
  no_channel: error(400, "STREAM_DOES_NOT_EXIST", "Channel 'alerts' does not exist", { stream: "alerts" }),
  not_allowed: error(400, "BAD_REQUEST", "Not authorized to send to channel 'alerts'"),
  invalid: error(400, "BAD_REQUEST", "Invalid message"),
  failing: error(500, "INTERNAL_SERVER_ERROR", "Internal server error"),
};
