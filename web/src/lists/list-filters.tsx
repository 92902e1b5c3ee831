import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/inputs.tsx";
import type { ListNoun } from "./noun.ts";
import type { ListState } from "./use-list.ts";
import { cx } from "../ui/cx.ts";
import { controlClass } from "../ui/field.tsx";
import { SearchIcon } from "../ui/icons.tsx";

type ListFiltersProps = {
  noun: ListNoun;
  list: ListState;
  after?: ReactNode;
  children?: ReactNode;
};

export function ListFilters({ noun, list, after, children }: ListFiltersProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        label={t(`${noun}.searchLabel`)}
        value={list.params.search ?? ""}
        onSearch={list.search}
        className="w-full sm:w-80"
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
  allLabel: string;
  values: readonly Value[];
  value: Value | undefined;
  nameOf: (value: Value) => string;
  onChange: (value: Value | undefined) => void;
  className?: string;
};

export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, allLabel, values, value, nameOf, onChange, className } = props;
  return (
    <Select
      aria-label={label}
      // Limits the width. A long selected option is cut off.
      className={cx("max-w-44", className)}
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

const waitMs = 250;

type SearchInputProps = { value: string; onSearch: (text: string) => void; label: string; className?: string };

export function SearchInput({ value, onSearch, label, className }: SearchInputProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // Follows changes of the URL from outside, such as the back button.
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const search = useEffectEvent(() => {
    if (text.trim() !== value) onSearch(text.trim());
  });
  useEffect(() => {
    const timer = setTimeout(search, waitMs);
    return () => clearTimeout(timer);
  }, [text]);

  return (
    <form
      role="search"
      className={cx("relative", className)}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <SearchIcon className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={cx(controlClass.line, "truncate pl-8")}
      />
    </form>
  );
}
