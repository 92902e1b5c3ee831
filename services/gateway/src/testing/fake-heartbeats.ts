import type { Handlers } from "@sonde/kit/bus/rpc";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";

type Monitors = Handlers<typeof monitorsContract>;

export const fakePingKey = "fake-ping-key";
const at = "2026-01-31T12:00:00.000Z";

type Names =
  | "schedule"
  | "getPingKey"
  | "setPingKey"
  | "heartbeatOfSlug"
  | "getConfirm"
  | "setConfirm"
  | "receiveAlerts";
export const heartbeatHandlers: Pick<Monitors, Names> = {
  getConfirm: async () => ({ confirm: null }),
  setConfirm: async ({ confirm }) => ({ confirm }),
  schedule: async () => ({ next: Array.from({ length: 5 }, () => at) }),
  getPingKey: async () => ({ pingKey: fakePingKey, creates: true }),
  setPingKey: async ({ creates }) => ({ pingKey: fakePingKey, creates }),
  receiveAlerts: async ({ alerts }) => ({ stored: alerts.length }),
  heartbeatOfSlug: async ({ slug }) => ({ id: 9, created: slug === "new" }),
};

export const fakePings: Handlers<typeof metricsContract>["listPings"] = async () => ({
  pings: [{ at, type: "fail", exitCode: 1, durationMs: 1200, from: "192.0.2.7", output: "disk full" }],
});

export const fakeLocation = { name: "tokyo", checks: 3, failures: 1, uptime: 66.667, p50: 9, p95: 20, times: [9] };
