import type { ChannelConfig } from "@sonde/proto/http/notifications/channel-types";
import { characters } from "@sonde/proto/http/text";
import { type StandInOptions, type StandInResponse, startHttpStandIn } from "./stand-in.ts";

export const accountSid = `AC${"0123456789abcdef".repeat(2)}`;
export const authToken = "f0e1d2c3b4a5968778695a4b3c2d1e0f";
const login = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`;
export const phoneNumber = /^\+\d{5,15}$/;
export const error = (status: number, code: number, message: string) => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});
export const noBody = error(400, 21602, "Message body is required.");

/** A channel of either API. */
export const config = (apiBaseUrl: string) => ({
  accountSid,
  authToken,
  from: "+15005550006",
  to: "+15558675310",
  apiBaseUrl,
});

/** Errors of all of Twilio's APIs. */
export const common = {
  wrong_token: error(401, 20003, "Authenticate"),
  wrong_number: error(400, 21211, "The 'To' number is not a valid phone number."),
  failing: error(500, 20500, "Internal Server Error"),
};

type TwilioApi<Type extends "twilio" | "twilio-voice", Named extends string> = {
  type: Type;
  config(url: string): ChannelConfig<Type>;
  /** By resource, what its ids begin with. */
  prefixes: Readonly<Record<string, string>>;
  named: Record<Named, StandInResponse>;
  /** Checks the fields of a request besides `To`. */
  refuse(resource: string, fields: Partial<Record<string, string>>): StandInResponse | undefined;
};

export function startTwilio<Type extends "twilio" | "twilio-voice", Named extends string>(
  { type, config, prefixes, named, refuse }: TwilioApi<Type, Named>,
  options?: StandInOptions,
) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type,
      config,
      answer({ method, path, headers, text }, accept) {
        const [, account, resource = ""] = /^\/2010-04-01\/Accounts\/(\w+)\/(\w+)\.json$/.exec(path) ?? [];
        const prefix = prefixes[resource];
        if (method !== "POST" || account !== accountSid || prefix === undefined)
          return error(404, 20404, "The requested resource was not found");
        if (headers["authorization"] !== login) return common.wrong_token;
        const fields: Partial<Record<string, string>> = Object.fromEntries(new URLSearchParams(text));
        const { To: to = "", From: from = "" } = fields;
        const refusal = phoneNumber.test(to) ? refuse(resource, fields) : common.wrong_number;
        if (refusal !== undefined) return refusal;
        accept();
        const sid = `${prefix}${String(++lastId).padStart(32, "0")}`;
        return { status: 201, body: { sid, status: "queued", to, from, error_code: null } };
      },
      throttle: error(429, 20429, "Too Many Requests"),
      named,
    },
    options,
  );
}

/** Twilio's Messages API. */
export const start = (options?: StandInOptions) =>
  startTwilio(
    {
      type: "twilio",
      config,
      prefixes: { Messages: "SM" },
      named,
      refuse(_resource, { From = "", MessagingServiceSid = "", Body = "" }) {
        if (From === "" && MessagingServiceSid === "") return error(400, 21603, "A 'From' phone number is required.");
        if (Body === "") return noBody;
        return characters(Body) > 1600 ? named.too_long : undefined;
      },
    },
    options,
  );

const named = {
  ...common,
  unsubscribed: error(400, 21610, "Attempt to send to unsubscribed recipient"),
  not_ours: error(400, 21606, "The 'From' phone number is not a valid, SMS-capable number for this account"),
  too_long: error(400, 21617, "The concatenated message body exceeds the 1600 character limit"),
};
