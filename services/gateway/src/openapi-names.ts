import { agent, sample } from "@sonde/proto/http/agents/agents";
import { announcement } from "@sonde/proto/http/status/announcements";
import { checkResult, historyBucket, historySummary } from "@sonde/proto/http/monitors/checks";
import { delivery } from "@sonde/proto/http/notifications/deliveries";
import { failure } from "@sonde/proto/http/envelope";
import { attempt, incident, timelineEntry } from "@sonde/proto/http/incidents/incidents";
import { maintenance } from "@sonde/proto/http/status/maintenance";
import { monitor } from "@sonde/proto/http/monitors/monitors";
import { notificationChannel } from "@sonde/proto/http/notifications/channels";
import { shownAgentSettings, shownMonitorSettings } from "@sonde/proto/http/notifications/settings";
import { notificationTemplate } from "@sonde/proto/http/notifications/templates";
import { recentCheck } from "@sonde/proto/http/monitors/recent-checks";
import { subscriber } from "@sonde/proto/http/status/subscribers";
import {
  publicAgent,
  publicDay,
  publicIncident,
  publicMaintenance,
  publicMonitor,
  publicStatus,
} from "@sonde/proto/http/status/status";
import { targetShape } from "@sonde/proto/http/monitors/targets";
import { user } from "@sonde/proto/http/users";
import { webhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import { z } from "zod";

/** Schemas that appear under their own name. */
export const named = z.registry<{ id: string }>();
named.add(user, { id: "User" }).add(monitor, { id: "Monitor" }).add(incident, { id: "Incident" });
named.add(agent, { id: "Agent" }).add(sample, { id: "Sample" });
named
  .add(checkResult, { id: "CheckResult" })
  .add(historyBucket, { id: "HistoryBucket" })
  .add(historySummary, { id: "HistorySummary" })
  .add(recentCheck, { id: "RecentCheck" })
  .add(failure, { id: "Failure" });
named.add(maintenance, { id: "Maintenance" });
named.add(targetShape, { id: "Target" }).add(timelineEntry, { id: "TimelineEntry" });
named
  .add(notificationChannel, { id: "NotificationChannel" })
  .add(shownMonitorSettings, { id: "MonitorNotificationSettings" })
  .add(shownAgentSettings, { id: "AgentNotificationSettings" })
  .add(notificationTemplate, { id: "NotificationTemplate" })
  .add(delivery, { id: "Delivery" })
  .add(attempt, { id: "DeliveryAttempt" })
  .add(webhookEvent, { id: "WebhookEvent" });
named.add(announcement, { id: "Announcement" });
named.add(subscriber, { id: "Subscriber" });
named
  .add(publicStatus, { id: "PublicStatus" })
  .add(publicMonitor, { id: "PublicMonitor" })
  .add(publicAgent, { id: "PublicAgent" })
  .add(publicDay, { id: "PublicDay" })
  .add(publicIncident, { id: "PublicIncident" })
  .add(publicMaintenance, { id: "PublicMaintenance" });
