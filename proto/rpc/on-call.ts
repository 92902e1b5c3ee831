import * as z from "zod";
import { id } from "../http/envelope.ts";
import { notificationLanguages } from "../http/notifications/settings.ts";
import { delivery } from "../http/notifications/deliveries.ts";
import { contactsAnswer, contactsInput, contactTestInput } from "../http/on-call/contacts.ts";
import { escalateInput, escalation } from "../http/on-call/escalation.ts";
import { policiesAnswer, policiesQuery, policyAnswer, policyInput, policyPatch } from "../http/on-call/policies.ts";
import { rehearsalAnswer, rehearsalInput } from "../http/on-call/rehearsal.ts";
import {
  gapsAnswer,
  override,
  overrideInput,
  previewInput,
  schedule,
  scheduleInput,
  schedulePatch,
  schedulesAnswer,
  schedulesQuery,
  shiftsQuery,
} from "../http/on-call/schedules.ts";
import { drillAnswer, drillInput, drillsAnswer, drillsQuery } from "../http/on-call/drills.ts";
import { contract, nothing } from "./contract.ts";

const byId = z.object({ id });
/** `[userId, startMs, endMs, isOverride]`, because a bus message holds 1 MiB. */
const shifts = z.object({
  shifts: z.array(z.tuple([id, z.number(), z.number(), z.boolean()])),
  gaps: z.array(z.tuple([z.number(), z.number()])),
});
export type PackedShifts = z.output<typeof shifts>;
const language = z.enum(notificationLanguages);
const onePolicy = policyAnswer.pick({ policy: true, warnings: true });
const contacts = contactsAnswer.pick({ contacts: true, pushKey: true });
/** The caller. `name` appears in the names of their channels. */
const caller = z.object({ id, name: z.string(), email: z.string().optional() });

/** Schedules, in which users appear by id; escalation policies, contacts and steps. */
export const onCallContract = contract("on-call", {
  listSchedules: { input: schedulesQuery, answer: schedulesAnswer.pick({ schedules: true, total: true }) },
  getSchedule: { input: byId, answer: schedule },
  createSchedule: { input: scheduleInput, answer: schedule },
  updateSchedule: { input: schedulePatch.extend({ id }), answer: schedule },
  deleteSchedule: { input: byId, answer: nothing },
  listShifts: { input: shiftsQuery.extend({ id }), answer: shifts },
  previewShifts: { input: previewInput, answer: shifts },
  listGaps: { input: nothing, answer: gapsAnswer.pick({ gaps: true, unreachable: true }) },
  createOverride: { input: overrideInput.extend({ id }), answer: override },
  // `onlyOf`: the caller may only delete overrides of this user.
  deleteOverride: { input: z.object({ id, overrideId: id, onlyOf: id.optional() }), answer: nothing },
  // Replaces the token of the calendar feed.
  makeFeed: { input: byId, answer: z.object({ token: z.string() }) },
  // Shifts from 30 days ago to 90 days ahead. not_found: the token is not valid
  readFeed: { input: z.object({ id, token: z.string() }), answer: shifts.extend({ name: z.string() }) },
  listPolicies: { input: policiesQuery, answer: policiesAnswer.pick({ policies: true, total: true }) },
  // `language`: of the warnings.
  getPolicy: { input: byId.extend({ language }), answer: onePolicy },
  createPolicy: { input: policyInput.extend({ language }), answer: onePolicy },
  updatePolicy: { input: policyPatch.extend({ id, language }), answer: onePolicy },
  deletePolicy: { input: byId, answer: nothing },
  getContacts: { input: z.object({ userId: id }), answer: contacts },
  putContacts: { input: contactsInput.extend({ user: caller }), answer: contacts },
  testContact: {
    input: contactTestInput.extend({ userId: id, language }),
    answer: delivery,
  },
  // Takes the next step of an incident's policy now. `by`: who asked for it.
  escalateIncident: {
    input: escalateInput.extend({ id: z.string(), by: z.string() }),
    answer: z.object({ escalation }),
  },
  listDrills: { input: drillsQuery, answer: drillsAnswer.pick({ drills: true, total: true, proven: true }) },
  // `by`: the name of the caller.
  startDrill: { input: drillInput.extend({ by: z.string() }), answer: drillAnswer.pick({ drill: true }) },
  deleteDrill: { input: byId, answer: nothing },
  // Whom drafts of settings and policies would have notified. too_many: another rehearsal is running
  rehearse: { input: rehearsalInput, answer: rehearsalAnswer.omit({ success: true, message: true }) },
  acknowledgeDrill: { input: byId.extend({ by: z.string() }), answer: drillAnswer.pick({ drill: true }) },
});
