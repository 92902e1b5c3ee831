import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { KnownHere } from "../shapes.ts";

/** A new installation. */
export const nothingHere: KnownHere = {
  channels: [],
  globalMonitor: monitorSettings.parse({}),
  globalAgent: agentSettings.parse({}),
  ownSettings: 0,
  locations: ["default"],
};
