import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const token = "tk_abcdefghijklmnopqrstuvwxyz012";
const error = (status: number, code: number, text: string) => ({
  status,
  body: { code, http: status, error: text, link: "https://ntfy.sh/docs/publish/" },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "ntfy",
      config: (serverUrl) => ({ serverUrl, topic: "sonde-alerts", token }),
      answer({ method, path, headers, json }, accept) {
        if (method !== "POST" || path !== "/") return error(404, 40_401, "page not found");
        if (headers["authorization"] !== `Bearer ${token}`) return named.unauthorized;
        const { topic, message = "", priority = 3, actions = [] } = (json ?? {}) as Record<string, unknown>;
        if (json === undefined) return error(400, 40_024, "invalid request: request body must be valid JSON");
        if (typeof topic !== "string" || !/^[-_A-Za-z0-9]{1,64}$/.test(topic)) {
          return error(400, 40_009, "invalid request: topic invalid");
        }
        if (!Number.isInteger(priority) || Number(priority) < 1 || Number(priority) > 5) {
          return error(400, 40_007, "invalid request: priority invalid");
        }
        if (!Array.isArray(actions) || actions.length > 3)
          return error(400, 40_018, "invalid request: actions invalid");
        // A longer message becomes an attachment, which this server does not accept.
        if (Buffer.byteLength(String(message)) > 4096) {
          return error(400, 40_014, "invalid request: attachments not allowed");
        }
        accept();
        return { status: 200, body: { id: `msg${++lastId}`, time: 1_795_000_000, event: "message", topic, message } };
      },
      throttle: error(429, 42_901, "limit reached: too many requests"),
      named,
      limits: [{ key: () => "visitor", requests: 60, perMs: 300_000 }],
    },
    options,
  );
}

const named = {
  unauthorized: error(401, 40_101, "unauthorized"),
  forbidden: error(403, 40_301, "forbidden"),
  invalid: error(400, 40_018, "invalid request: actions invalid"),
  full: error(507, 50_701, "insufficient storage"),
};
