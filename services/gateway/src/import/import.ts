import { isMessage } from "@sonde/proto/http/messages";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { ConfigOutcome } from "@sonde/proto/rpc/apply";
import type { CallContext } from "../apply/call-context.ts";
import { type PlannedDocument, planDocument } from "../apply/plan.ts";
import type { PreparedImport } from "./jobs.ts";
import type { ExistingObjects, PlannedObject, RefusedObject } from "@sonde/import/formats/shapes";

export async function readExisting({ services, ask }: CallContext): Promise<ExistingObjects> {
  const [{ channels }, settings, { locations }] = await Promise.all([
    services.notifications.listChannels({}, ask),
    services.notifications.getSettings({}, ask),
    services.monitors.listLocations({}, ask),
  ]);
  const { globalMonitor, globalAgent, monitors, agents } = settings;
  return {
    channels: channels.map(({ id, name, type }) => ({ id, name, type })),
    globalMonitor,
    globalAgent,
    ownSettings: Object.keys(monitors).length + Object.keys(agents).length,
    locations: locations.filter(({ runners }) => runners > 0).map(({ name }) => name),
  };
}

export type PlannedImport = { planned: PlannedDocument; will: PlannedObject[]; cannot: RefusedObject[] };

/** Leaves out existing monitors (by name and target); reuses existing channels and templates (by name and type). */
export async function planImport(context: CallContext, prepared: PreparedImport): Promise<PlannedImport> {
  const planned = await planDocument(context, prepared.document, null);
  const will = new Map<string, PlannedObject[]>();
  const cannot = [...prepared.refused];
  for (const outcome of planned.outcomes) {
    const object = prepared.objects[`${outcome.kind} ${outcome.key}`];
    if (object === undefined) continue;
    const why = refusalReason(outcome);
    if (why !== null) cannot.push({ type: object.type, name: object.name, why });
    else {
      const used = outcome.outcome === "same" && outcome.kind !== "settings";
      const coming = used
        ? { ...object, notes: [{ text: "Already exists; the existing one is used" as const }] }
        : object;
      will.set(outcome.kind, [...(will.get(outcome.kind) ?? []), coming]);
    }
  }
  const { users } = planned.ids;
  for (const name of prepared.document.names.users.filter((one) => users[one] === undefined))
    cannot.push({
      type: "user",
      name,
      why: { text: "Has no account here: schedules, policies and drills leave them out" },
    });
  const of = (kind: string) => will.get(kind) ?? [];
  const onCall = ["schedule", "policy", "drill", "slo"].flatMap(of);
  return {
    planned,
    will: [...of("monitor"), ...of("channel"), ...of("template"), ...onCall, ...of("settings")],
    cannot,
  };
}

function refusalReason({ kind, outcome, faults: [first] = [] }: ConfigOutcome): TranslatableText | null {
  if (kind === "monitor" && outcome === "same") return { text: "A monitor with this name and target already exists" };
  if (outcome !== "fault") return null;
  if (kind === "slo" && first?.path === "targets") return { text: "None of its monitors can be imported" };
  if (first?.message === "{path} is not defined in this or any other document")
    return { text: "It would notify nobody: what it notifies is not imported" };
  if (first === undefined || !isMessage(first.message)) return { text: "This value is not valid" };
  return { text: first.message, params: first.params ?? {} };
}
