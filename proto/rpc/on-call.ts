import * as z from "zod";
import { id } from "../http/envelope.ts";
import { notificationLanguages } from "../http/notifications/settings.ts";
import { delivery } from "../http/notifications/deliveries.ts";
import { contactsAnswer, contactsInput, contactTestInput } from "../http/on-call/contacts.ts";
import { escalateInput, escalation } from "../http/on-call/escalation.ts";
import { policiesAnswer, policiesQuery, policyAnswer, policyInput, policyPatch } from "../http/on-call/policies.ts";
import { contract, nothing } from "./contract.ts";

const byId = z.object({ id });
const language = z.enum(notificationLanguages);
const onePolicy = policyAnswer.pick({ policy: true, warnings: true });
const contacts = contactsAnswer.pick({ contacts: true });
/** The caller. `name` appears in the names of their channels. */
const caller = z.object({ id, name: z.string(), email: z.string().optional() });

/** Schedules, escalation policies and contacts. */
export const onCallContract = contract("on-call", {
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
});
