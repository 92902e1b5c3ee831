import type { Incident, IncidentProducer } from "@sonde/proto/http/incidents/incidents";
import type { HandlerBase } from "../route.ts";

type Asking = Pick<HandlerBase, "services" | "ask">;

/** Who opened an incident: its id begins with the letter of its target. */
const producerOf = (id: string): IncidentProducer => (id.startsWith("a") ? "agents" : "monitors");

/** @throws AppError `not_found` */
export async function readIncident({ services, ask }: Asking, id: string): Promise<Incident> {
  const { incident } = await services.incidents.getIncident({ id }, { ...ask, scope: producerOf(id) });
  return incident;
}

/**
 * Acknowledges an incident, which stops its reminders.
 * @param by author, if it is not the session's own user
 * @throws AppError `not_found`
 */
export async function acknowledgeIncident(
  { services, ask }: Asking,
  { id, note, by }: { id: string; note?: string | undefined; by?: string },
): Promise<Incident> {
  const { incident } = await services.incidents.acknowledgeIncident(
    { id, note, by },
    { ...ask, scope: producerOf(id) },
  );
  return incident;
}
