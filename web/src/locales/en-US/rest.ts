import {
  agent,
  agentAgain,
  agentDownloads,
  agentEdit,
  agentGuide,
  agents,
  agentThresholds,
  agentTokens,
} from "./agents.ts";
import { alerting } from "./alerting.ts";
import { announcements } from "./announcements.ts";
import { auth } from "./auth.ts";
import { channels, channelTypes } from "./channels.ts";
import { home } from "./home.ts";
import { importing } from "./importing.ts";
import { acknowledge, evidence, incident, incidentList, quiet } from "./incidents.ts";
import { maintenance } from "./maintenance.ts";

import { monitorBulk, monitorForm, monitorKinds } from "./monitor-form.ts";
import { monitor, monitorDetail } from "./monitor.ts";
import { deliveries, notifications, notificationSettings, templates } from "./notifications.ts";
import { palette, shortcuts } from "./palette.ts";

import { statusPage, subscribers } from "./status-page.ts";
import { keys, profile, serviceAccounts, users } from "./users.ts";

/** What all screens say but for the first words and those of the list of monitors. */
export const restWords = {
  acknowledge,
  agent,
  agentAgain,
  agentDownloads,
  agentEdit,
  agentGuide,
  agents,
  agentThresholds,
  agentTokens,
  alerting,
  announcements,
  auth,
  channels,
  channelTypes,
  deliveries,
  evidence,
  home,
  importing,
  incident,
  incidentList,
  maintenance,
  monitor,
  monitorDetail,
  monitorBulk,
  monitorForm,
  monitorKinds,
  notifications,
  notificationSettings,
  palette,
  keys,
  profile,
  serviceAccounts,
  quiet,
  shortcuts,
  statusPage,
  subscribers,
  templates,
  users,
} as const;
