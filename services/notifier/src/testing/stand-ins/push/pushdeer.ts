import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const pushKey = "PDU1TAbCdEfGhIjKlMnOpQrStUvWxYz";
const taken = JSON.stringify({ counts: 1, logs: [], success: "ok" });
const results = (...result: string[]) => ({ status: 200, body: { code: 0, content: { result } } });
const refusal = (code: number, error: string) => ({ status: 200, body: { code, error } });

/** PushDeer server with one device. Its own responses all have status 200. */
export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "pushdeer",
      config: (serverUrl) => ({ serverUrl, pushKey }),
      answer({ method, path, json }, accept) {
        if (method !== "POST" || path !== "/message/push") return { status: 404, body: "Not Found" };
        const { pushkey, text = "", type = "text" } = (json ?? {}) as Record<string, unknown>;
        if (text === "" || pushkey === undefined) return refusal(80501, "The text field is required.");
        if (!["text", "markdown", "image"].includes(String(type))) return refusal(80501, "The type is invalid.");
        if (pushkey !== pushKey) return named.unknown_key;
        accept();
        return results(taken);
      },
      throttle: { status: 429, headers: { "retry-after": "60" }, body: "Too Many Attempts." },
      named,
    },
    options,
  );
}

const named = {
  unknown_key: results(),
  invalid: refusal(80501, "The text field is required."),
  forbidden: refusal(80403, "pushkey is not yours"),
  remote: refusal(80502, "APNs is not available"),
  not_pushed: results(JSON.stringify({ counts: 1, logs: [{ error: "BadDeviceToken" }], success: "fail" })),
};
