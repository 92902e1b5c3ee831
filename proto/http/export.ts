import * as z from "zod";
import { announcement } from "./status/announcements.ts";
import { configFile } from "./config/document.ts";
import { answerFields } from "./monitors/checks/kind.ts";
import { allChannelTypeNames } from "./notifications/channel-types.ts";
import { id, instant, success } from "./envelope.ts";
import { checkTypes, type CheckType, kindOf } from "./monitors/kinds.ts";
import { maintenance } from "./status/maintenance.ts";
import { exportedFacts } from "./monitors/monitors.ts";
import {
  shownAgentSettings,
  shownGlobalAgentSettings,
  shownGlobalMonitorSettings,
  shownMonitorSettings,
} from "./notifications/settings.ts";
import { drill } from "./on-call/drills.ts";
import { escalationPolicy, policyStep } from "./on-call/policies.ts";
import { layer, schedule } from "./on-call/schedules.ts";
import { report } from "./reports.ts";
import { slo } from "./slos.ts";
import { notificationTemplate } from "./notifications/templates.ts";
import { statusConfig } from "./status/config.ts";
import { dependsOn } from "./monitors/targets.ts";

/** Increased when older versions can no longer read exports. */
export const exportVersion = 1 as const;

const ofKind = (type: CheckType) =>
  z.object({ type: z.literal(type), ...exportedFacts(type), ...answerFields(kindOf(type)) });
const [firstType, ...otherTypes] = checkTypes;
const exportedMonitor = z.discriminatedUnion("type", [ofKind(firstType), ...otherTypes.map(ofKind)]);

const exportedChannel = z.object({
  id,
  name: z.string(),
  type: z.enum(allChannelTypeNames),
  enabled: z.boolean(),
  config: z.record(z.string(), z.unknown()),
});
const exportedTemplate = notificationTemplate.omit({ createdAt: true, updatedAt: true });

const exportedSchedule = schedule
  .pick({ id: true, name: true, timeZone: true })
  .extend({ layers: z.array(layer.extend({ members: z.array(z.string()) })) })
  .meta({ description: "With usernames. Overrides are not exported." });

const exportedStep = policyStep.extend({ notify: z.array(z.string()), needs: z.int() });

const exportedSlo = slo
  .pick({
    id: true,
    name: true,
    tag: true,
    combine: true,
    objective: true,
    window: true,
    timeZone: true,
    latency: true,
    burnAlerts: true,
    policyId: true,
  })
  .extend({ targets: z.array(z.object({ type: z.literal("monitor"), id })).optional() });

/** All configuration except secrets, users, keys and tokens. Secrets are masked as in other responses. */
export const exportAnswer = success({
  version: z.literal(exportVersion),
  exportedAt: instant,
  channels: z.array(exportedChannel),
  templates: z.array(exportedTemplate),
  schedules: z.array(exportedSchedule),
  policies: z
    .array(escalationPolicy.omit({ managed: true }).extend({ steps: z.array(exportedStep) }))
    .meta({ description: "Recipients by id, but users by name: `user:ada`." }),
  drills: z.array(drill.pick({ target: true, schedule: true })).meta({ description: "Repeated drills." }),
  slos: z.array(exportedSlo),
  reports: z
    .array(
      report
        .omit({ nextAt: true, issues: true, managed: true, createdAt: true, updatedAt: true })
        .extend({ recipients: z.array(z.string()) }),
    )
    .meta({ description: "Not imported." }),
  settings: z.object({
    globalMonitor: shownGlobalMonitorSettings,
    globalAgent: shownGlobalAgentSettings,
    monitors: z.record(z.string(), shownMonitorSettings),
    agents: z.record(z.string(), shownAgentSettings),
  }),
  agents: z
    .array(z.object({ id, name: z.string(), hostname: z.string(), dependsOn }))
    .meta({ description: "Names behind ids; agents are not imported and must register again." }),
  statusPage: statusConfig,
  maintenance: z.array(maintenance),
  announcements: z.array(announcement),
  monitors: z.array(exportedMonitor),
});
export const documentAnswer = success({ config: configFile });
export type ExportDocument = Omit<z.infer<typeof exportAnswer>, "success" | "message">;
