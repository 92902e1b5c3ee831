import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const token = "AppToken_1";
const error = (status: number, name: string, errorDescription: string) => ({
  status,
  body: { error: name, errorCode: status, errorDescription },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "gotify",
      config: (serverUrl) => ({ serverUrl, token }),
      answer({ method, path, headers, json }, accept) {
        if (method !== "POST" || path !== "/message") return error(404, "Not Found", "page not found");
        if (headers["x-gotify-key"] !== token) return named.wrong_token;
        const { title, message, priority, extras } = (json ?? {}) as Record<string, unknown>;
        if (typeof message !== "string" || message === "") {
          return error(400, "Bad Request", "Field 'message' is required");
        }
        accept();
        const date = "2026-11-22T08:00:00Z";
        return { status: 200, body: { id: ++lastId, appid: 1, title, message, priority, extras, date } };
      },
      // Gotify has no limit, but a proxy in front of it may.
      throttle: { status: 429, headers: { "retry-after": "3" }, body: "slow down" },
      named,
    },
    options,
  );
}

const named = {
  wrong_token: error(
    401,
    "Unauthorized",
    "you need to provide a valid access token or user credentials to access this api",
  ),
  database_down: error(500, "Internal Server Error", "database is locked"),
};
