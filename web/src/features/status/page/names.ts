import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { type TargetSummary, useAllTargetsQuery } from "../../../entities/targets/api.ts";
import { useLock } from "../../../ui/field.tsx";
import type { Group, placeOf } from "./arrange.ts";

export function useMayEdit(name: string): boolean {
  const { mayChange } = useSession();
  return useLock(name) === undefined && mayChange;
}

/** Returns all targets of a type by id, loaded in pages. `undefined` while loading. */
export function useTargets(type: TargetType, skip = false): ReadonlyMap<number, TargetSummary> | undefined {
  const { data, error } = useAllTargetsQuery(type, {
    skip,
    refetchOnMountOrArgChange: true,
    selectFromResult: ({ data: all, error: failure }) => ({ data: all && byId(all.targets), error: failure }),
  });
  return data ?? (error === undefined ? undefined : none);
}

const none = new Map<number, TargetSummary>();
const known = new WeakMap<readonly TargetSummary[], Map<number, TargetSummary>>();

/** Cached, so that the same list gives the same map and unchanged lines do not render again. */
function byId(targets: readonly TargetSummary[]): Map<number, TargetSummary> {
  const map = known.get(targets) ?? new Map(targets.map((target) => [target.id, target]));
  known.set(targets, map);
  return map;
}

export function useGroupName() {
  const { t } = useTranslation();
  return useCallback(
    (group: Group | undefined) =>
      group === undefined ? t("statusPage.groups.none") : group.name.trim() || t("statusPage.groups.unnamed"),
    [t],
  );
}

export function usePositionText() {
  const { t } = useTranslation();
  const groupName = useGroupName();
  return useCallback(
    ({ group, position, total }: ReturnType<typeof placeOf>, groups: readonly Group[]): string => {
      if (groups.length === 0) return t("statusPage.order.place", { position, total });
      const name = groupName(groups.find(({ key }) => key === group));
      return t("statusPage.order.placeInGroup", { position, total, group: name });
    },
    [t, groupName],
  );
}
