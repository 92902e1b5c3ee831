import { characters } from "@sonde/proto/http/text";
import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const userKey = "uQiRzpo4DXghDmr9QzzfQu27cmVRsG";
const apiToken = "azGDORePK8gMaC0QOYAMyEEuzJnyUi";
const refusal = (status: number, errors: string[], more: object = {}) => ({
  status,
  body: { status: 0, request: "5042853c-402d-4a18-abcb-168734a801de", errors, ...more },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "pushover",
      config: (apiBaseUrl) => ({ userKey, apiToken, apiBaseUrl }),
      answer({ method, path, json }, accept) {
        if (method !== "POST" || path !== "/1/messages.json") return { status: 404, body: "Not Found" };
        const given = (json ?? {}) as Record<string, unknown>;
        const { token, user, message = "", title = "", url = "", url_title = "", priority = 0 } = given;
        if (token !== apiToken) return named.wrong_token;
        if (user !== userKey) return named.wrong_user;
        if (message === "") return refusal(400, ["message cannot be blank"], { message: "cannot be blank" });
        const isTooLong = (value: unknown, max: number) => typeof value !== "string" || characters(value) > max;
        if (isTooLong(message, 1024) || isTooLong(title, 250)) return named.too_long;
        if (isTooLong(url, 512) || isTooLong(url_title, 100)) return refusal(400, ["url is too long"]);
        if (!Number.isInteger(priority) || Math.abs(Number(priority)) > 2) return refusal(400, ["priority is invalid"]);
        if (priority === 2 && !("retry" in given && "expire" in given)) {
          return refusal(400, ["retry must be supplied with priority 2", "expire must be supplied with priority 2"]);
        }
        accept();
        return { status: 200, body: { status: 1, request: `647d2300-702c-4b38-8b2f-${++lastId}` } };
      },
      throttle: {
        ...refusal(429, ["application is over its monthly message limit"]),
        headers: { "x-limit-app-remaining": "0", "x-limit-app-reset": "1795000000" },
      },
      named,
    },
    options,
  );
}

const named = {
  wrong_token: refusal(400, ["application token is invalid"], { token: "invalid" }),
  wrong_user: refusal(400, ["user identifier is not a valid user, group, or subscribed user key"], { user: "invalid" }),
  too_long: refusal(400, ["message is too long"], { message: "is too long" }),
  failing: { status: 500, body: "Internal Server Error" },
};
