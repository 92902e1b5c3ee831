import { AppError, type FieldFault, impossible } from "@sonde/kit/errors";
import {
  feedAnswer,
  feedQuery,
  gapsAnswer,
  overrideAnswer,
  overrideInput,
  peopleAnswer,
  peopleQuery,
  type NamedUser,
  previewInput,
  scheduleAnswer,
  scheduleInput,
  type OnCallSchedule,
  schedulePatch,
  type SchedulePatch,
  schedulesAnswer,
  schedulesQuery,
  shiftsAnswer,
  shiftsQuery,
} from "@sonde/proto/http/on-call/schedules";
import type { PackedShifts } from "@sonde/proto/rpc/on-call";
import { ownOrigin } from "../../middleware/host.ts";
import { writeCalendar } from "../../on-call/calendar.ts";
import { command, type HandlerBase, rawRoute, route } from "../../route.ts";
import { mayWrite } from "../../sessions/scopes.ts";

const missing = "On-call schedule does not exist";
const params = { id: missing } as const;
const ownShifts = "Viewers may only take shifts for themselves, and delete overrides that give a shift to them.";

export const onCallRoutes = [
  rawRoute("GET /api/on-call/schedules/:id.ics", "anyone", {
    summary: "Calendar of the shifts of a schedule (RFC 5545), from 30 days ago to 90 days ahead",
    description: "`POST /api/on-call/schedules/{id}/feed` creates the address.",
    params,
    query: feedQuery,
    refusals: ["not_found"],
    media: "text/calendar",
    handle: async ({ ctx, services, config, params: { id }, query: { token }, ask }) => {
      const { name, ...packed } = await services.onCall.readFeed({ id, token }, ask);
      const { shifts, people } = await withPeople({ services, ask }, packed);
      ctx.set("Content-Type", "text/calendar; charset=utf-8");
      ctx.set("Cache-Control", "private, max-age=300");
      ctx.body = writeCalendar({ id, name, shifts, people, host: new URL(ownOrigin(config, ctx)).hostname });
    },
  }),
  route("GET /api/on-call/schedules", "session", {
    summary: "List on-call schedules with who is on call now and next",
    query: schedulesQuery,
    answer: schedulesAnswer,
    handle: async ({ services, query, ask }) => {
      const { schedules, total } = await services.onCall.listSchedules(query, ask);
      return { schedules, total, people: await peopleOf({ services, ask }, schedules.flatMap(usersIn)) };
    },
  }),
  route("POST /api/on-call/schedules", "write", {
    summary: "Create an on-call schedule",
    description: "At most 100 schedules. Members who do not exist are 422.",
    body: scheduleInput,
    status: 201,
    answer: scheduleAnswer,
    message: "Schedule created",
    handle: async ({ services, body, ask }) => {
      await refuseUnknown({ services, ask }, membersOf(body));
      return shown({ services, ask }, await services.onCall.createSchedule(body, ask));
    },
  }),
  route("POST /api/on-call/schedules/preview", "write", {
    summary: "List the shifts and gaps that a schedule would have",
    body: previewInput,
    answer: shiftsAnswer,
    handle: async ({ services, body, ask }) =>
      withPeople({ services, ask }, await services.onCall.previewShifts(body, ask)),
  }),
  route("GET /api/on-call/schedules/:id", "session", {
    summary: "Get an on-call schedule",
    params,
    answer: scheduleAnswer,
    handle: async ({ services, params: { id }, ask }) =>
      shown({ services, ask }, await services.onCall.getSchedule({ id }, ask)),
  }),
  route("PUT /api/on-call/schedules/:id", "write", {
    summary: "Change all or some fields of an on-call schedule",
    description: "`layers` is replaced as a whole. Members who do not exist are 422.",
    params,
    body: schedulePatch,
    answer: scheduleAnswer,
    message: "Schedule updated",
    handle: async ({ services, params: { id }, body, ask }) => {
      await refuseUnknown({ services, ask }, membersOf(body));
      return shown({ services, ask }, await services.onCall.updateSchedule({ ...body, id }, ask));
    },
  }),
  command("DELETE /api/on-call/schedules/:id", "write", {
    summary: "Delete an on-call schedule with its overrides",
    params,
    message: "Schedule deleted",
    handle: ({ services, params: { id }, ask }) => services.onCall.deleteSchedule({ id }, ask),
  }),
  route("GET /api/on-call/schedules/:id/shifts", "session", {
    summary: "List the shifts and gaps of a schedule in a period of at most 400 days",
    description: "Shifts are cut at the ends of the period. Together with the gaps they fill it.",
    params,
    query: shiftsQuery,
    answer: shiftsAnswer,
    handle: async ({ services, params: { id }, query, ask }) =>
      withPeople({ services, ask }, await services.onCall.listShifts({ ...query, id }, ask)),
  }),
  route("POST /api/on-call/schedules/:id/overrides", "session", {
    summary: "Put a user on call for a time, instead of the layers",
    description: `${ownShifts} An override that overlaps another is 409.`,
    params,
    body: overrideInput,
    refusals: ["forbidden", "conflict"],
    status: 201,
    answer: overrideAnswer,
    message: "Override created",
    handle: async ({ services, session, params: { id }, body, ask }) => {
      if (!mayWrite(session) && body.userId !== session.userId)
        throw new AppError("forbidden", "You can only change your own shifts");
      await refuseUnknown({ services, ask }, [{ path: "userId", id: body.userId }]);
      return { override: await services.onCall.createOverride({ ...body, id }, ask) };
    },
  }),
  command("DELETE /api/on-call/schedules/:id/overrides/:overrideId", "session", {
    summary: "Delete an override, so that the layers apply again",
    description: ownShifts,
    params: { id: missing, overrideId: "The override does not exist" },
    refusals: ["forbidden"],
    message: "Override deleted",
    handle: ({ services, session, params: { id, overrideId }, ask }) =>
      services.onCall.deleteOverride({ id, overrideId, onlyOf: mayWrite(session) ? undefined : session.userId }, ask),
  }),
  route("POST /api/on-call/schedules/:id/feed", "write", {
    summary: "Create the address of a schedule's calendar feed; a previous one stops working",
    description: "The address is only returned here, and needs no account.",
    params,
    answer: feedAnswer,
    message: "Calendar address created; the previous one no longer works",
    handle: async ({ services, config, ctx, params: { id }, ask }) => {
      const { token } = await services.onCall.makeFeed({ id }, ask);
      return { url: `${ownOrigin(config, ctx)}/api/on-call/schedules/${id}.ics?token=${token}` };
    },
  }),
  route("GET /api/on-call/gaps", "session", {
    summary: "List the times of the next seven days at which a schedule has nobody on call",
    answer: gapsAnswer,
    handle: ({ services, ask }) => services.onCall.listGaps({}, ask),
  }),
  route("GET /api/on-call/people", "write", {
    summary: "Find users who can be on call",
    query: peopleQuery,
    answer: peopleAnswer,
    handle: async ({ services, query: { search }, ask }) => {
      const { people } = await services.auth.people({ search }, ask);
      return { people: people.map(({ id, username }) => ({ id, name: username })) };
    },
  }),
];

