import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { type LiveEvent, keepListLive, keepRefetched } from "../../app/live/events.ts";

/** Several things happen at once to an incident: it opens, alerts are made, messages are delivered. */
const storyEveryMs = 700;

/** Keeps a page of the list live: what is on it changes in place, what comes or goes is asked for. */
export const keepPageLive = keepListLive("IncidentList", (page: { incidents: Incident[] }, event) => {
  if (event.name === "incident") {
    const { incident } = event.data;
    const index = page.incidents.findIndex(({ id }) => id === incident.id);
    if (index !== -1) page.incidents[index] = incident;
    return true;
  }
  return (
    (event.name === "monitor" || event.name === "agent") &&
    ["deleted", "renamed", "updated"].includes(event.data.change)
  );
});

/** Keeps the story of one incident live. */
export const keepStoryLive = keepRefetched(
  ({ id }: { id: string }) => ({ type: "Incident", id }),
  (event, { id }) => (isOf(id, event) ? storyEveryMs : null),
);

function isOf(id: string, { name, data }: LiveEvent): boolean {
  if (name === "delivery") return data.incidentId === id;
  return name === "incident" && data.incident.id === id;
}
