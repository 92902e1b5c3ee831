import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../../lib/hooks.ts";
import { cx } from "../../../ui/cx.ts";
import { controlClass } from "../../../ui/field.tsx";
import { ChevronDownIcon, CrossIcon } from "../../../ui/icons.tsx";
import { useTagsQuery } from "../api.ts";

type TagFilterProps = {
  /** Undefined: not filtered by a tag. */
  tag: string | undefined;
  onTag: (tag: string | undefined) => void;
};

const waitMs = 150;
const longest = 40;

/** Filters by a tag that exists: a combobox over the tags that monitors have, those of most monitors first. */
export function TagFilter({ tag, onTag }: TagFilterProps) {
  const { t } = useTranslation();
  const id = useId();
  /** What is typed; null: nothing since the list was opened, and the field shows the tag that is chosen. */
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [wanted, setWanted] = useState<string | null>(null);
  const asked = useSettled(text?.trim() ?? "", waitMs);
  const { data, isFetching } = useTagsQuery(asked, { skip: !isOpen });
  const tags = isOpen ? (data?.tags ?? []) : [];
  const active = tags.find(({ name }) => name === wanted);
  const optionId = (name: string) => `${id}-${tags.findIndex((each) => each.name === name)}`;
  const activeId = active && optionId(active.name);

  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  function close() {
    setOpen(false);
    setText(null);
    setWanted(null);
  }
  function choose(name: string | undefined) {
    onTag(name);
    close();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const from = active === undefined ? (step === 1 ? -1 : 0) : tags.indexOf(active);
      setOpen(true);
      setWanted(tags[(from + step + tags.length) % Math.max(1, tags.length)]?.name ?? null);
    } else if (event.key === "Enter") {
      const typed = text?.trim();
      if (active !== undefined) choose(active.name);
      // A tag that is typed out need not be looked for in the list.
      else if (typed !== undefined) choose(typed === "" ? undefined : typed);
      else setOpen(true);
    } else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
  }

  return (
    <span
      className="relative inline-flex w-full sm:w-44"
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label={t("monitorList.tags.label")}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={activeId}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={longest}
        placeholder={t("monitorList.tags.placeholder")}
        value={text ?? tag ?? ""}
        onChange={({ target }) => {
          setText(target.value);
          setOpen(true);
          setWanted(null);
        }}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
        className={cx(controlClass.line, "truncate pr-8", tag !== undefined && "border-accent")}
      />
      {tag === undefined ? (
        <ChevronDownIcon className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-muted" />
      ) : (
        <button
          type="button"
          aria-label={t("monitorList.tags.clear")}
          title={t("monitorList.tags.clear")}
          onClick={({ currentTarget }) => {
            // The button goes with the tag: the field beside it keeps the focus.
            currentTarget.parentElement?.querySelector("input")?.focus();
            choose(undefined);
          }}
          className="absolute top-1/2 right-1.5 inline-flex size-6 -translate-y-1/2 items-center justify-center rounded-sm text-muted hover:text-ink"
        >
          <CrossIcon className="size-3.5" />
        </button>
      )}
      {isOpen && data !== undefined && (
        <span className="fade-in absolute top-full left-0 z-30 mt-1 block w-full min-w-60 rounded-md border border-line bg-raised p-1 shadow-lifted">
          {tags.length > 0 && (
            <div
              id={`${id}-list`}
              role="listbox"
              aria-label={t("monitorList.tags.label")}
              aria-busy={isFetching}
              className="max-h-72 overflow-y-auto"
            >
              {tags.map(({ name, monitors }) => (
                <div
                  key={name}
                  id={optionId(name)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={name === active?.name}
                  // The field keeps the focus.
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => choose(name)}
                  onKeyDown={({ key }) => key === "Enter" && choose(name)}
                  onPointerMove={() => setWanted(name)}
                  className={cx(
                    "flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-sm px-2.5",
                    name === active?.name && "bg-sunken",
                  )}
                >
                  <span className={cx("truncate", name === tag && "font-medium")}>{name}</span>
                  <span className="tnum shrink-0 text-[13px] text-faint">
                    {t("monitorList.tags.count", { count: monitors })}
                  </span>
                </div>
              ))}
            </div>
          )}
          {(tags.length === 0 || data.more) && (
            <span role="status" className="block px-2.5 py-2 text-[13px] text-faint">
              {t(tags.length === 0 ? "monitorList.tags.none" : "monitorList.tags.more")}
            </span>
          )}
        </span>
      )}
    </span>
  );
}
