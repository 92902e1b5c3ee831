import { type DeferralReason, deferralReasons } from "@sonde/proto/http/incidents/alerts";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { describe, expect, test } from "vitest";
import { nextReminder, quietAt } from "./next-reminder.ts";

const atMs = Date.UTC(2026, 0, 31, 12);
const incident: Incident = {
  id: "m5",
  target: { type: "monitor", id: 7, name: "monitor 7" },
  kind: "down",
  cause: "500 is not 200",
  openedAt: new Date(atMs).toISOString(),
};
const held = (reason: DeferralReason, untilMs: number | null, moment = "opened") =>
  ({ moment, outcome: "held", reason, untilMs }) as const;
const sent = { moment: "opened", outcome: "sent", reason: "sent", untilMs: null } as const;
const due = (dueAtMs: number | null, ...decisions: ReturnType<typeof held>[]) => ({
  decisions: [sent, ...decisions],
  reminderDueAtMs: dueAtMs,
});
const never = () => null;

describe("the next reminder", () => {
  test.each(deferralReasons)("follows what defers it: %s", (reason) => {
    const deferral = { reason, untilMs: reason === "dependency" ? null : atMs + 7_200_000 };
    expect(nextReminder(never, incident, due(null, held(reason, deferral.untilMs)))).toEqual(deferral);
  });

  test("is the first of several deferred ones", () => {
    const both = due(null, held("silenced", atMs + 9), held("quiet_hours", atMs + 8), held("dependency", null));
    expect(nextReminder(never, incident, both)).toEqual({ reason: "quiet_hours", untilMs: atMs + 8 });
  });

  test("is no step of a policy", () => {
    expect(nextReminder(never, incident, due(null, held("snoozed", atMs + 8, "step:0.1")))).toBeNull();
  });

  test("that would come during a silence or maintenance comes at its end, otherwise when it is due", () => {
    const watch = {
      at: () => undefined,
      silencedUntil: (_type: string, id: number, at: number) => (id === 7 && at < atMs + 60 ? atMs + 60 : undefined),
    };
    const quiet = (target: TargetRef, at: number) => quietAt(watch, target, at);
    expect(nextReminder(quiet, incident, due(atMs + 59))).toEqual({ reason: "silenced", untilMs: atMs + 60 });
    expect(nextReminder(quiet, incident, due(atMs + 60))).toEqual({ reason: undefined, untilMs: atMs + 60 });
    const maintained = { ...watch, at: () => ({ fromMs: atMs, toMs: atMs + 90 }) };
    expect(quietAt(maintained, incident.target, atMs)).toEqual({ reason: "maintenance", untilMs: atMs + 90 });
  });

  test("of a snoozed incident comes after the snooze", () => {
    const snoozed = { ...incident, snoozedUntil: new Date(atMs + 7_200_000).toISOString() };
    expect(nextReminder(never, snoozed, due(atMs + 60))).toEqual({ reason: "snoozed", untilMs: atMs + 7_200_000 });
  });

  test("does not exist if reminders are off, after an acknowledgement, or after the end", () => {
    expect(nextReminder(never, incident, due(null))).toBeNull();
    const silenced = due(null, held("silenced", atMs + 9));
    expect(nextReminder(never, { ...incident, acknowledgedAt: incident.openedAt }, silenced)).toBeNull();
    expect(nextReminder(never, { ...incident, closedAt: incident.openedAt }, silenced)).toBeNull();
  });
});
