import type { Call } from "@sonde/kit/bus/rpc";
import { AppError, invalid } from "@sonde/kit/errors";
import { type AppliedKind, applyManagedPart } from "@sonde/domain/managed/apply";
import type { ConfigIds } from "@sonde/domain/managed/ids";
import { defaultsOf } from "@sonde/proto/http/monitors/checks/kind";
import { kindOf, parseCheck, targetOf } from "@sonde/proto/http/monitors/kinds";
import {
  defaultTimeoutSeconds,
  type MonitorPatch,
  sharedDefaultsOf,
  splitInput,
} from "@sonde/proto/http/monitors/monitors";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { ApplyPart, ConfigLine } from "@sonde/proto/rpc/apply";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { faultOfPlan } from "../groups/rules.ts";
import { writeAddresses } from "../heartbeats/targets.ts";
import type { Definition, StoredMonitor } from "../monitors/monitor.ts";
import { writeMonitors, writeRemovals } from "../monitors/monitors.ts";
import { changedFieldsOf, shownDefinition } from "../monitors/present.ts";
import { mergeInput, patchOf, patternErrors } from "../monitors/rules.ts";
import { lockMonitors } from "../monitors/store.ts";
import { slosOf } from "./slos.ts";
import { chunks, findByTarget, findMonitors } from "./store.ts";

type Next = { definition: Definition; paused: boolean };
type MonitorKind = AppliedKind<StoredMonitor, Next>;

export async function applyMonitors(ctx: Context, part: ApplyPart, { signal }: Pick<Call, "signal">) {
  await ctx.locations.settled();
  const changed: StoredMonitor[] = [];
  const applied = await applyManagedPart(
    (run) => ctx.db.transaction(run),
    { part, signal },
    (ids) =>
      [monitorsOf(ctx, ids, (monitors) => changed.push(...monitors)), slosOf(ctx, ids)].map(
        (kind) => kind as AppliedKind<unknown, unknown>,
      ),
  );
  for (const { id, revision } of changed) ctx.committed(id, revision);
  ctx.nudge();
  return applied;
}

function monitorsOf(ctx: Context, ids: ConfigIds, onChange: (monitors: StoredMonitor[]) => void): MonitorKind {
  const nowMs = ctx.clock.now();
  const plan: MonitorKind["plan"] = async (line, before, dropped) => {
    const input = inputOf(line, before, dropped, ids);
    // In a large document most entries are unchanged and were validated when they were saved.
    if (before !== null && isAsShown(input, before))
      return { next: { definition: before, paused: before.status === "paused" }, changes: [] };
    const patch = patchOf(input);
    const own =
      patch.dependsOn?.findIndex(({ type, id }) => type === "monitor" && id === ids.get("monitor", line.key)) ?? -1;
    if (own >= 0) throw invalid([{ path: `dependsOn.${own}`, message: "It cannot depend on itself" }]);
    const errors = await patternErrors(ctx.patterns, patch.check, before?.config ?? null);
    const definition = mergeInput(ctx, patch, { before, errors });
    const paused = patch.paused ?? before?.status === "paused";
    return {
      next: { definition, paused },
      changes: before === null ? [] : changedFieldsOf(before, definition, paused, ids.keyOf),
    };
  };
  return {
    kind: "monitor",
    find: (trx, wanted) => findMonitors(trx, wanted),
    findAlike: async (trx, lines) => {
      const targets = new Map(lines.map((line) => [line, targetOfLine(line)]));
      const there = Map.groupBy(await findByTarget(trx, [...new Set(targets.values())]), ({ target }) => target);
      return (line) =>
        (there.get(targets.get(line) ?? "") ?? [])
          .filter(({ type }) => type === typeOf(line))
          .map(({ id, name }) => ({ id, name, hasName: name === nameOf(line) }));
    },
    plan,
    refuse: (trx, written, removed) => {
      const groups = written.flatMap(({ id, next: { definition } }) => {
        const { name, config } = definition;
        return config.type === "group" ? [{ id, name, members: config["members"] as number[] }] : [];
      });
      return faultOfPlan(trx, groups, removed);
    },
    write: async (trx, written) => {
      for (const chunk of chunks(written.toSorted((one, other) => one.id - other.id))) {
        const ids = chunk.map(({ id }) => id);
        // A user may have changed other fields since the plan was read.
        const locked = new Map((await lockMonitors(trx, ids)).map((row) => [row.id, row]));
        const changes = await Promise.all(
          chunk.map(async ({ line, id, before: known, next, dropped }) => {
            const before = locked.get(id) ?? null;
            if (known === null ? id <= 0 : before === null) throw changedMeanwhile();
            return known === null
              ? { id, before: null, ...next }
              : { before, ...(await plan(line, before, dropped))!.next };
          }),
        );
        const monitors = await writeMonitors(trx, changes, nowMs);
        const moved = monitors.map((monitor, at) => ({ before: changes[at]!.before, monitor }));
        await writeAddresses(trx, ctx.secrets, moved, nowMs);
        onChange(monitors);
      }
      return new Map();
    },
    remove: async (trx, removed) => {
      for (const chunk of chunks(removed)) {
        const ids = chunk.map(({ id }) => id);
        onChange(await writeRemovals(trx, ids, nowMs));
      }
    },
  };
}

