import { type FieldFault, toAppError } from "@sonde/kit/errors";
import type { ImportedSchedule } from "@sonde/import/schedules/shapes";
import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import { type Language, translate } from "@sonde/proto/http/messages";
import { isTimeZone } from "@sonde/proto/http/notifications/settings";
import { type OnCallSchedule, type ScheduleInput, scheduleInput } from "@sonde/proto/http/on-call/schedules";
import { translateText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { isDeepStrictEqual } from "node:util";
import type { CallContext } from "../apply/call-context.ts";
import { readUsers } from "../apply/plan.ts";

type NewOverride = { userId: number; start: string; end: string };
/** `existing`: the schedule with the same name, which is updated. */
type Planned = { path: string; input: ScheduleInput; existing: OnCallSchedule | undefined; overrides: NewOverride[] };
export type PlannedSchedules = { planned: Planned[]; plan: ConfigPlan; unmatched: string[]; notes: ImportNote[] };
type ImportNote = { schedule: string; text: string };

/** Changes nothing. Schedules are matched by name, people by mail address or username. */
export async function planSchedules(
  context: CallContext,
  imported: readonly ImportedSchedule[],
  language: Language,
): Promise<PlannedSchedules> {
  const names = [
    ...new Set(
      imported.flatMap(({ layers, overrides }) => [
        ...layers.flatMap(({ members }) => members),
        ...overrides.map(({ member }) => member),
      ]),
    ),
  ];
  const users = await readUsers(context, names);
  const { schedules } = await context.services.onCall.listSchedules({ page: 1, pageSize: 200 }, context.ask);
  const plan: ConfigPlan = { create: [], update: [], remove: [], same: [], conflicts: [] };
  const planned: Planned[] = [];
  for (const { name, timeZone, layers, overrides } of imported) {
    const path = `schedules.${name}`;
    const input = {
      name: name.slice(0, 100),
      timeZone: isTimeZone(timeZone) ? timeZone : "UTC",
      layers: layers
        .map((layer) => ({ ...layer, members: layer.members.flatMap((member) => users[member] ?? []) }))
        .filter(({ members }) => members.length > 0),
    };
    const known = overrides.flatMap(({ member, ...span }) => {
      const userId = users[member];
      return userId === undefined ? [] : [{ userId, ...span }];
    });
    if (input.layers.length === 0 && known.length === 0) {
      plan.conflicts.push({ path, message: translate("Nobody in this schedule has an account here", language) });
      continue;
    }
    const parsed = scheduleInput.safeParse(input);
    if (!parsed.success) {
      plan.conflicts.push({ path, message: textOf(faultsOf(parsed.error.issues), language) });
      continue;
    }
    const existing = schedules.find((one) => one.name === parsed.data.name);
    const fresh = known.filter(
      (one) => existing?.overrides.some((old) => isSameSpan(old, one) && old.userId === one.userId) !== true,
    );
    planned.push({ path, input: parsed.data, existing, overrides: fresh });
    if (existing === undefined) plan.create.push(path);
    else {
      const fields = (["timeZone", "layers"] as const).filter(
        (field) => !isDeepStrictEqual(existing[field], parsed.data[field]),
      );
      for (const field of fields)
        plan.update.push({ path: `${path}.${field}`, from: existing[field], to: parsed.data[field] });
      if (fresh.length > 0) plan.update.push({ path: `${path}.overrides`, from: 0, to: fresh.length });
      if (fields.length === 0 && fresh.length === 0) plan.same.push(path);
    }
  }
  return {
    planned,
    plan,
    unmatched: names.filter((name) => users[name] === undefined),
    notes: imported.flatMap(({ name, notes }) =>
      notes.map((note) => ({ schedule: name, text: translateText(note, language) })),
    ),
  };
}

const textOf = (faults: readonly FieldFault[], language: Language) =>
  [...new Set(faults.map(({ message, params }) => translate(message, language, params)))].join(" ");

const isSameSpan = (one: { start: string; end: string }, other: { start: string; end: string }) =>
  Date.parse(one.start) === Date.parse(other.start) && Date.parse(one.end) === Date.parse(other.end);

/** Returns what could not be applied, such as an override that overlaps another. Repeating it completes the rest. */
export async function importSchedules(
  { services, ask }: CallContext,
  planned: readonly Planned[],
  language: Language,
): Promise<ConfigPlan["conflicts"]> {
  const conflicts: ConfigPlan["conflicts"] = [];
  const trying = async <Done>(path: string, run: () => Promise<Done>): Promise<Done | undefined> => {
    try {
      return await run();
    } catch (thrown) {
      const { code, key, params, details } = toAppError(thrown);
      if (code !== "conflict" && code !== "impossible" && code !== "invalid") throw thrown;
      const message = details.length > 0 ? textOf(details, language) : translate(key, language, params);
      conflicts.push({ path, message });
      return undefined;
    }
  };
  for (const { path, input, existing, overrides } of planned) {
    const schedule = await trying(path, () =>
      existing === undefined
        ? services.onCall.createSchedule(input, ask)
        : services.onCall.updateSchedule({ ...input, id: existing.id }, ask),
    );
    if (schedule === undefined) continue;
    for (const override of overrides) {
      await trying(`${path}.overrides`, () => services.onCall.createOverride({ ...override, id: schedule.id }, ask));
    }
  }
  return conflicts;
}
