import type { Hook } from "../target/control.ts";

export interface Expected {
  monitorId: number;
  downs: number;
  recoveries: number;
}

export interface AlertVerdict {
  lost: string[];
  /** Sent twice in different messages. */
  doubled: string[];
  /** Sent twice in one message (equal `webhook-id`), because a sender died before it recorded the attempt. */
  repeated: number;
}

export function judgeAlerts(expected: readonly Expected[], hooks: readonly Hook[]): AlertVerdict {
  const verdict: AlertVerdict = { lost: [], doubled: [], repeated: 0 };
  const messages = new Map<string, { monitorId: number; type: string; incidentId: string }>();
  for (const { id, body } of hooks) {
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { target: { type: string; id: number }; incident: { id: string } };
    };
    if (data.target.type !== "monitor") continue;
    const isRepeated = messages.has(id);
    if (isRepeated && expected.some(({ monitorId }) => monitorId === data.target.id)) verdict.repeated++;
    messages.set(id, { monitorId: data.target.id, type, incidentId: data.incident.id });
  }
  for (const { monitorId, downs, recoveries } of expected) {
    const own = [...messages.values()].filter((message) => message.monitorId === monitorId);
    for (const [type, count] of [
      ["alert.down", downs],
      ["alert.recovery", recoveries],
    ] as const) {
      const incidents = own.filter((message) => message.type === type).map(({ incidentId }) => incidentId);
      const distinct = new Set(incidents).size;
      if (distinct < count) verdict.lost.push(`monitor ${monitorId}: ${type} ${distinct} of ${count} times`);
      if (incidents.length > distinct || distinct > count) {
        verdict.doubled.push(`monitor ${monitorId}: ${type} ${incidents.length} times instead of ${count}`);
      }
    }
  }
  return verdict;
}
