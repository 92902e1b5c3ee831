import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { Group, placeOf } from "./arrange.ts";

/** A target's place in words: its position, and its group where there are groups. */
export function usePlaceWords() {
  const { t } = useTranslation();
  return useCallback(
    ({ group, position, total }: ReturnType<typeof placeOf>, groups: readonly Group[]): string => {
      if (groups.length === 0) return t("statusPage.order.place", { position, total });
      const found = groups.find(({ key }) => key === group);
      const name =
        found === undefined ? t("statusPage.groups.none") : found.name.trim() || t("statusPage.groups.unnamed");
      return t("statusPage.order.placeInGroup", { position, total, group: name });
    },
    [t],
  );
}