type Calling = Pick<HandlerBase, "services" | "ask">;

/** Deleted users have no name. */
export async function peopleOf({ services, ask }: Calling, userIds: readonly number[]): Promise<NamedUser[]> {
  const ids = [...new Set(userIds)].sort((one, other) => one - other);
  if (ids.length === 0) return [];
  const { people } = await services.auth.people({ ids }, ask);
  const names = new Map(people.map(({ id, username }) => [id, username]));
  return ids.map((id) => ({ id, name: names.get(id) }));
}

export const usersIn = ({ layers, overrides, now, next }: OnCallSchedule): number[] => [
  ...layers.flatMap(({ members }) => members),
  ...[...overrides, now, next].flatMap((one) => one?.userId ?? []),
];

const shown = async (calling: Calling, schedule: OnCallSchedule) => ({
  schedule,
  people: await peopleOf(calling, usersIn(schedule)),
});

async function withPeople(calling: Calling, { shifts, gaps }: Pick<PackedShifts, "shifts" | "gaps">) {
  const spanOf = (startMs: number, endMs: number) => ({
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
  });
  const userIds = shifts.map(([userId]) => userId);
  return {
    shifts: shifts.map(([userId, startMs, endMs, isOverride]) => {
      const source = isOverride ? ("override" as const) : ("layer" as const);
      return { userId, ...spanOf(startMs, endMs), source };
    }),
    gaps: gaps.map(([startMs, endMs]) => spanOf(startMs, endMs)),
    people: await peopleOf(calling, userIds),
  };
}

/** @throws AppError `impossible`, naming each user who does not exist */
async function refuseUnknown(calling: Calling, given: readonly { path: string; id: number }[]) {
  const people = await peopleOf(
    calling,
    given.map(({ id }) => id),
  );
  const unknown = new Set(people.flatMap(({ id, name }) => (name === undefined ? [id] : [])));
  const faults = given.flatMap(({ path, id }): FieldFault[] =>
    unknown.has(id) ? [{ path, message: "There is no user with the id {id}", params: { id } }] : [],
  );
  if (faults.length > 0) throw impossible(faults.slice(0, 50));
}

const membersOf = ({ layers = [] }: SchedulePatch) =>
  layers.flatMap(({ members }, layer) =>
    members.map((id, member) => ({ path: `layers.${layer}.members.${member}`, id })),
  );
