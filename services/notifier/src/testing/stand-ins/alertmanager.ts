import * as z from "zod";
import { startHttpStandIn, type StandInOptions } from "./stand-in.ts";

const [username, password] = ["sonde", "pass:w0rd"];
const login = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
const refusal = (status: number, text: string) => ({ status, body: JSON.stringify(text) });

const labels = z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/), z.string());
/** Alertmanager's `postableAlerts`: an instant without time zone is invalid. */
const postable = z.array(
  z
    .strictObject({
      labels: labels.refine((given) => Object.values(given).some((value) => value !== "")),
      annotations: labels.optional(),
      startsAt: z.iso.datetime().optional(),
      endsAt: z.iso.datetime().optional(),
      generatorURL: z.url().optional(),
    })
    .refine(({ startsAt, endsAt }) => !startsAt || !endsAt || Date.parse(endsAt) >= Date.parse(startsAt)),
);

export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "alertmanager",
      config: (serverUrl) => ({ serverUrl, username, password }),
      answer({ method, path, headers, json }, accept) {
        if (headers["authorization"] !== login) return named.wrong_login;
        if (method !== "POST" || path !== "/api/v2/alerts") return refusal(404, "path was not found");
        if (!postable.safeParse(json).success) return named.invalid;
        accept();
        return { status: 200 };
      },
      throttle: { status: 429, headers: { "retry-after": "3" }, body: "Too Many Requests" },
      named,
    },
    options,
  );
}

const named = {
  wrong_login: { status: 401, body: "Unauthorized" },
  invalid: refusal(400, "bad_data: start time must be before end time"),
  failing: refusal(500, "could not insert the alert"),
  old: { status: 410, body: '{"status":"deprecated","error":"The Alertmanager v1 API was removed"}' },
};
