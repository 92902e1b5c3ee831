import type { Database } from "@sonde/kit/postgres/database";
import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { UnsentAlert, unsentQuery } from "@sonde/proto/http/notifications/deliveries";
import type { z } from "zod";
import { alertOf, type RecordedDecision, whyText } from "./words.ts";

type UnsentRow = RecordedDecision & {
  id: number;
  incidentId: string;
  incidentKind: IncidentKind;
  targetType: TargetType;
  targetId: number;
  targetName: string;
};

/** Limits the count, and with it the pages. */
const maxTotal = 10_000;

/** Returns deferred and skipped alerts, newest first, with reasons in the requested language. */
export async function listUnsent(
  { db }: { db: Database },
  { page, pageSize, channel, target, language }: z.output<typeof unsentQuery> & { language: Language },
): Promise<{ unsent: UnsentAlert[]; total: number }> {
  const chosen = `from decisions join incidents on incidents.id = decisions.incident_id
    where outcome <> 'sent' and (:channel::int is null or channel_id = :channel)
      and (:target::text is null or incidents.target = :target)`;
  const values = { channel: channel ?? null, target: target ?? null };
  const [{ rows }, counted] = await Promise.all([
    db.raw<{ rows: UnsentRow[] }>(
      `select chosen.*, coalesce(channels.name, '#' || channel_id) as channel_name, parents.target_name as parent_name,
         contacts.value->>'timeZone' as time_zone
       from (
         select decisions.id, incident_id, moment, at_ms, channel_id, outcome, reason, until_ms, parent_incident_id,
           incidents.kind as incident_kind, target_type, target_id, target_name
         ${chosen} order by at_ms desc, decisions.id desc limit :limit offset :offset
       ) as chosen
       left join channels on channels.id = channel_id
       left join contacts on contacts.user_id = channels.user_id
       left join incidents as parents on parents.id = parent_incident_id
       order by at_ms desc, chosen.id desc`,
      { ...values, limit: pageSize, offset: Math.min(maxTotal, (page - 1) * pageSize) },
    ),
    db.raw<{ rows: { total: number }[] }>(
      `select count(*) as total from (select ${chosen} limit ${maxTotal}) as chosen`,
      values,
    ),
  ]);
  return { unsent: rows.map((row) => present(row, language)), total: counted.rows[0]?.total ?? 0 };
}

function present(row: UnsentRow, language: Language): UnsentAlert {
  const { id, channelId, channelName, incidentId, outcome, reason, untilMs } = row;
  const incident = { kind: row.incidentKind };
  return {
    id,
    at: new Date(row.atMs).toISOString(),
    kind: alertOf(incident, row.moment).kind,
    target: { type: row.targetType, id: row.targetId, name: row.targetName },
    incidentId,
    channelId: channelId ?? undefined,
    channelName: channelName ?? undefined,
    reason,
    text: whyText(incident, row, channelName ?? undefined, language),
    heldUntil: outcome === "held" && untilMs !== null ? new Date(untilMs).toISOString() : undefined,
  };
}
