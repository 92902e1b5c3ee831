import { drillEntry, policyEntry, scheduleEntry } from "@sonde/proto/http/config/document";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { plainLine } from "@sonde/proto/http/text";
import type * as z from "zod";
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

type Fields = Record<string, unknown>;
type Input = { imported: ImportedObjects; objects: Record<string, PlannedObject>; refused: RefusedObject[] };
type Read = { name: string; entry: Fields; lost?: ReadonlySet<string>; why?: TranslatableText | false };

const nobody: TranslatableText = { text: "It would notify nobody: what it notifies is not imported" };

/** Converts schedules, policies and repeated drills. Recipients that are not imported are left out; users are named. */
export function translateOnCall({ channels, onCall }: Draft, { imported, objects, refused }: Input) {
  const names = new Map(channels.map(({ key, name }) => [`channel:${key}`, name]));
  const refs = new Map([...imported.channels].map(([id, { key }]) => [`channel:${id}`, `channel:${key}`]));
  // A step of disabled channels reaches nobody, so the notifier would refuse it.
  const isDisabled = new Set(channels.flatMap(({ key, enabled }) => (enabled ? [] : [`channel:${key}`])));
  const nameOf = (recipient: string) => names.get(recipient) ?? recipient.replace("user:", "");
  const refOf = (recipient: string) => (recipient.startsWith("user:") ? recipient : refs.get(recipient));

  function translate<Entry>(
    kind: "schedule" | "policy" | "drill",
    schema: z.ZodType<Entry>,
    read: (given: Fields) => Read,
  ) {
    const entries: Record<string, Entry> = {};
    for (const [at, given] of (onCall?.[kind] ?? []).entries()) {
      const { name, entry, lost, why: refusal } = read(given);
      const parsed = schema.safeParse(entry);
      const why = whyUnstorable(entry) ?? (refusal || (parsed.success ? null : whyOf(faultsOf(parsed.error.issues))));
      if (!parsed.success || why !== null) {
        refused.push({ type: kind, name: plainLine(name), why: why! });
        continue;
      }
      const key = `${kind}-${at + 1}`;
      entries[key] = parsed.data;
      for (const prefix of kind === "schedule" ? ["schedule", "everyone"] : [kind]) {
        names.set(`${prefix}:${String(given["id"])}`, name);
        refs.set(`${prefix}:${String(given["id"])}`, `${prefix}:${key}`);
      }
      const params = { channels: [...(lost ?? [])].map(nameOf).join(", ").slice(0, 200) };
      const notes: TranslatableText[] =
        params.channels === "" ? [] : [{ text: "No longer notifies {channels}", params }];
      objects[`${kind} ${key}`] = { type: kind, name, notes };
    }
    return entries;
  }

  const schedules = translate("schedule", scheduleEntry, ({ name, timeZone, layers }) => {
    const staffed = listOf(layers).filter(({ members }) => !Array.isArray(members) || members.length > 0);
    return { name: textOf(name), entry: { name, timeZone, layers: staffed } };
  });
  const policies = translate("policy", policyEntry, ({ name, steps, repeat, lowUrgency }) => {
    const lost = new Set<string>();
    const kept = listOf(steps).flatMap(({ notify, ...step }) => {
      const given = (Array.isArray(notify) ? notify : []).map(textOf);
      const known = given.filter((one) => refOf(one) !== undefined);
      const reachable = known.every((one) => isDisabled.has(one)) ? [] : known;
      for (const one of given) if (!reachable.includes(one)) lost.add(one);
      return reachable.length === 0 ? [] : [{ ...step, notify: reachable.map(refOf) }];
    });
    const tags = (lowUrgency as Fields | undefined)?.["tags"];
    const low = Array.isArray(tags) && tags.length > 0 && { lowUrgency: { tags: tags as unknown[] } };
    return { name: textOf(name), entry: { name, steps: kept, repeat, ...low }, lost, why: kept.length === 0 && nobody };
  });
  const drills = translate("drill", drillEntry, ({ target, schedule }) => {
    const given = textOf(target);
    const ref = refOf(given);
    return { name: nameOf(given), entry: { target: ref, schedule }, why: ref === undefined && nobody };
  });
  return { schedules, policies, drills, policyKeyOf: (id: number) => refs.get(`policy:${id}`)?.replace("policy:", "") };
}
