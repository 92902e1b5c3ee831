import { type ConfigDocument, type ConfigEntry, sloEntry } from "@sonde/proto/http/config/document";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { plainLine } from "@sonde/proto/http/text";
import { listOf } from "../schedules/shapes.ts";
import {
  type Draft,
  type ImportedObjects,
  type PlannedObject,
  type RefusedObject,
  whyOf,
  whyUnstorable,
} from "./shapes.ts";
import { textOf } from "./texts.ts";

type Input = {
  imported: ImportedObjects;
  monitors: Record<string, ConfigEntry>;
  objects: Record<string, PlannedObject>;
  refused: RefusedObject[];
};

/** Converts service levels of the imported monitors. Groups have no checks to count. */
export function translateSlos({ slos = [] }: Draft, { imported, monitors, objects, refused }: Input) {
  const checked = imported.monitors.filter(({ key }) => monitors[key]?.["type"] !== "group");
  const keyOf = new Map<unknown, string>(checked.map(({ draft, key }) => [draft.key, key]));
  const entries: NonNullable<ConfigDocument["slos"]> = {};
  for (const [at, given] of slos.entries()) {
    const { tag, combine, objective, window, timeZone, latency, burnAlerts, policyId } = given;
    const name = textOf(given["name"]);
    const listed = listOf(given["targets"]);
    const targets = listed.flatMap(({ id }) => keyOf.get(id) ?? []).map((key) => `monitor:${key}`);
    const policy = typeof policyId === "number" ? imported.policyKeyOf(policyId) : undefined;
    const counted = listed.length === 0 ? { tag } : { targets };
    const entry = { name, ...counted, combine, objective, window, timeZone, latency, burnAlerts, policy };
    const parsed = sloEntry.safeParse(entry);
    const isEmpty = listed.length > 0 && targets.length === 0;
    const why: TranslatableText | null = isEmpty
      ? { text: "None of its monitors can be imported" }
      : (whyUnstorable(entry) ?? (parsed.success ? null : whyOf(faultsOf(parsed.error.issues))));
    if (!parsed.success || why !== null) {
      refused.push({ type: "slo", name: plainLine(name), why: why! });
      continue;
    }
    const notes: TranslatableText[] = [];
    if (targets.length < listed.length) notes.push({ text: "Some of its monitors cannot be imported" });
    if (typeof policyId === "number" && policy === undefined)
      notes.push({ text: "Its escalation policy cannot be imported; the settings' policy applies" });
    const key = `slo-${at + 1}`;
    entries[key] = parsed.data;
    objects[`slo ${key}`] = { type: "slo", name, notes };
  }
  return entries;
}
