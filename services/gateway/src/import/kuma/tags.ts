import type { KumaRow, KumaRows } from "@sonde/proto/http/import";
import { plainLine } from "@sonde/proto/http/text";
import { flag, idOf, text } from "./rows.ts";

const maxTag = 40;
const mostTags = 20;
/** Groups are nested; a malformed file may contain a cycle. */
const mostLevels = 20;

/** Groups that contain a monitor, the innermost first. */
export function groupsOf(row: KumaRow, byId: ReadonlyMap<number, KumaRow>): KumaRow[] {
  const groups: KumaRow[] = [];
  let parent = byId.get(idOf(row, "parent"));
  while (parent !== undefined && groups.length < mostLevels && !groups.includes(parent)) {
    groups.push(parent);
    parent = byId.get(idOf(parent, "parent"));
  }
  return groups;
}

/** Whether it is paused, itself or by a group. */
export const isPaused = (row: KumaRow, groups: readonly KumaRow[]): boolean =>
  [row, ...groups].some((one) => !flag(one, "active", true));

/** Texts of tags by the monitor's id: `name: value`, or the name alone. */
export function readTags({ tag, monitor_tag: uses }: Pick<KumaRows, "tag" | "monitor_tag">): Map<number, string[]> {
  const names = new Map(tag.map((row) => [idOf(row, "id"), beginning(text(row, "name"))]));
  const tags = new Map<number, string[]>();
  for (const use of uses) {
    const name = names.get(idOf(use, "tag_id"));
    if (name === undefined) continue;
    const monitor = idOf(use, "monitor_id");
    const known = tags.get(monitor) ?? [];
    // One more than a monitor may have, so that the loss of the rest is noticed.
    if (known.length > mostTags) continue;
    const value = beginning(text(use, "value")).trim();
    known.push(value === "" ? name : `${name}: ${value}`);
    tags.set(monitor, known);
  }
  return tags;
}

/** Tags as Sonde takes them, and whether anything of them was lost. */
export function fitTags(all: readonly string[]): { tags: string[]; lost: boolean } {
  const given = all.slice(0, mostLevels + mostTags + 1).map(beginning);
  const fitted = given.map((tag) => cut(plainLine(tag).trim(), maxTag)).filter((tag) => tag !== "");
  const tags = [...new Set(fitted)].slice(0, mostTags);
  return { tags, lost: given.some((tag) => !tags.includes(tag.trim())) };
}

/** More of a tag than can be kept: a name that thousands of monitors share may have megabytes. */
const beginning = (given: string): string => given.slice(0, 10 * maxTag);

/** The beginning of a text, no character of it broken. */
export const cut = (given: string, max: number): string =>
  given.length <= max
    ? given
    : Array.from(given.slice(0, 2 * max))
        .slice(0, max)
        .join("")
        .trim();
