import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const deviceKey = "ynJ5Ft4atkMkWeo2PAvFhF";
const answer = (status: number, message: string) => ({
  status,
  body: { code: status, message, timestamp: 1_795_000_000 },
});

export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "bark",
      config: (serverUrl) => ({ serverUrl, deviceKey }),
      answer({ method, path, json }, accept) {
        if (method !== "POST" || path !== "/push") return answer(404, "Cannot POST");
        const { device_key, ...message } = (json ?? {}) as Record<string, unknown>;
        if (device_key === undefined || device_key === "") return answer(400, "device key is empty");
        if (device_key !== deviceKey) return named.unknown_key;
        const levels: unknown[] = ["active", "timeSensitive", "passive", "critical"];
        if (!levels.includes(message["level"] ?? "active")) return answer(400, "request bind failed");
        if (Buffer.byteLength(JSON.stringify(message)) > 4000) return named.too_large;
        accept();
        return answer(200, "success");
      },
      throttle: { status: 429, headers: { "retry-after": "5" }, body: "Too Many Requests" },
      named,
    },
    options,
  );
}

const named = {
  unknown_key: answer(400, "failed to get device token: failed to get [ynJ5] device token from database"),
  device_gone: answer(500, "push failed: BadDeviceToken"),
  too_large: answer(500, "push failed: PayloadTooLarge"),
  down: answer(500, "push failed: dial tcp: lookup api.push.apple.com: no such host"),
};
