import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useMemo } from "react";
import { targetKey } from "../../entities/targets/api.ts";
import { type TargetFacts, useTargetFactsQuery } from "./api.ts";
import type { IncidentGroup } from "./list.ts";

type GroupOf = (incident: Incident) => string | undefined;

/** What incidents have in common in addition to their reason, if grouping is on. */
export function useGroupOf(incidents: readonly Incident[] | undefined, group: IncidentGroup): GroupOf | undefined {
  const targets = [
    ...new Set(incidents?.filter(({ closedAt }) => closedAt === undefined).map(({ target }) => targetKey(target))),
  ];
  const isReason = group === "reason";
  const { data } = useTargetFactsQuery(targets.toSorted(), { skip: isReason || targets.length === 0 });
  return useMemo(
    () =>
      isReason
        ? undefined
        : group === "tag"
          ? byTag(incidents ?? [], data)
          : ({ target }) => data?.[targetKey(target)]?.host,
    [isReason, group, incidents, data],
  );
}

/** Groups by tag. Of several tags, the one shared by most incidents counts. */
export function byTag(incidents: readonly Incident[], facts: TargetFacts | undefined): GroupOf {
  const tagsOf = ({ target }: Incident) => facts?.[targetKey(target)]?.tags ?? [];
  const counts = new Map<string, number>();
  for (const tag of incidents.flatMap(tagsOf)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const countOf = (tag: string) => counts.get(tag) ?? 0;
  return (incident) => tagsOf(incident).toSorted((one, other) => countOf(other) - countOf(one))[0];
}
