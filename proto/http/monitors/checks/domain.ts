import { trimmedLine } from "../../text.ts";
import { canonicalHost, minDaysLeft } from "./fields.ts";
import { kind } from "./kind.ts";

/** At least two labels, and the last one is not numeric, to exclude IP addresses. */
const isDomain = (text: string) => /^(?:[a-z\d_-]+\.)+[a-z\d-]*[a-z-][a-z\d-]*\.?$/.test(canonicalHost(text) ?? "");

/** Checks that a registered domain does not expire. */
export const domain = kind({
  type: "domain",
  interval: { min: 360, usual: 1440 },
  fields: {
    domain: trimmedLine().refine(isDomain, "Please enter a domain, such as example.com").meta({
      format: "hostname",
      description:
        "The domain or a name in it: `www.example.co.uk` checks `example.co.uk`. The expiry is read with RDAP, which not every registry offers.",
    }),
    minDaysLeft: minDaysLeft.default(30),
  },
  target: (check) => `domain://${check.domain}`,
});
