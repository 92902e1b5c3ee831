import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { EscalationProgress } from "@sonde/proto/http/on-call/escalation";
import type { EscalationPolicy } from "@sonde/proto/http/on-call/policies";
import type { onCallContract } from "@sonde/proto/rpc/on-call";
import { fakeDelivery } from "./fake-notifier.ts";

const atMs = Date.UTC(2026, 0, 31, 12);

/** The only policy of the fakes, id 7. */
const fakePolicy = (id: number, changed: Partial<EscalationPolicy> = {}): EscalationPolicy => {
  if (id !== 7) throw new AppError("not_found", "Escalation policy does not exist");
  const steps = [{ after: 5, notify: ["channel:7", "user:1"], needs: 1 }];
  return { id, name: "Ops", steps, repeat: 0, ...changed };
};

export const fakeProgress: EscalationProgress = {
  policy: { id: 7, name: "Ops" },
  repeat: 0,
  steps: [
    { step: 1, state: "done", at: new Date(atMs).toISOString(), needs: 1, notified: ["Slack ops"], waiting: [] },
    { step: 2, state: "next", at: new Date(atMs + 300_000).toISOString(), needs: 1, notified: [], waiting: [] },
  ],
  acknowledgedBy: [],
  needs: 1,
};

const fakeContacts = { timeZone: "UTC", night: null, rules: [], subscriptions: [] };
const warnings = [{ step: 1, recipient: "user:1", message: "ada has no contacts and cannot be notified" }];

export const policyHandlers = {
  listPolicies: async () => ({ policies: [fakePolicy(7)], total: 1 }),
  getPolicy: async ({ id }) => ({ policy: fakePolicy(id), warnings }),
  createPolicy: async ({ name }) => ({ policy: fakePolicy(7, { name }), warnings: [] }),
  updatePolicy: async ({ id, name }) => ({ policy: fakePolicy(id, name === undefined ? {} : { name }), warnings: [] }),
  deletePolicy: async ({ id }) => (fakePolicy(id), {}),
  getContacts: async () => ({ contacts: fakeContacts, pushKey: "BKey" }),
  putContacts: async ({ timeZone, night }) => ({ contacts: { ...fakeContacts, timeZone, night }, pushKey: "BKey" }),
  testContact: async () => ({ ...fakeDelivery, kind: "test", target: undefined, incidentId: undefined }),
  rehearse: async () => ({
    wouldNotify: [],
    didNotify: [],
    difference: { added: [], removed: [] },
    totals: { wouldNotify: 0, didNotify: 0, added: 0, removed: 0 },
  }),
  escalateIncident: async ({ id }) => {
    if (id !== "m5") throw new AppError("not_found", "Incident does not exist");
    return { escalation: fakeProgress };
  },
} satisfies Partial<Handlers<typeof onCallContract>>;
