import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { ExistingObjects } from "../shapes.ts";

export const emptyInstallation: ExistingObjects = {
  channels: [],
  globalMonitor: monitorSettings.parse({}),
  globalAgent: agentSettings.parse({}),
  ownSettings: 0,
  locations: ["default"],
};
