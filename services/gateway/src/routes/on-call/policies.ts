import { escalateAnswer, escalateInput } from "@sonde/proto/http/on-call/escalation";
import {
  policiesAnswer,
  policiesQuery,
  policyAnswer,
  policyInput,
  policyPatch,
} from "@sonde/proto/http/on-call/policies";
import { incidentId } from "@sonde/proto/http/incidents/incidents";
import { command, route } from "../../route.ts";

const params = { id: "Escalation policy does not exist" } as const;
const ofIncident = { id: { missing: "Incident does not exist", schema: incidentId } } as const;
const unreachable =
  "422 if a recipient does not exist or a step can reach nobody, with the path of each. `warnings` lists members without contacts.";

export const onCallPolicyRoutes = [
  route("GET /api/on-call/policies", "session", {
    summary: "List escalation policies",
    query: policiesQuery,
    answer: policiesAnswer,
    handle: ({ services, query, ask }) => services.onCall.listPolicies(query, ask),
  }),
  route("POST /api/on-call/policies", "write", {
    summary: "Create an escalation policy",
    description: `At most 100 policies. ${unreachable}`,
    body: policyInput,
    status: 201,
    answer: policyAnswer,
    message: "Escalation policy created",
    handle: ({ services, body, ctx, ask }) =>
      services.onCall.createPolicy({ ...body, language: ctx.state.language }, ask),
  }),
  route("GET /api/on-call/policies/:id", "session", {
    summary: "Get an escalation policy",
    params,
    answer: policyAnswer,
    handle: ({ services, params: { id }, ctx, ask }) =>
      services.onCall.getPolicy({ id, language: ctx.state.language }, ask),
  }),
  route("PUT /api/on-call/policies/:id", "write", {
    summary: "Change all or some fields of an escalation policy; open incidents continue with the changed steps",
    description: unreachable,
    params,
    body: policyPatch,
    answer: policyAnswer,
    message: "Escalation policy updated",
    handle: ({ services, params: { id }, body, ctx, ask }) =>
      services.onCall.updatePolicy({ ...body, id, language: ctx.state.language }, ask),
  }),
  command("DELETE /api/on-call/policies/:id", "write", {
    summary: "Delete an escalation policy that no settings use",
    description: "409 names the settings that use it.",
    params,
    refusals: ["conflict"],
    message: "Escalation policy deleted",
    handle: ({ services, params: { id }, ask }) => services.onCall.deletePolicy({ id }, ask),
  }),
  route("POST /api/incidents/:id/escalate", "write", {
    summary: "Take the next step of an incident's escalation policy now, also if it was acknowledged",
    description: "After the last step it begins with the first one. 422 if the incident is closed or has no policy.",
    params: ofIncident,
    body: escalateInput,
    answer: escalateAnswer,
    message: "Escalated: the next step was taken",
    handle: ({ services, session, params: { id }, body: { note }, ask }) =>
      services.onCall.escalateIncident({ id, note, by: session.username }, ask),
  }),
];
