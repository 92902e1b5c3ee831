import * as z from "zod";
import { managedBy } from "./config/managed.ts";
import { id, instant, listQuery, rowId, success } from "./envelope.ts";
import { isMailAddress } from "./notifications/channels/channel.ts";
import type { Message } from "./messages.ts";
import { notificationLanguages, timeZone } from "./notifications/settings.ts";
import { targetTypes } from "./monitors/targets.ts";
import { pageSlug } from "./status/slugs.ts";
import { tag } from "./tags.ts";
import { nameOf } from "./text.ts";

export const maxReports = 100;
export const maxReportTargets = 500;
export const maxReportRecipients = 50;
export const reportPeriods = ["day", "week", "month", "year"] as const;
export type ReportEvery = (typeof reportPeriods)[number];

export const reportFields = {
  name: nameOf(100),
  targets: z
    .array(z.strictObject({ type: z.enum(targetTypes), id: rowId }))
    .min(1)
    .max(maxReportTargets)
    .optional()
    .meta({ description: "Monitors and agents. One of `targets`, `tag` and `pageId`." }),
  tag: tag.optional(),
  pageId: pageSlug.optional().meta({ description: "Reports what this status page shows.", examples: ["default"] }),
  every: z.enum(reportPeriods).meta({ description: "A week starts on Monday." }),
  timeZone: timeZone.default("UTC"),
  language: z.enum(notificationLanguages).default("en-US"),
  recipients: z
    .array(
      z
        .string()
        .max(254)
        .refine((text) => isMailAddress(text), "Please enter a valid email address"),
    )
    .max(maxReportRecipients)
    .default([])
    .meta({ description: "Mail addresses. Those that belong to no user receive reports once they have confirmed." }),
  channelId: rowId.optional().meta({ description: "Sends the report as a message, or its mails if it can send mail." }),
};
export const hasOneScope = (scope: { targets?: unknown; tag?: unknown; pageId?: unknown }) =>
  [scope.targets, scope.tag, scope.pageId].filter((one) => one !== undefined).length === 1;
export const noOneScope = () => ({
  // zod takes the message out of the object that it is given.
  message: "Choose monitors and agents, a tag, or a status page" satisfies Message,
  path: ["targets"],
});

export const reportInput = z.strictObject(reportFields).refine(hasOneScope, noOneScope());
export type ReportInput = z.infer<typeof reportInput>;
/** `null` removes an optional field. */
export const reportPatch = z
  .strictObject({
    ...reportFields,
    targets: reportFields.targets.nullable(),
    tag: reportFields.tag.nullable(),
    pageId: reportFields.pageId.nullable(),
    timeZone: reportFields.timeZone.unwrap(),
    language: reportFields.language.unwrap(),
    recipients: reportFields.recipients.unwrap(),
    channelId: reportFields.channelId.nullable(),
  })
  .partial();
export type ReportPatch = z.infer<typeof reportPatch>;

const period = String.raw`\d{4}(?:-W\d{2}|-\d{2}(?:-\d{2})?)?(?:\.(?:[2-9]|[1-9]\d{1,2}))?`;
/** `2026-11-28`, `2026-W48`, `2026-11` or `2026`; a correction adds `.2`, `.3`, … */
export const reportPeriod = z.string().regex(new RegExp(`^${period}$`));
/** A period with the format of its document. */
export const reportFile = z.string().regex(new RegExp(`^${period}(?:\\.(?:html|csv))?$`));

const issue = z.object({
  period: z.string(),
  from: instant,
  until: instant,
  createdAt: instant,
  sent: z.int().meta({ description: "Recipients to whom it was sent." }),
  link: z.string().meta({ description: "Path with a token that reads this report without a session." }),
});
export const report = z.object({
  id,
  name: z.string(),
  targets: z.array(z.object({ type: z.enum(targetTypes), id, name: z.string() })).optional(),
  tag: z.string().optional(),
  pageId: z.string().optional(),
  every: z.enum(reportPeriods),
  timeZone: z.string(),
  language: z.enum(notificationLanguages),
  recipients: z.array(z.object({ address: z.string(), isConfirmed: z.boolean() })),
  channelId: id.optional(),
  nextAt: instant,
  issues: z.array(issue).meta({ description: "The newest reports, at most 24." }),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type ReportDefinition = z.infer<typeof report>;

export const reportsQuery = z.strictObject(listQuery(["name"]));
export const reportAnswer = success({ report });
export const reportsAnswer = success({
  reports: z.array(report),
  total: z.int(),
  publicKey: z.string().meta({ description: "Ed25519 key (PEM) that verifies reports of this installation." }),
});
/** Makes the report of a period that has ended and sends it; without `period`, the last one. */
export const sendReportInput = z.strictObject({ period: reportPeriod.optional() });
export const reportDocumentQuery = z.strictObject({ token: z.string().max(200).optional() });
