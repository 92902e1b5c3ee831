import type { AppliedKind } from "@sonde/domain/managed/apply";
import { type ConfigIds, missing } from "@sonde/domain/managed/ids";
import { impossible } from "@sonde/kit/errors";
import type { PolicyInput } from "@sonde/proto/http/on-call/policies";
import type { Context } from "../context.ts";
import { changedFields } from "../on-call/named.ts";
import { createPolicy, removePolicy, updatePolicy } from "../on-call/policies/policies.ts";
import { type Policy, policyKind, readPolicies } from "../on-call/policies/store.ts";
import { alikeByName, nameOf, writeEach } from "./named.ts";

type WrittenPolicy = {
  steps: { after: number; notify: string[]; needs?: number }[];
  repeat?: number;
  lowUrgency?: { tags: string[] };
};

export function policiesOf(
  ctx: Context,
  { ids, isImport }: { ids: ConfigIds; isImport: boolean },
): AppliedKind<Policy, PolicyInput> {
  // The gateway has resolved the users, and nobody reads the warnings.
  const within = (trx: Context["db"]) => ({ ...ctx, db: trx, people: async () => new Map<number, null>() });
  const shown = { language: "en-US" } as const;
  return {
    kind: "policy",
    find: readPolicies,
    findAlike: alikeByName("policies"),
    plan: async (line, before, dropped) => {
      const { steps, repeat = 0, lowUrgency } = line.fields as WrittenPolicy;
      // Only the API sets monitors of low urgency.
      const monitors = before?.lowUrgency?.monitors ?? [];
      const low = { monitors, tags: lowUrgency?.tags ?? [] };
      const next: PolicyInput = {
        name: nameOf(line, before, dropped),
        steps: (isImport ? withoutMissing(steps, ids) : steps).map((step, index) => ({
          after: step.after,
          notify: step.notify.map((recipient, place) => resolved(recipient, ids, `steps.${index}.notify.${place}`)),
          needs: step.needs ?? 1,
        })),
        repeat,
        lowUrgency: low.monitors.length + low.tags.length > 0 ? low : undefined,
      };
      const changed =
        before === null ? [] : changedFields(policyKind, before, { ...next, lowUrgency: next.lowUrgency ?? null });
      return { next, changes: changed.map((path) => ({ path, from: before?.[path], to: next[path] })) };
    },
    write: (trx, written) =>
      writeEach(
        written,
        async (next) => (await createPolicy(within(trx), next, shown)).policy.id,
        (id, next) => updatePolicy(within(trx), id, { ...next, lowUrgency: next.lowUrgency ?? null }, shown, true),
      ),
    remove: async (trx, removed) => {
      for (const { id } of removed) await removePolicy({ ...ctx, db: trx }, id, true);
    },
  };
}

/** Leaves out recipients that do not exist here, unless nobody is left. */
function withoutMissing(steps: WrittenPolicy["steps"], ids: ConfigIds): WrittenPolicy["steps"] {
  const exists = (recipient: string) => typeof findRecipient(recipient, ids) === "string";
  const kept = steps.map((step) => ({ ...step, notify: step.notify.filter(exists) }));
  return kept.some(({ notify }) => notify.length > 0) ? kept.filter(({ notify }) => notify.length > 0) : steps;
}

/** Returns `user:4` for `user:ada`. @throws AppError `invalid` or `impossible` if there is no such object */
export function resolved(recipient: string, ids: ConfigIds, path: string): string {
  const found = findRecipient(recipient, ids);
  if (typeof found === "string") return found;
  const { kind, key } = found;
  if (kind !== "user") throw missing(`${kind === "policy" ? "policies" : `${kind}s`}.${key}`, path);
  throw impossible([{ path, message: "There is no user named {name}", params: { name: key } }]);
}

/** Returns `user:4` for `user:ada`, or the kind and key of an object that does not exist. */
export function findRecipient(recipient: string, ids: ConfigIds): string | { kind: string; key: string } {
  const at = recipient.indexOf(":");
  const [prefix, key] = [recipient.slice(0, at), recipient.slice(at + 1)];
  const kind = prefix === "everyone" ? "schedule" : prefix;
  const id = ids.get(kind, key);
  // 0: it is not created, because its entry is not valid.
  return id === undefined || id === 0 ? { kind, key } : `${prefix}:${id}`;
}
