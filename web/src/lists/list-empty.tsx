import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { SearchIcon } from "../ui/icons.tsx";
import { EmptyState } from "../ui/states.tsx";
import type { EmptyNoun } from "./noun.ts";
import type { ListState } from "./use-list.ts";

type ListEmptyProps = {
  noun: EmptyNoun;
  list: ListState;
  icon: ReactNode;
  action?: ReactNode;
};

export function ListEmpty({ noun, list, icon, action }: ListEmptyProps) {
  const { t } = useTranslation();
  if (list.isFiltered) {
    const clear = <Button onClick={list.clearFilters}>{t(`${noun}.clearFilters`)}</Button>;
    return (
      <EmptyState icon={<SearchIcon />} title={t(`${noun}.empty.noMatch`)} action={clear}>
        {t(`${noun}.empty.noMatchText`)}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={icon} title={t(`${noun}.empty.title`)} action={action}>
      {t(`${noun}.empty.text`)}
    </EmptyState>
  );
}