/** True if every input field equals the shown value. A secret never does, because it is shown as a mask. */
function isAsShown(input: MonitorPatch, before: StoredMonitor): boolean {
  const shown: Record<string, unknown> = shownDefinition(before);
  return Object.entries(input).every(([field, value]) => isDeepStrictEqual(value, shown[field]));
}

const changedMeanwhile = () =>
  new AppError("conflict", "The configuration changed in the meantime: apply the document again");

const typeOf = ({ fields }: ConfigLine) => (fields["type"] ?? "http") as Parameters<typeof kindOf>[0];
const nameOf = ({ key, fields }: ConfigLine) => (typeof fields["name"] === "string" ? fields["name"] : key);

function targetOfLine({ fields }: ConfigLine): string {
  const { check } = splitInput(fields);
  const members = check["members"];
  // A group's target contains the number of its members.
  const parsed = parseCheck(Array.isArray(members) ? { ...check, members: members.map((_key, at) => at + 1) } : check);
  return parsed.success ? targetOf(parsed.data) : "";
}

/** For a monitor that does not exist yet the result is a full input. */
function inputOf(
  line: ConfigLine,
  before: StoredMonitor | null,
  dropped: readonly string[],
  ids: ConfigIds,
): MonitorPatch {
  const { dependsOn, members: keys, ...fields } = line.fields;
  const members = Array.isArray(keys)
    ? keys.map((key, at) => ids.target(`monitor:${String(key)}`, `members.${at}`).id).filter((id) => id !== 0)
    : undefined;
  const refs = Array.isArray(dependsOn)
    ? dependsOn
        .map((text, at): TargetRef => ids.target(String(text), `dependsOn.${at}`))
        // Without a source, unresolved references are dropped.
        .filter(({ id }) => id !== 0)
    : undefined;
  const type = before?.config.type ?? typeOf(line);
  const usual = before === null ? kindOf(type).interval.usual : before.intervalMs / 60_000;
  const interval = (fields["interval"] as number | undefined) ?? usual;
  const defaults: Record<string, unknown> = {
    ...sharedDefaultsOf(type),
    ...defaultsOf(kindOf(type).fields),
    name: line.key,
    locations: [],
    timeout: defaultTimeoutSeconds(interval),
  };
  return {
    ...Object.fromEntries(dropped.map((field) => [field, defaults[field] ?? null])),
    ...(before === null && { name: line.key, type: typeOf(line) }),
    ...fields,
    ...(refs && { dependsOn: refs }),
    ...(members && { members }),
  } as MonitorPatch;
}
