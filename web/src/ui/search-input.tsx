import { useEffect, useEffectEvent, useState } from "react";
import { cx } from "./cx.ts";
import { controlClass } from "./field.tsx";
import { SearchIcon } from "./icons.tsx";

const waitMs = 250;

type SearchInputProps = { value: string; onSearch: (text: string) => void; label: string; className?: string };

/** Searches shortly after the last key, at once on Enter. */
export function SearchInput({ value, onSearch, label, className }: SearchInputProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // The address may change from outside (back button): then the field follows.
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
        className={cx(controlClass.line, "pl-8")}
      />
    </form>
  );
}
