import type { KumaRow } from "@sonde/proto/http/import";
import { maxMembers } from "@sonde/proto/http/monitors/groups";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { idOf, text } from "./rows.ts";

export const isGroup = (row: KumaRow): boolean => text(row, "type") === "group";

/** By id of the group. */
export const childrenOf = (rows: readonly KumaRow[]): Map<number, number[]> =>
  new Map(
    [...Map.groupBy(rows, (row) => idOf(row, "parent"))].map(([parent, own]) => [
      parent,
      own.map((row) => idOf(row, "id")),
    ]),
  );

/** An Uptime Kuma group is down while any member is; members notify through their own notifications. */
export function readGroup(
  row: KumaRow,
  children: ReadonlyMap<number, readonly number[]>,
): { check: Record<string, unknown>; notes: TranslatableText[] } | { refused: TranslatableText } {
  const members = children.get(idOf(row, "id")) ?? [];
  if (members.length === 0) return { refused: { text: "This group has no members" } };
  const notes: TranslatableText[] =
    members.length <= maxMembers ? [] : [{ text: "Only the first {max} members", params: { max: maxMembers } }];
  return { check: { type: "group", members: members.slice(0, maxMembers), need: "all" }, notes };
}
