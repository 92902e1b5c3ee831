import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/inputs.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import type { ListNoun } from "./noun.ts";
import type { ListState } from "./use-list.ts";

type ListFiltersProps = {
  noun: ListNoun;
  list: ListState;
  /** At the end of the row. */
  after?: ReactNode;
  /** The list's own filters. */
  children: ReactNode;
};

/** Search, the list's own filters, and the way out of all of them. */
export function ListFilters({ noun, list, after, children }: ListFiltersProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        label={t(`${noun}.searchLabel`)}
        value={list.params.search ?? ""}
        onSearch={list.search}
        className="w-full sm:w-72"
      />
      {children}
      {list.isFiltered && (
        <Button variant="ghost" onClick={list.clearFilters}>
          {t(`${noun}.clearFilters`)}
        </Button>
      )}
      {after}
    </div>
  );
}

type FilterSelectProps<Value extends string> = {
  label: string;
  /** The option that filters nothing. */
  allLabel: string;
  values: readonly Value[];
  value: Value | undefined;
  nameOf: (value: Value) => string;
  onChange: (value: Value | undefined) => void;
};

/** A filter by one of a closed list. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, allLabel, values, value, nameOf, onChange } = props;
  return (
    <Select
      aria-label={label}
      // One long option makes no filter wide: the chosen one is cut off.
      className="max-w-44"
      value={value ?? ""}
      onChange={({ target }) => onChange(values.find((each) => each === target.value))}
    >
      <option value="">{allLabel}</option>
      {values.map((each) => (
        <option key={each} value={each}>
          {nameOf(each)}
        </option>
      ))}
    </Select>
  );
}
