import { createECDH } from "node:crypto";
import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const receiver = createECDH("prime256v1");
receiver.generateKeys();
/** The device's private key, for tests that decrypt what it received. */
export const deviceKey = receiver.getPrivateKey("base64url");
const keys = { p256dh: receiver.getPublicKey("base64url"), auth: "BTBZMqHH6r4Tts7J_aSIgg" };

export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "web-push",
      config: (url) => ({ endpoint: `${url}/push/device-1`, ...keys }),
      answer({ method, path, headers, bytes }, accept) {
        if (method !== "POST" || path !== "/push/device-1") return named.not_found;
        if (!/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=B[\w-]{86}$/.test(headers["authorization"] ?? ""))
          return named.unsigned;
        if (headers["content-encoding"] !== "aes128gcm" || !/^\d+$/.test(headers["ttl"] ?? "")) return named.invalid;
        if (!["very-low", "low", "normal", "high"].includes(headers["urgency"] ?? "")) return named.invalid;
        if (bytes.length > 4096) return named.too_large;
        accept();
        return { status: 201, headers: { location: `https://push.example/m/${Date.now()}` }, body: "" };
      },
      throttle: { status: 429, headers: { "retry-after": "7" }, body: "too many messages" },
      named,
    },
    options,
  );
}

/** RFC 8030, sections 5 and 7.3; RFC 8292, section 4.2. */
const named = {
  invalid: { status: 400, body: "invalid encryption headers" },
  unsigned: { status: 401, body: "missing authorization" },
  other_key: { status: 403, body: "the key does not match the subscription" },
  not_found: { status: 404, body: "" },
  gone: { status: 410, body: '{"code":410,"errno":106,"message":"No such subscription"}' },
  too_large: { status: 413, body: "payload too large" },
  failing: { status: 503, body: "try later" },
};
