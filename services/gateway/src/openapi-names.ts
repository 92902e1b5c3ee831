import { agent, sample } from "@sonde/proto/http/agents/agents";
import { auditEntry } from "@sonde/proto/http/audit";
import { configPlan } from "@sonde/proto/http/config/apply";
import { configDocument, configFile } from "@sonde/proto/http/config/document";
import { managedBy } from "@sonde/proto/http/config/managed";
import { failure } from "@sonde/proto/http/envelope";
import { factor, factorDemand } from "@sonde/proto/http/factors";
import { change } from "@sonde/proto/http/incidents/changes";
import { evidence } from "@sonde/proto/http/incidents/evidence";
import { attempt, incident, timelineEntry } from "@sonde/proto/http/incidents/incidents";
import { checkResult, historyBucket, historySummary } from "@sonde/proto/http/monitors/checks";
import { monitor } from "@sonde/proto/http/monitors/monitors";
import { recentCheck } from "@sonde/proto/http/monitors/recent-checks";
import { targetShape } from "@sonde/proto/http/monitors/targets";
import { invite } from "@sonde/proto/http/invites";
import { notificationChannel } from "@sonde/proto/http/notifications/channels";
import { delivery, unsentAlert } from "@sonde/proto/http/notifications/deliveries";
import {
  shownAgentSettings,
  shownGlobalAgentSettings,
  shownGlobalMonitorSettings,
  shownMonitorSettings,
} from "@sonde/proto/http/notifications/settings";
import { notificationTemplate } from "@sonde/proto/http/notifications/templates";
import { override, person, schedule, shift } from "@sonde/proto/http/on-call/schedules";
import { drill } from "@sonde/proto/http/on-call/drills";
import { escalation } from "@sonde/proto/http/on-call/escalation";
import { escalationPolicy } from "@sonde/proto/http/on-call/policies";
import { notified } from "@sonde/proto/http/on-call/rehearsal";
import { report } from "@sonde/proto/http/reports";
import { webhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import { announcement } from "@sonde/proto/http/status/announcements";
import { maintenance } from "@sonde/proto/http/status/maintenance";
import { slo } from "@sonde/proto/http/slos";
import { signInProvider } from "@sonde/proto/http/sign-in";
import { silence } from "@sonde/proto/http/status/silences";
import {
  publicAgent,
  publicDay,
  publicIncident,
  publicMaintenance,
  publicMonitor,
  publicStatus,
} from "@sonde/proto/http/status/status";
import { listedPage, statusPage } from "@sonde/proto/http/status/pages";
import { subscriber } from "@sonde/proto/http/status/subscribers";
import { user } from "@sonde/proto/http/users";
import * as z from "zod";

export const named = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  AuditEntry: auditEntry,
  ConfigDocument: configDocument,
  ConfigFile: configFile,
  ConfigPlan: configPlan,
  ManagedBy: managedBy,
  User: user,
  Invite: invite,
  SecondFactor: factor,
  FactorDemand: factorDemand,
  Monitor: monitor,
  Incident: incident,
  Change: change,
  Evidence: evidence,
  Agent: agent,
  Sample: sample,
  CheckResult: checkResult,
  HistoryBucket: historyBucket,
  HistorySummary: historySummary,
  RecentCheck: recentCheck,
  Failure: failure,
  Maintenance: maintenance,
  Silence: silence,
  SignInProvider: signInProvider,
  Target: targetShape,
  TimelineEntry: timelineEntry,
  NotificationChannel: notificationChannel,
  MonitorNotificationSettings: shownMonitorSettings,
  AgentNotificationSettings: shownAgentSettings,
  GlobalAgentNotificationSettings: shownGlobalAgentSettings,
  GlobalMonitorNotificationSettings: shownGlobalMonitorSettings,
  NotificationTemplate: notificationTemplate,
  OnCallSchedule: schedule,
  Report: report,
  OnCallShift: shift,
  OnCallOverride: override,
  Person: person,
  Drill: drill,
  ServiceLevel: slo,
  EscalationPolicy: escalationPolicy,
  EscalationProgress: escalation,
  RehearsedNotification: notified,
  Delivery: delivery,
  UnsentAlert: unsentAlert,
  DeliveryAttempt: attempt,
  WebhookEvent: webhookEvent,
  Announcement: announcement,
  Subscriber: subscriber,
  StatusPage: statusPage,
  ListedPage: listedPage,
  PublicStatus: publicStatus,
  PublicMonitor: publicMonitor,
  PublicAgent: publicAgent,
  PublicDay: publicDay,
  PublicIncident: publicIncident,
  PublicMaintenance: publicMaintenance,
})) {
  named.add(schema, { id });
}
