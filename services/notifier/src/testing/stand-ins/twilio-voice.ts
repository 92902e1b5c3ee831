import type { StandInOptions } from "./stand-in.ts";
import { common, config, error, noBody, phoneNumber, startTwilio } from "./twilio.ts";

/** Twilio's Calls API, and its Messages API for the ends of incidents. */
export const start = (options?: StandInOptions) =>
  startTwilio(
    {
      type: "twilio-voice",
      config,
      prefixes: { Calls: "CA", Messages: "SM" },
      named,
      refuse(resource, { From = "", Url = "", StatusCallback = "", Body = "" }) {
        if (!phoneNumber.test(From)) return named.not_ours;
        if (resource === "Messages") return Body === "" ? noBody : undefined;
        return [Url, StatusCallback].every((url) => URL.canParse(url)) ? undefined : named.no_address;
      },
    },
    options,
  );

const named = {
  ...common,
  not_ours: error(400, 21212, "The 'From' number is not a valid phone number, shortcode, or alphanumeric sender ID."),
  no_address: error(400, 21205, "Url parameter is not valid"),
  not_permitted: error(400, 21215, "Account not authorized to call this number"),
};
