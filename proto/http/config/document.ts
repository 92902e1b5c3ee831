import * as z from "zod";
import { type ChannelTypeName, channelTypeNames, channelTypeOf } from "../notifications/channel-types.ts";
import {
  globalAgentSettings,
  globalMonitorSettings,
  maxRules,
  monitorSettings,
  settingsRule,
  timeZone,
} from "../notifications/settings.ts";
import { templateInput } from "../notifications/templates.ts";
import { drillSchedules } from "../on-call/drills.ts";
import { layer, maxLayers, maxMembers } from "../on-call/schedules.ts";
import { hasOneScope, maxReportTargets, noOneScope, reportFields } from "../reports.ts";
import { maxSteps, policyInput, policyStep } from "../on-call/policies.ts";
import { agentName } from "../agents/agents.ts";
import { header } from "../monitors/checks/http.ts";
import { fieldsWithoutDefaults, mapFields } from "../monitors/checks/kind.ts";
import { maxMembers as maxGroupMembers } from "../monitors/groups.ts";
import { unionOfKinds } from "../monitors/kinds.ts";
import { interval, sharedBy, sharedFields } from "../monitors/monitors.ts";
import { hasSloScope, maxSloTargets, noSloScope, sloFields } from "../slos.ts";
import { maintenanceInput } from "../status/maintenance.ts";
import { statusConfig } from "../status/config.ts";
import { tags } from "../tags.ts";
import { nameOf } from "../text.ts";

const keyPattern = "[a-z0-9][a-z0-9._-]{0,62}";
/** Permanent identifier of an object in documents; its name may change. */
export const configKey = z
  .string()
  .regex(
    new RegExp(`^${keyPattern}$`),
    "Use 1 to 63 lowercase letters, digits, dots, underscores and hyphens, starting with a letter or digit",
  );
/** Source of a document: `prod-git`, `kubernetes/main`. */
export const sourceName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._/-]{0,59}$/,
    "Use 1 to 60 lowercase letters, digits, dots, slashes, underscores and hyphens, starting with a letter or digit",
  );
/**
 * A channel or template: its key in this or another source's document, or `name:Ops team` for one created in the app.
 */
const settingRef = z
  .string()
  .max(110)
  .regex(new RegExp(`^(?:${keyPattern}|name:.+)$`), "Name it by its key, or by its name: ops, name:Ops team");
/** A monitor by key or an agent by name: `monitor:db`, `agent:web-1`. */
const target = z
  .string()
  .max(110)
  .regex(
    new RegExp(`^(?:monitor:${keyPattern}|agent:.+)$`),
    "Reference a monitor by key or an agent by name: monitor:db, agent:web-1",
  );

const monitorTarget = target.regex(
  /^monitor:/,
  "Reference a monitor by key or an agent by name: monitor:db, agent:web-1",
);

/** Reference that is resolved when the file is read; the server never sees it. */
export const textReference = z.union(
  [
    z
      .strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/) })
      .meta({ description: "Name of an environment variable." }),
    z
      .strictObject({ file: z.string().min(1).max(1000) })
      .meta({ description: "Path of a file, relative to the document." }),
  ],
  "Write a reference as {env: NAME} or {file: path}",
);

const adopt = z.boolean().optional().meta({
  description: "Takes over an existing object that matches; without it, an existing match is a conflict.",
});
const refs = (max: number) => z.array(settingRef).max(max);
const keys = (max: number) => z.array(configKey).max(max);
const agentNames = (max: number) => z.array(agentName).max(max);
const maxOnPage = 500;

const members = z
  .array(z.string().min(1).max(254))
  .min(1)
  .max(maxMembers)
  .meta({ description: "Usernames or email addresses, in the order of the rotation." });

const recipient = z
  .string()
  .max(300)
  .regex(
    new RegExp(`^(?:channel:(?:${keyPattern}|name:.+)|(?:schedule|everyone):(?:${keyPattern}|name:.+)|user:.+)$`),
    "Enter a recipient such as schedule:1",
  )
  .meta({
    description: "`channel:ops`, `schedule:primary` and `everyone:primary` by key, `user:ada` by name or address.",
  });

const { name: _sloName, targets: _targets, policyId: _policyId, ...sloRest } = sloFields;

