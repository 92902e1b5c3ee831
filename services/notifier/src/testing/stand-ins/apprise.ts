import { startHttpStandIn, type StandInOptions } from "./stand-in.ts";

const configKey = "c0ffee1234abcd";
const answer = (status: number, error: string | null) => ({
  status,
  body: {
    error,
    details: [["INFO", "2026-11-22 08:35:12,123", "Sent ntfy notification to 'https://ntfy.example.com'."]],
  },
});

export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "apprise",
      config: (serverUrl) => ({ serverUrl, configKey }),
      answer({ method, path, headers, json }, accept) {
        if (method !== "POST" || !path.startsWith("/notify/")) return { status: 404, body: "Not Found" };
        if (path !== `/notify/${configKey}`) return named.unknown_key;
        const { body = "", type = "info", format = "text" } = (json ?? {}) as Record<string, unknown>;
        if (typeof body !== "string" || body === "") return answer(400, "Payload lacks minimum requirements");
        if (!["info", "success", "warning", "failure"].includes(String(type))) return named.invalid;
        if (!["text", "markdown", "html"].includes(String(format))) return named.invalid;
        accept();
        if (headers["accept"] !== "application/json") return { status: 200, body: '<ul class="logs"></ul>' };
        return answer(200, null);
      },
      throttle: { status: 429, headers: { "retry-after": "5" }, body: "Too Many Requests" },
      named,
    },
    options,
  );
}

const named = {
  unknown_key: { status: 204 },
  no_tag: answer(424, "One or more notification could not be sent"),
  invalid: answer(400, "An invalid notification type was specified"),
  denied: { status: 403, body: { error: "The site has been configured to deny this request" } },
  failing: answer(500, "An error occurred accessing configuration"),
};
