import { startHttpStandIn, type StandInOptions } from "./stand-in.ts";

const channelAccessToken = "nhS5Vj0mO2bTb3Zz0Qm1+Yt7w/Fk8=";
const to = "U0123456789abcdef0123456789abcdef";
const error = (status: number, message: string, more: object = {}) => ({ status, body: { message, ...more } });

/** LINE Messaging API with one official account. A repeated retry key creates no second message. */
export function start(options?: StandInOptions) {
  const known = new Set<string>();
  return startHttpStandIn(
    {
      type: "line",
      config: (apiBaseUrl) => ({ channelAccessToken, to, apiBaseUrl }),
      answer({ method, path, headers, json }, accept) {
        if (method !== "POST" || path !== "/v2/bot/message/push") return error(404, "Not found");
        if (headers["authorization"] !== `Bearer ${channelAccessToken}`) return named.wrong_token;
        const key = headers["x-line-retry-key"] ?? "";
        if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(key)) {
          return error(400, "Invalid retry key");
        }
        if (known.has(key)) return named.taken_before;
        const { to: given, messages = [] } = (json ?? {}) as { to?: unknown; messages?: Message[] };
        if (given !== to) return named.wrong_recipient;
        if (messages.length < 1 || messages.length > 5) return named.invalid;
        const isWrong = ({ type, text = "" }: Message) => type !== "text" || text === "" || text.length > 5000;
        if (messages.some(isWrong)) return named.invalid;
        accept();
        known.add(key);
        return { status: 200, body: { sentMessages: [{ id: String(460_000 + known.size), quoteToken: "q3Plxr" }] } };
      },
      throttle: error(429, "The API rate limit has been exceeded. Try again later."),
      named,
    },
    options,
  );
}

type Message = { type?: string; text?: string };

const named = {
  wrong_token: error(401, "Authentication failed. Confirm that the access token in the authorization header is valid."),
  wrong_recipient: error(400, "The property, 'to', in the request body is invalid (line: -, column: -)"),
  invalid: error(400, "The request body has 1 error(s)", {
    details: [{ message: "Length must be between 0 and 5000", property: "messages[0].text" }],
  }),
  used_up: error(429, "You have reached your monthly limit."),
  taken_before: {
    ...error(409, "The retry key is already accepted"),
    headers: { "x-line-accepted-request-id": "123e4567-e89b-12d3-a456-426655440000" },
  },
  failing: error(500, "Internal server error"),
};
