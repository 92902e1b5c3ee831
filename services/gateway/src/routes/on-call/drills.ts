import { drillAnswer, drillInput, drillsAnswer, drillsQuery, maxDrills } from "@sonde/proto/http/on-call/drills";
import { command, route } from "../../route.ts";

const params = { id: "Drill does not exist" } as const;

export const onCallDrillRoutes = [
  route("GET /api/on-call/drills", "session", {
    summary: "List fire drills, and when each channel, contact and policy was last proven",
    query: drillsQuery,
    answer: drillsAnswer,
    handle: ({ services, query, ask }) => services.onCall.listDrills(query, ask),
  }),
  route("POST /api/on-call/drills", "write", {
    summary: "Start a fire drill of a person, an escalation policy or a channel, once or repeatedly",
    description: `It ends when it is acknowledged, or 30 minutes after its last step. At most ${maxDrills}; 422 if one of the same target is running.`,
    body: drillInput,
    status: 201,
    answer: drillAnswer,
    message: "Drill started",
    handle: ({ services, session, body, ask }) => services.onCall.startDrill({ ...body, by: session.username }, ask),
  }),
  route("POST /api/on-call/drills/:id/acknowledge", "write", {
    summary: "Acknowledge the running drill, which ends it; without one nothing changes",
    description: "A step of a policy can need several acknowledgements by different people.",
    params,
    answer: drillAnswer,
    message: "Drill acknowledged",
    handle: ({ services, session, params: { id }, ask }) =>
      services.onCall.acknowledgeDrill({ id, by: session.username }, ask),
  }),
  command("DELETE /api/on-call/drills/:id", "write", {
    summary: "Delete a fire drill with its history; a running one ends",
    params,
    message: "Drill deleted",
    handle: ({ services, params: { id }, ask }) => services.onCall.deleteDrill({ id }, ask),
  }),
];