const drillTarget = z
  .string()
  .max(300)
  .regex(
    new RegExp(`^(?:(?:policy|channel):(?:${keyPattern}|name:.+)|user:.+)$`),
    "Name a policy or channel by key, a user by name or address: policy:critical, user:ada",
  );

export const scheduleEntry = z.strictObject({
  name: nameOf(100).optional(),
  timeZone,
  layers: z.array(layer.extend({ members })).min(1).max(maxLayers),
  adopt,
});
export const policyEntry = z.strictObject({
  name: nameOf(100).optional(),
  steps: z
    .array(
      z.strictObject({
        after: policyStep.shape.after,
        notify: z.array(recipient).min(1).max(20),
        needs: policyStep.shape.needs.unwrap().optional(),
      }),
    )
    .min(1)
    .max(maxSteps),
  repeat: policyInput.shape.repeat.unwrap().optional(),
  lowUrgency: z.strictObject({ tags }).optional(),
  adopt,
});
export const sloEntry = z
  .strictObject({
    ...fieldsWithoutDefaults(sloRest),
    name: nameOf(100).optional(),
    targets: z.array(monitorTarget).min(1).max(maxSloTargets).optional(),
    policy: settingRef.optional(),
    adopt,
  })
  .refine(hasSloScope, noSloScope());
export const drillEntry = z.strictObject({ target: drillTarget, schedule: z.enum(drillSchedules), adopt });

const { every, tag, pageId } = reportFields;
export const reportEntry = z
  .strictObject({
    name: nameOf(100).optional(),
    every,
    tag,
    timeZone: timeZone.optional(),
    language: reportFields.language.unwrap().optional(),
    recipients: reportFields.recipients.unwrap().optional(),
    targets: z.array(target).min(1).max(maxReportTargets).optional(),
    page: pageId.meta({ description: "Slug of a status page; `default` for the page at /status." }),
    channel: settingRef.optional(),
    adopt,
  })
  .refine(({ page, ...scope }) => hasOneScope({ ...scope, pageId: page }), noOneScope());
export type ReportEntry = z.output<typeof reportEntry>;

/** Settings with channels, template and policy as keys. */
const settingsOf = ({ channels: _ids, templateId: _id, policyId: _policy, rules, ...fields }: z.ZodRawShape) =>
  z.strictObject({
    ...fieldsWithoutDefaults(fields),
    channels: refs(50).optional(),
    ...(rules && {
      rules: z
        .array(
          settingsRule.omit({ policyId: true }).extend({ channels: refs(50).min(1), policy: settingRef.optional() }),
        )
        .max(maxRules)
        .optional(),
    }),
    template: settingRef.nullable().optional(),
    policy: settingRef.nullable().optional(),
  });
const notify = settingsOf(monitorSettings.shape).optional().meta({
  description: "Overrides the settings for all monitors.",
});

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const durationPattern = /^(\d{1,6}) ?([smhd])$/;
const toMinutes = (text: string): number => {
  const [, count = "", unit = "s"] = durationPattern.exec(text) ?? [];
  return (Number(count) * secondsOf[unit as keyof typeof secondsOf]) / 60;
};
const duration = z
  .string()
  .regex(durationPattern, "Enter a number of minutes, or a duration such as 10s, 5m or 1h")
  .transform(toMinutes)
  .pipe(interval);
/** Formats an interval: whole minutes as a number, others as seconds (`30s`). */
export function writtenInterval(minutes: number): number | string {
  const seconds = Math.round(minutes * 60);
  return Number.isInteger(minutes) || seconds / 60 !== minutes ? minutes : `${seconds}s`;
}

const { name: monitorName, dependsOn: _refs, ...sharedRest } = sharedFields;
const monitorFields = {
  ...fieldsWithoutDefaults(sharedRest),
  interval: z
    .union([interval, duration])
    .optional()
    .meta({ description: "Minutes, or a duration such as 10s, 5m or 1h." }),
  dependsOn: z.array(target).max(10).optional(),
  notify,
};
const { monitors: _m, agents: _a, name: _n, pages: _p, ...windowRest } = maintenanceInput.shape;
// Files name images by `logoUrl`: an upload exists only in its installation.
const { logo: _logo, favicon: _favicon, ...page } = statusConfig.shape;

/** Transforms texts of a channel or check, to allow references. */
type Texts = (schema: z.core.$ZodType) => z.core.$ZodType;

