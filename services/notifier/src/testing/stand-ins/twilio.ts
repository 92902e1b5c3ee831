import { characters } from "@sonde/proto/http/text";
import { startHttpStandIn, type StandInOptions } from "./stand-in.ts";

const accountSid = `AC${"0123456789abcdef".repeat(2)}`;
const authToken = "f0e1d2c3b4a5968778695a4b3c2d1e0f";
const login = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`;
const error = (status: number, code: number, message: string) => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "twilio",
      config: (apiBaseUrl) => ({ accountSid, authToken, from: "+15005550006", to: "+15558675310", apiBaseUrl }),
      answer({ method, path, headers, text }, accept) {
        const expected = `/2010-04-01/Accounts/${accountSid}/Messages.json`;
        if (method !== "POST" || path !== expected) return error(404, 20404, "The requested resource was not found");
        if (headers["authorization"] !== login) return named.wrong_token;
        const {
          To = "",
          From = "",
          MessagingServiceSid = "",
          Body = "",
        } = Object.fromEntries(new URLSearchParams(text));
        if (!/^\+\d{5,15}$/.test(To)) return named.wrong_number;
        if (From === "" && MessagingServiceSid === "") return error(400, 21603, "A 'From' phone number is required.");
        if (Body === "") return error(400, 21602, "Message body is required.");
        if (characters(Body) > 1600) return named.too_long;
        accept();
        const sid = `SM${String(++lastId).padStart(32, "0")}`;
        return { status: 201, body: { sid, status: "queued", to: To, from: From, body: Body, error_code: null } };
      },
      throttle: error(429, 20429, "Too Many Requests"),
      named,
    },
    options,
  );
}

const named = {
  wrong_token: error(401, 20003, "Authenticate"),
  wrong_number: error(400, 21211, "The 'To' number is not a valid phone number."),
  unsubscribed: error(400, 21610, "Attempt to send to unsubscribed recipient"),
  not_ours: error(400, 21606, "The 'From' phone number is not a valid, SMS-capable number for this account"),
  too_long: error(400, 21617, "The concatenated message body exceeds the 1600 character limit"),
  failing: error(500, 20500, "Internal Server Error"),
};
