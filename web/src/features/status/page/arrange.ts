/** A monitor or agent on the page. `name`: name on the page, or empty for its own. `group`: key of its group. */
export type ShownTarget = { id: number; name: string; group: string | null };
export type Group = { key: string; name: string };

export type Line =
  | { kind: "heading"; key: string; group: string | null }
  | { kind: "target"; key: string; target: ShownTarget };

export const lineKey = (id: number) => `target-${id}`;
const headingKey = (group: string | null) => `heading-${group ?? ""}`;

/** Returns one list with a heading per group, if there are any. Targets without a group come last. */
export function groupedLines(shown: readonly ShownTarget[], groups: readonly Group[]): Line[] {
  const known = new Set(groups.map(({ key }) => key));
  const groupOf = ({ group }: ShownTarget) => (group !== null && known.has(group) ? group : null);
  const parts = [...groups.map(({ key }) => key), null].map((group): Line[] => [
    { kind: "heading", key: headingKey(group), group },
    ...shown
      .filter((target) => groupOf(target) === group)
      .map((target): Line => ({ kind: "target", key: lineKey(target.id), target })),
  ]);
  return parts.flat().filter(({ kind }) => groups.length > 0 || kind === "target");
}

function readLines(lines: readonly Line[]): ShownTarget[] {
  let group: string | null = null;
  const shown: ShownTarget[] = [];
  for (const line of lines) {
    if (line.kind === "heading") ({ group } = line);
    else shown.push(line.target.group === group ? line.target : { ...line.target, group });
  }
  return shown;
}

export const orderedTargets = (shown: readonly ShownTarget[], groups: readonly Group[]): ShownTarget[] =>
  readLines(groupedLines(shown, groups));

/** Moves a target to the position of another line. Crossing a heading changes its group. */
export function moveTo(
  shown: readonly ShownTarget[],
  groups: readonly Group[],
  from: string,
  to: string,
): ShownTarget[] {
  const lines = groupedLines(shown, groups);
  const at = (key: string) => lines.findIndex((line) => line.key === key);
  return moveLine(lines, at(from), at(to));
}

export function moveBy(
  shown: readonly ShownTarget[],
  groups: readonly Group[],
  id: number,
  step: 1 | -1,
): ShownTarget[] {
  const lines = groupedLines(shown, groups);
  const from = lines.findIndex(({ key }) => key === lineKey(id));
  return moveLine(lines, from, from + step);
}

function moveLine(lines: Line[], from: number, to: number): ShownTarget[] {
  // Targets cannot move above the first heading.
  const first = lines[0]?.kind === "heading" ? 1 : 0;
  const line = lines[from];
  if (line?.kind !== "target" || to < 0 || to >= lines.length) return readLines(lines);
  return readLines(lines.toSpliced(from, 1).toSpliced(Math.max(first, to), 0, line));
}

export function moveToGroup(
  shown: readonly ShownTarget[],
  groups: readonly Group[],
  id: number,
  group: string | null,
): ShownTarget[] {
  const target = shown.find((each) => each.id === id);
  if (target === undefined) return [...shown];
  return orderedTargets([...shown.filter((each) => each !== target), { ...target, group }], groups);
}

/** Returns a target's group and its position there, starting at 1. */
export function placeOf(shown: readonly ShownTarget[], groups: readonly Group[], id: number) {
  const ordered = orderedTargets(shown, groups);
  const group = ordered.find((each) => each.id === id)?.group ?? null;
  const beside = ordered.filter((each) => each.group === group);
  return { group, position: beside.findIndex((each) => each.id === id) + 1, total: beside.length };
}

export function moveElement<Element>(list: readonly Element[], from: number, to: number): Element[] {
  const element = list[from];
  if (element === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, element);
}