const documentOf = (texts: Texts) => {
  const fieldsOf = (fields: z.ZodRawShape) => mapFields(fieldsWithoutDefaults(fields), texts);
  const [firstType, ...otherTypes] = channelTypeNames.map((type: ChannelTypeName) =>
    z.strictObject({
      type: z.literal(type),
      name: nameOf(100).optional(),
      enabled: z.boolean().optional(),
      adopt,
      ...fieldsOf(channelTypeOf(type).fields),
    }),
  );
  const channel = z.discriminatedUnion("type", [firstType!, ...otherTypes]);
  const monitor = unionOfKinds(({ type, fields }) => ({
    name: z.optional(monitorName),
    ...sharedBy(type, monitorFields),
    adopt,
    ...fieldsOf(fields),
    ...(type === "group" && { members: refs(maxGroupMembers).optional() }),
  }));
  const template = z.strictObject({ ...templateInput.shape, name: nameOf(100).optional(), adopt });
  const maintenance = z.strictObject({
    ...fieldsWithoutDefaults(windowRest),
    name: nameOf(100).optional(),
    targets: z.array(target).max(maxOnPage).optional(),
    adopt,
  });
  return z.strictObject({
    source: sourceName.optional(),
    defaults: z
      .strictObject({ monitor: z.strictObject(monitorFields).optional() })
      .optional()
      .meta({ description: "Defaults for monitors that omit a field." }),
    channels: z.record(configKey, channel).optional(),
    templates: z.record(configKey, template).optional(),
    schedules: z.record(configKey, scheduleEntry).optional(),
    policies: z.record(configKey, policyEntry).optional(),
    slos: z.record(configKey, sloEntry).optional(),
    drills: z
      .record(configKey, drillEntry)
      .optional()
      .meta({ description: "Recurring fire drills. The first one starts a week or month after it was applied." }),
    monitors: z.record(configKey, monitor).optional(),
    settings: z
      .strictObject({
        monitors: settingsOf(globalMonitorSettings.shape).extend({ adopt }).optional(),
        agents: settingsOf(globalAgentSettings.shape).extend({ adopt }).optional(),
      })
      .optional(),
    maintenance: z.record(configKey, maintenance).optional(),
    reports: z.record(configKey, reportEntry).optional(),
    page: z
      .strictObject({
        ...page,
        monitors: keys(maxOnPage),
        agents: agentNames(maxOnPage),
        groups: z
          .array(
            z.strictObject({
              name: page.groups.element.shape.name,
              monitors: keys(maxOnPage).optional(),
              agents: agentNames(maxOnPage).optional(),
            }),
          )
          .max(50),
        names: z.array(z.strictObject({ target, name: nameOf(100) })).max(maxOnPage),
        subscriptions: z.strictObject({ enabled: z.boolean().optional(), channel: configKey.nullable().optional() }),
        adopt,
      })
      .partial()
      .optional(),
  });
};

/** A document as sent to the server, with plain secrets. Built on first use, because both schemas take 1.5 MiB. */
export const configDocument = z.lazy(() => documentOf((schema) => schema));
type Entries = "channels" | "templates" | "monitors" | "settings";
export type ConfigDocument = Omit<z.output<typeof configDocument>, Entries> & {
  [Name in Entries]?: Record<string, ConfigEntry>;
};
/** An object of a document with the fields it sets. */
export type ConfigEntry = Record<string, unknown>;

const headers = z.array(
  z.strictObject({ name: header.shape.name, value: z.union([header.shape.value, textReference]) }),
);

/** The same in a file, where texts of channels and checks may be references. */
export const configFile = z.lazy(() => documentOf(withTextReferences));

function withTextReferences(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const bare = inner instanceof z.ZodNullable ? inner.unwrap() : inner;
  if (bare instanceof z.ZodArray && bare.element === header) return headers.optional();
  // Rules across several texts are left to the server, which sees the resolved values.
  if (bare instanceof z.ZodObject)
    return z.strictObject(mapFields(bare.shape, withTextReferences)).nullable().optional();
  if (!(bare instanceof z.ZodString || bare instanceof z.ZodUnion)) return schema;
  return z.union([schema, textReference]);
}

/** JSON Schema 2020-12 of a file, for `GET /api/config.schema.json`. */
export const configSchema = (): object => ({
  ...z.toJSONSchema(configFile, { io: "input", unrepresentable: "any" }),
  title: "Sonde's configuration",
});
