import {
  agent,
  agentAgain,
  agentDownloads,
  agentEdit,
  agentGuide,
  agents,
  agentThresholds,
  agentTokens,
} from "../agents.ts";
import { announcements } from "../status/announcements.ts";
import { auth, factors } from "../auth.ts";
import { channels } from "../channels.ts";
import { channelTypes } from "../channels/types.ts";
import { heartbeat } from "../heartbeat.ts";
import { home } from "../home.ts";
import { importing } from "../importing.ts";
import { maintenance } from "../status/maintenance.ts";
import { deliveries, notifications, notificationSettings, templates } from "../notifications.ts";
import { palette, shortcuts } from "../palette.ts";
import { signIn } from "../sign-in.ts";
import { sources } from "../sources.ts";
import { statusPage, subscribers } from "../status/status-page.ts";
import { keys, profile, serviceAccounts, users } from "../users.ts";

/** What all other screens say. */
export const restWords = {
  agent,
  agentAgain,
  agentDownloads,
  agentEdit,
  agentGuide,
  agents,
  agentThresholds,
  agentTokens,
  announcements,
  auth,
  channels,
  channelTypes,
  deliveries,
  factors,
  heartbeat,
  home,
  importing,
  maintenance,
  notifications,
  notificationSettings,
  palette,
  keys,
  profile,
  serviceAccounts,
  shortcuts,
  signIn,
  sources,
  statusPage,
  subscribers,
  templates,
  users,
} as const;
