import type { Database } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { formatInstant, formatSpan, lineOf } from "../messages/format.ts";
import type { ChannelMessage } from "../messages/message.ts";
import { noticeTexts } from "../messages/texts/notices.ts";
import { causeOf, textsOf } from "../messages/values.ts";
import { loadPolicies } from "../settings/store.ts";
import { lastShift } from "./handoffs.ts";
import { readContacts } from "./load.ts";
import type { Notice } from "./notices.ts";
import { nowAndNext } from "./schedules/on-call-at.ts";
import type { People } from "./people.ts";
import { dayMs } from "./schedules/spans.ts";
import { overridesAfter, type StoredSchedule } from "./schedules/store.ts";

export type NoticeContext = Pick<Context, "db" | "clock" | "log" | "publicUrl"> & {
  people: People;
  /** What is silenced or in maintenance now. May fail. */
  quiet(): Promise<{ name: string; isMaintenance: boolean; untilMs: number }[]>;
};

type Writing = NoticeContext & {
  atMs: number;
  language: ChannelMessage["language"];
  zone: string | undefined;
  linkTo(label: string, path: string): { label: string; url: string }[];
};
type Written = Pick<ChannelMessage, "title" | "text" | "links">;

/** Writes a notice as of now, in the person's language. Returns undefined if it no longer applies. */
export async function writeNotice(
  ctx: NoticeContext,
  notice: Notice,
  key: string,
): Promise<ChannelMessage | undefined> {
  const own = (await readContacts(ctx.db, [notice.userId])).get(notice.userId);
  const settings = await loadPolicies(ctx.db, ctx.log, []);
  const language = own?.language ?? settings({ type: "monitor", id: 0 }).language;
  const atMs = Math.round(ctx.clock.now());
  const linkTo = (label: string, path: string) => {
    const url = `${ctx.publicUrl}${path}${path.includes("?") ? "&" : "?"}lang=${language}`;
    return ctx.publicUrl === null ? [] : [{ label, url }];
  };
  const writing = { ...ctx, atMs, language, linkTo, zone: own?.timeZone };
  const written =
    notice.kind === "handoff" ? await writeHandoff(writing, notice) : writeRemoval(writing, notice.device);
  if (written === undefined) return undefined;
  const footer = `Sonde · ${formatInstant(atMs, own?.timeZone)}`;
  return { key, language, tone: "info", fields: [], entries: [], alerts: [], footer, atMs, isTest: false, ...written };
}

function writeRemoval({ language, linkTo }: Writing, device: string): Written {
  const { title, text, link } = noticeTexts[language].deviceRemoved;
  return { title: title(device), text: text(device), links: linkTo(link, "/profile/on-call") };
}

/** More are counted. */
const maxListed = 10;

