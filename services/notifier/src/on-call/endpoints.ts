import type { Handlers } from "@sonde/kit/bus/rpc";
import type { onCallContract } from "@sonde/proto/rpc/on-call";
import type { DecisionContext } from "../alerts/deciding.ts";
import type { Context } from "../context.ts";
import type { TestChannel } from "../deliveries/test.ts";
import { getContacts, putContacts, testContact } from "./contacts/contacts.ts";
import { acknowledgeDrill, listDrills, removeDrill, startDrill } from "./drills/drills.ts";
import { escalateNow } from "./escalate-now.ts";
import { listUnreachable, markUnreachable } from "./reach.ts";
import { createPolicy, getPolicy, listPolicies, removePolicy, updatePolicy } from "./policies/policies.ts";
import {
  createSchedule,
  getSchedule,
  listSchedules,
  makeFeed,
  removeSchedule,
  updateSchedule,
} from "./schedules/schedules.ts";
import type { Rehearsals } from "../rehearsal/endpoint.ts";
import { createOverride, deleteOverride, listGaps, listShifts, previewShifts, readFeed } from "./schedules/shifts.ts";

const nothing = () => ({});

/** @param pushKey absent if no key opens the stored one */
export const onCallEndpoints = (
  ctx: Context & DecisionContext,
  test: TestChannel,
  pushKey: () => Promise<string | undefined>,
  rehearsals: Pick<Rehearsals, "run">,
): Handlers<typeof onCallContract> => ({
  listSchedules: async (input) => markUnreachable(ctx, await listSchedules(ctx, input)),
  getSchedule: ({ id }) => getSchedule(ctx, id),
  createSchedule: (input) => createSchedule(ctx, input),
  updateSchedule: ({ id, ...patch }) => updateSchedule(ctx, id, patch),
  deleteSchedule: ({ id }) => removeSchedule(ctx, id).then(nothing),
  listShifts: (input) => listShifts(ctx, input),
  previewShifts: async (input) => previewShifts(input),
  listGaps: async () => ({ ...(await listGaps(ctx)), unreachable: await listUnreachable(ctx) }),
  createOverride: (input) => createOverride(ctx, input),
  deleteOverride: (input) => deleteOverride(ctx, input).then(nothing),
  makeFeed: ({ id }) => makeFeed(ctx, id),
  readFeed: (input) => readFeed(ctx, input),
  listPolicies: (input) => listPolicies(ctx, input),
  getPolicy: ({ id, ...shown }) => getPolicy(ctx, id, shown),
  createPolicy: ({ language, ...fields }) => createPolicy(ctx, fields, { language }),
  updatePolicy: ({ id, language, ...patch }) => updatePolicy(ctx, id, patch, { language }),
  deletePolicy: ({ id }) => removePolicy(ctx, id).then(nothing),
  getContacts: async ({ userId }) => ({ contacts: await getContacts(ctx, userId), pushKey: await pushKey() }),
  putContacts: async ({ user, ...input }) => ({
    contacts: await putContacts(ctx, user, input),
    pushKey: await pushKey(),
  }),
  testContact: (input) => testContact(ctx, test, input),
  escalateIncident: (input) => escalateNow(ctx, input),
  listDrills: (input) => listDrills(ctx, input),
  startDrill: (input) => startDrill(ctx, input),
  rehearse: (input) => rehearsals.run(input),
  deleteDrill: ({ id }) => removeDrill(ctx, id).then(nothing),
  acknowledgeDrill: (input) => acknowledgeDrill(ctx, input),
});
