import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { onCallContract } from "@sonde/proto/rpc/on-call";
import type { DecisionContext } from "../alerts/deciding.ts";
import type { Context } from "../context.ts";
import type { TestChannel } from "../deliveries/test.ts";
import { getContacts, putContacts, testContact } from "./contacts.ts";
import { escalateNow } from "./escalate-now.ts";
import { createPolicy, getPolicy, listPolicies, removePolicy, updatePolicy } from "./policies.ts";

export type PolicyHandlers = Pick<
  Handlers<typeof onCallContract>,
  | "listPolicies"
  | "getPolicy"
  | "createPolicy"
  | "updatePolicy"
  | "deletePolicy"
  | "getContacts"
  | "putContacts"
  | "testContact"
  | "escalateIncident"
>;

/** Policies, contacts and steps. @param pushKey absent if no key opens the stored one */
export const policyEndpoints = (
  ctx: Context & DecisionContext,
  test: TestChannel,
  pushKey: () => Promise<string | undefined>,
): PolicyHandlers => ({
  listPolicies: (input) => orUnavailable(() => listPolicies(ctx, input)),
  getPolicy: ({ id, ...shown }) => orUnavailable(() => getPolicy(ctx, id, shown)),
  createPolicy: ({ language, ...fields }) => orUnavailable(() => createPolicy(ctx, fields, { language })),
  updatePolicy: ({ id, language, ...patch }) => orUnavailable(() => updatePolicy(ctx, id, patch, { language })),
  deletePolicy: ({ id }) => orUnavailable(() => removePolicy(ctx, id)).then(() => ({})),
  getContacts: async ({ userId }) => ({
    contacts: await orUnavailable(() => getContacts(ctx, userId)),
    pushKey: await pushKey(),
  }),
  putContacts: async ({ user, ...input }) => ({
    contacts: await orUnavailable(() => putContacts(ctx, user, input)),
    pushKey: await pushKey(),
  }),
  testContact: (input) => testContact(ctx, test, input),
  escalateIncident: (input) => orUnavailable(() => escalateNow(ctx, input)),
});
