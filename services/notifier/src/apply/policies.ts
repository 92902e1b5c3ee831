import type { AppliedKind } from "@sonde/domain/managed/apply";
import { type ConfigIds, missing } from "@sonde/domain/managed/ids";
import { impossible } from "@sonde/kit/errors";
import type { PolicyInput } from "@sonde/proto/http/on-call/policies";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { Context } from "../context.ts";
import { changedPolicyFields, createPolicy, removePolicy, updatePolicy } from "../on-call/policies.ts";
import { type Policy, type PolicyRow, readPolicies } from "../on-call/policies-store.ts";

type WrittenPolicy = {
  steps: { after: number; notify: string[]; needs?: number }[];
  repeat?: number;
  lowUrgency?: { tags: string[] };
};

export function policiesOf(ctx: Context, ids: ConfigIds): AppliedKind<Policy, PolicyInput> {
  const nameOf = ({ key, fields }: ConfigLine) => (fields["name"] as string | undefined) ?? key;
  // The gateway has resolved the users, and nobody reads the warnings.
  const within = (trx: Context["db"]) => ({ ...ctx, db: trx, people: async () => new Map<number, null>() });
  const shown = { language: "en-US" } as const;
  return {
    kind: "policy",
    find: (trx, wanted) => readPolicies(trx, wanted),
    findAlike: async (trx, lines) => {
      const there = await trx<PolicyRow>("policies")
        .whereRaw("name = any(?::text[])", [lines.map(nameOf)])
        .orderBy("id")
        .select("id", "name");
      return (line) => there.filter(({ name }) => name === nameOf(line)).map((row) => ({ ...row, hasName: true }));
    },
    plan: async (line, before, dropped) => {
      const { steps, repeat = 0, lowUrgency } = line.fields as WrittenPolicy;
      // Without a name in the document, the existing name stays. Only the API sets monitors of low urgency.
      const keepsName = before !== null && !("name" in line.fields) && !dropped.includes("name");
      const monitors = before?.lowUrgency?.monitors ?? [];
      const low = { monitors, tags: lowUrgency?.tags ?? [] };
      const next: PolicyInput = {
        name: keepsName ? before.name : nameOf(line),
        steps: steps.map((step, index) => ({
          after: step.after,
          notify: step.notify.map((recipient, place) => resolved(recipient, ids, `steps.${index}.notify.${place}`)),
          needs: step.needs ?? 1,
        })),
        repeat,
        lowUrgency: low.monitors.length + low.tags.length > 0 ? low : undefined,
      };
      const changed =
        before === null ? [] : changedPolicyFields(before, { ...next, lowUrgency: next.lowUrgency ?? null });
      return { next, changes: changed.map((path) => ({ path, from: before?.[path], to: next[path] })) };
    },
    write: async (trx, written) => {
      const made = new Map<string, number>();
      for (const { line, id, before, next } of written) {
        const patch = { ...next, lowUrgency: next.lowUrgency ?? null };
        if (before !== null) await updatePolicy(within(trx), id, patch, shown, true);
        else made.set(line.key, (await createPolicy(within(trx), next, shown)).policy.id);
      }
      return made;
    },
    remove: async (trx, removed) => {
      for (const { id } of removed) await removePolicy({ ...ctx, db: trx }, id, true);
    },
  };
}

/** Returns `user:4` for `user:ada`. @throws AppError `invalid` or `impossible` if there is no such object */
function resolved(recipient: string, ids: ConfigIds, path: string): string {
  const at = recipient.indexOf(":");
  const [kind, key] = [recipient.slice(0, at), recipient.slice(at + 1)];
  const id = ids.get(kind === "everyone" ? "schedule" : kind, key);
  if (id !== undefined) return `${kind}:${id}`;
  if (kind !== "user") throw missing(`${kind === "channel" ? "channels" : "schedules"}.${key}`, path);
  throw impossible([{ path, message: "There is no user named {name}", params: { name: key } }]);
}
