import type { notificationSettingsAnswer } from "@sonde/proto/http/notifications/settings";
import type { z } from "zod";

/** Settings of a new installation. */
export const notificationSettings = {
  globalMonitor: {
    enabled: true,
    channels: [],
    events: { down: true, recovery: true, partial: false, slow: false, external: true, slo: true },
    cooldownMinutes: 30,
  },
  globalAgent: {
    enabled: true,
    channels: [],
    events: { offline: true, online: true },
    thresholds: { cpu: 90, memory: 90, disk: 90 },
    cooldownMinutes: 30,
  },
  monitors: {},
  agents: {},
} satisfies Omit<z.infer<typeof notificationSettingsAnswer>, "success">;
