import { startHttpStandIn, type StandInOptions } from "./stand-in.ts";

const number = "+491701234567";
const [username, password] = ["sonde", "pass:w0rd"];
const login = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
const refusal = (status: number, error: string, more: object = {}) => ({ status, body: { error, ...more } });

export function start(options?: StandInOptions) {
  let lastMs = 1_795_000_000_000;
  return startHttpStandIn(
    {
      type: "signal",
      config: (serverUrl) => ({ serverUrl, number, recipients: "+491707654321, group.YWJj", username, password }),
      answer({ method, path, headers, json }, accept) {
        if (headers["authorization"] !== login) return named.wrong_login;
        if (method !== "POST" || path !== "/v2/send") return { status: 404, body: "404 page not found" };
        const given = (json ?? {}) as { message?: unknown; number?: unknown; recipients?: unknown };
        const { message = "", recipients = [] } = given;
        if (json === undefined || typeof message !== "string") return named.unreadable;
        if (given.number !== number) return named.not_registered;
        if (!Array.isArray(recipients) || recipients.length === 0) {
          return refusal(400, "Couldn't process request - please provide at least one recipient");
        }
        if (recipients.some((each) => !/^(?:\+\d+|group\.[\w+/=-]+)$/.test(String(each)))) return named.wrong_recipient;
        if (Buffer.byteLength(message) > 2000) return refusal(400, "The message became an attachment");
        accept();
        return { status: 201, body: { timestamp: String(++lastMs) } };
      },
      throttle: refusal(429, "Rate limit exceeded: [429] Proof required", {
        challenge_tokens: ["abc"],
        account: number,
      }),
      named,
    },
    options,
  );
}

const named = {
  wrong_login: { status: 401, body: "401 Authorization Required" },
  unreadable: refusal(400, "Couldn't process request - invalid request"),
  not_registered: refusal(400, "User +491701234567 is not registered."),
  wrong_recipient: refusal(400, "Failed to send message: Unregistered user"),
  limited_in_400: refusal(400, "Failed to send message: [413] Rate Limited"),
  failing: refusal(500, "signal-cli is not running"),
};
