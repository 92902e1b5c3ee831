import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { ExistingObjects } from "../shapes.ts";

/** A new installation. */
export const nothingHere: ExistingObjects = {
  channels: [],
  globalMonitor: monitorSettings.parse({}),
  globalAgent: agentSettings.parse({}),
  ownSettings: 0,
  locations: ["default"],
};