async function writeHandoff(
  { db, people, quiet, atMs, language, linkTo, zone }: Writing,
  { scheduleId, userId, startMs }: Extract<Notice, { kind: "handoff" }>,
): Promise<Written | undefined> {
  const schedule = await db("schedules").where({ id: scheduleId }).first<StoredSchedule | undefined>();
  if (schedule === undefined) return undefined;
  const { name, value } = schedule;
  const overrides = await overridesAfter(db, [scheduleId], startMs - 400 * dayMs);
  const { now, next } = nowAndNext(value, overrides, atMs);
  if (now?.userId !== userId) return undefined;
  const last = lastShift(value, overrides, startMs);
  const [users, open, during, quieted] = await Promise.all([
    people([next, last].flatMap((shift) => shift?.userId ?? [])),
    openIncidents(db),
    last && incidentsWithin(db, { fromMs: last.startMs, toMs: startMs, atMs }),
    quiet().catch(() => null),
  ]);
  const { handoff: words } = noticeTexts[language];
  const inZone = (ms: number) => formatInstant(ms, zone ?? value.timeZone).replace(/:\d\d UTC/, " UTC");
  /** The first line has the zone. */
  const at = (ms: number) => inZone(ms).replace(/ UTC.*/, "");
  const nameOf = (id: number) => users.get(id)?.name ?? (users.has(id) ? words.deleted : `#${id}`);
  const listed = (head: string, lines: readonly string[], count = lines.length) => {
    const more = count > maxListed ? [words.more(count - maxListed)] : [];
    return [head, ...[...lines.slice(0, maxListed), ...more].map((line) => `• ${line}`)].join("\n");
  };

  const paragraphs = [words.until(now.untilMs === undefined ? undefined : inZone(now.untilMs))];
  if (next !== undefined && next.startMs === now.untilMs) paragraphs[0] += words.next(nameOf(next.userId));
  else if (next !== undefined) paragraphs[0] += words.gap(nameOf(next.userId), at(next.startMs));
  else if (now.untilMs !== undefined) paragraphs[0] += words.gap(undefined, "");

  const incidents = open.rows.map(({ targetName, cause, openedAtMs, acknowledgedBy, snoozedUntilMs }) => {
    const what = [lineOf(targetName, 100), lineOf(causeOf(cause, language), 150)].filter(Boolean).join(": ");
    const facts = [words.since(at(openedAtMs)), words.acknowledged(textsOf(language).list(acknowledgedBy))];
    if ((snoozedUntilMs ?? 0) > atMs) facts.push(words.snoozed(at(snoozedUntilMs ?? 0)));
    return words.incident(what, facts);
  });
  paragraphs.push(listed(words.open(open.count), incidents, open.count));

  const longest = during?.longest;
  if (last !== undefined) paragraphs.push(words.last(nameOf(last.userId), at(last.startMs), during?.count ?? 0));
  if (longest !== undefined) {
    const duration = formatSpan(longest.lastedMs, language);
    paragraphs.push(`${paragraphs.pop()}\n${words.longest(lineOf(longest.targetName, 100), duration)}`);
  }

  const lines = quieted?.map(({ name: target, isMaintenance, untilMs }) =>
    words.quietUntil(isMaintenance ? words.maintenance(target) : target, at(untilMs)),
  );
  paragraphs.push(lines === undefined ? words.unknownQuiet : listed(words.quiet(lines.length), lines));
  return {
    title: words.title(name),
    text: paragraphs.join("\n\n"),
    links: [
      ...linkTo(words.links.open, "/incidents?open=true"),
      ...(longest === undefined ? [] : linkTo(words.links.longest, `/incidents/${longest.id}`)),
      ...linkTo(words.links.schedule, `/on-call?schedule=${scheduleId}`),
    ],
  };
}

type IncidentRow = {
  targetName: string;
  cause: string;
  openedAtMs: number;
  acknowledgedBy: string[];
  snoozedUntilMs: number | null;
  count: number;
};

async function openIncidents(db: Database): Promise<{ rows: IncidentRow[]; count: number }> {
  const { rows } = await db.raw<{ rows: IncidentRow[] }>(
    `select *, count(*) over () as count from incidents where closed_at_ms is null and drill_id is null
     order by opened_at_ms, id limit ${maxListed}`,
  );
  return { rows, count: rows[0]?.count ?? 0 };
}

type Period = { fromMs: number; toMs: number; atMs: number };
type Longest = { id: string; targetName: string; lastedMs: number; count: number };

async function incidentsWithin(db: Database, { fromMs, toMs, atMs }: Period) {
  const { rows } = await db.raw<{ rows: Longest[] }>(
    `select id, target_name, coalesce(closed_at_ms, ?::bigint) - opened_at_ms as lasted_ms, count(*) over () as count
     from incidents where opened_at_ms >= ? and opened_at_ms < ? and drill_id is null
     order by lasted_ms desc, id limit 1`,
    [atMs, Math.floor(fromMs), Math.ceil(toMs)],
  );
  return { count: rows[0]?.count ?? 0, longest: rows[0] };
}
