import { type StandInResponse, startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const accessToken = "syt_c29uZGU_abcdefghijklmnopqrst_0abcde";
const roomId = "!alerts:example.com";
const error = (status: number, errcode: string, text: string, more: object = {}) => ({
  status,
  body: { errcode, error: text, ...more },
});

/** Matrix homeserver with one account in one room. A repeated transaction id creates no second event. */
export function start(options?: StandInOptions) {
  const events = new Map<string, StandInResponse>();
  return startHttpStandIn(
    {
      type: "matrix",
      config: (homeserverUrl) => ({ homeserverUrl, accessToken, roomId }),
      answer({ method, path, headers, text, json }, accept) {
        const [, room = "", transaction = ""] =
          /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/?]+)$/.exec(path) ?? [];
        if (method !== "PUT" || transaction === "") return error(404, "M_UNRECOGNIZED", "Unrecognized request");
        if (headers["authorization"] !== `Bearer ${accessToken}`) return named.unknown_token;
        if (decodeURIComponent(room) !== roomId) return named.not_in_room;
        const known = events.get(transaction);
        if (known !== undefined) return known;
        const { msgtype, body } = (json ?? {}) as Record<string, unknown>;
        if (json === undefined) return error(400, "M_NOT_JSON", "Content not JSON.");
        if (typeof msgtype !== "string" || typeof body !== "string") return error(400, "M_BAD_JSON", "No body");
        if (Buffer.byteLength(text) > 65_000) return named.too_large;
        accept();
        const answer = { status: 200, body: { event_id: `$event${events.size + 1}:example.com` } };
        events.set(transaction, answer);
        return answer;
      },
      throttle: error(429, "M_LIMIT_EXCEEDED", "Too Many Requests", { retry_after_ms: 2500 }),
      named,
      limits: [{ key: ({ headers }) => headers["authorization"] ?? "", requests: 10, perMs: 50_000 }],
    },
    options,
  );
}

const named = {
  unknown_token: error(401, "M_UNKNOWN_TOKEN", "Invalid access token passed.", { soft_logout: false }),
  not_in_room: error(403, "M_FORBIDDEN", "User @sonde:example.com not in room !alerts:example.com"),
  too_large: error(413, "M_TOO_LARGE", "event too large"),
};
