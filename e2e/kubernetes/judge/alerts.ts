import type { Hook } from "../target/control.ts";

/** What a monitor's webhooks must have received: so many openings and ends of incidents. */
export interface Expected {
  monitorId: number;
  downs: number;
  recoveries: number;
}

export interface AlertVerdict {
  lost: string[];
  /** Sent twice as two messages. */
  doubled: string[];
  /** Sent twice as one message (the same `webhook-id`), as happens where a sender dies between sending and noting it. */
  repeated: number;
}

/** Compares what webhooks received about some monitors with what was expected. */
export function judgeAlerts(expected: readonly Expected[], hooks: readonly Hook[]): AlertVerdict {
  const verdict: AlertVerdict = { lost: [], doubled: [], repeated: 0 };
  const messages = new Map<string, { monitorId: number; type: string; incidentId: string }>();
  for (const { id, body } of hooks) {
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { target: { type: string; id: number }; incident: { id: string } };
    };
    if (data.target.type !== "monitor") continue;
    const isKnown = messages.has(id);
    if (isKnown && expected.some(({ monitorId }) => monitorId === data.target.id)) verdict.repeated++;
    messages.set(id, { monitorId: data.target.id, type, incidentId: data.incident.id });
  }
  for (const { monitorId, downs, recoveries } of expected) {
    const own = [...messages.values()].filter((message) => message.monitorId === monitorId);
    for (const [type, wanted] of [
      ["alert.down", downs],
      ["alert.recovery", recoveries],
    ] as const) {
      const incidents = own.filter((message) => message.type === type).map(({ incidentId }) => incidentId);
      const distinct = new Set(incidents).size;
      if (distinct < wanted) verdict.lost.push(`monitor ${monitorId}: ${type} ${distinct} of ${wanted} times`);
      if (incidents.length > distinct || distinct > wanted) {
        verdict.doubled.push(`monitor ${monitorId}: ${type} ${incidents.length} times instead of ${wanted}`);
      }
    }
  }
  return verdict;
}
