import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { type ReceivedRequest, type StandInOptions, startHttpStandIn } from "./stand-in.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const start = (options?: StandInOptions) =>
  startHttpStandIn(
    {
      type: "webhook",
      config: (url) => ({ url: `${url}/hooks/sonde`, method: "POST" as const, headers: [], secret }),
      answer(request, accept) {
        if (!isSigned(request)) return { status: 401, body: "the signature does not match" };
        accept();
        return { status: 204 };
      },
      throttle: { status: 429, headers: { "retry-after": "7" }, body: "slow down" },
      named: {
        gone: { status: 410, body: "gone" },
        moved: { status: 308, headers: { location: "https://elsewhere.example" } },
        missing: { status: 404, body: "no such page" },
        failing: { status: 500, body: "stack trace with internals" },
        busy: { status: 503, headers: { "retry-after": "30" } },
        bad_gateway: { status: 502 },
      },
    },
    options,
  );

function isSigned({ headers, text }: ReceivedRequest): boolean {
  try {
    new Webhook(secret).verify(text, { ...headers }, { jsonParse: false });
  } catch {
    return false;
  }
  const [, time = "", signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["x-sonde-signature"] ?? "") ?? [];
  return signature === createHmac("sha256", secret).update(`${time}.${text}`).digest("hex");
}
