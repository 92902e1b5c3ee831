import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../../lib/hooks.ts";
import { Badge } from "../../../ui/badge.tsx";
import { useCombobox } from "../../../ui/combobox.tsx";
import { cx } from "../../../ui/cx.ts";
import { controlClass } from "../../../ui/field.tsx";
import { ChevronDownIcon, CrossIcon } from "../../../ui/icons.tsx";
import { useTagsQuery } from "../api.ts";

type TagFilterProps = { tag: string | undefined; onTag: (tag: string | undefined) => void };

const waitMs = 150;
const longest = 40;

/** Filters by a tag that exists: a combobox over the tags that monitors have, those of most monitors first. */
export function TagFilter({ tag, onTag }: TagFilterProps) {
  const { t } = useTranslation();
  /** What is typed; null: nothing since the list was opened, and the field shows the tag that is chosen. */
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const asked = useSettled(text?.trim() ?? "", waitMs);
  const { data, isFetching } = useTagsQuery(asked, { skip: !isOpen });
  const tags = isOpen ? (data?.tags ?? []) : [];
  const box = useCombobox({
    options: tags,
    keyOf: ({ name }) => name,
    startsAtFirst: false,
    followsPointer: true,
    onPick: ({ name }) => choose(name),
    onOpen: () => setOpen(true),
    onClose: isOpen ? close : undefined,
    onKey({ key }) {
      if (key !== "Enter") return false;
      const typed = text?.trim();
      // A tag that is typed out need not be looked for in the list.
      if (typed === undefined) setOpen(true);
      else choose(typed === "" ? undefined : typed);
      return true;
    },
  });

  function close() {
    setOpen(false);
    setText(null);
    box.reset();
  }
  function choose(name: string | undefined) {
    onTag(name);
    close();
  }

  return (
    <span
      className="relative inline-flex min-w-0 flex-1 basis-28 sm:w-44 sm:flex-none"
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && close()}
    >
      <input
        {...box.field}
        type="text"
        role="combobox"
        aria-label={t("monitorList.tags.label")}
        aria-expanded={isOpen}
        aria-controls={box.listId}
        maxLength={longest}
        placeholder={t("monitorList.tags.placeholder")}
        value={text ?? tag ?? ""}
        onChange={({ target }) => {
          setText(target.value);
          setOpen(true);
          box.reset();
        }}
        onClick={() => setOpen(true)}
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
            // The button is removed with the tag: the field beside it keeps the focus.
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
              id={box.listId}
              role="listbox"
              aria-label={t("monitorList.tags.label")}
              aria-busy={isFetching}
              className="max-h-72 overflow-y-auto"
            >
              {tags.map((each) => (
                <div
                  key={each.name}
                  {...box.propsOf(each)}
                  className={cx(
                    "flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-sm px-2.5",
                    each === box.active && "bg-sunken",
                  )}
                >
                  <span className={cx("truncate", each.name === tag && "font-medium")}>{each.name}</span>
                  <span className="tnum shrink-0 text-[13px] text-faint">
                    {t("monitorList.tags.count", { count: each.monitors })}
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

type TagListProps = {
  tags: readonly string[];
  /** How many have a place of their own; the others are counted. */
  most: number;
  onTag: (tag: string) => void;
};

/** How wide and how high the list of all tags is at most. */
const box = { width: 288, height: 160 };

/** A monitor's first tags, cut off where they are long; all of them on hover, focus or touch. */
export function TagList({ tags, most, onTag }: TagListProps) {
  const { t } = useTranslation();
  if (tags.length === 0) return null;
  return (
    <span className="flex min-w-0 items-center gap-1">
      {tags.slice(0, most).map((tag) => (
        <button
          key={tag}
          type="button"
          title={t("monitorList.tags.show", { tag })}
          onClick={() => onTag(tag)}
          className="inline-flex min-h-6 max-w-28 min-w-8 items-center rounded-sm"
        >
          <Badge className="hover:text-ink">
            <span className="truncate">{tag}</span>
          </Badge>
        </button>
      ))}
      {tags.length > most && <AllTags tags={tags} most={most} onTag={onTag} />}
    </span>
  );
}

type Place = { left: number; top?: number; bottom?: number };

/**
 * How many tags are not shown, and all of them in a box above the page: rows are cut off by their table, so the box has a
 * place of its own in the window. It closes by Escape, a touch elsewhere, scrolling, and when pointer or focus leaves.
 */
function AllTags({ tags, most, onTag }: TagListProps) {
  const { t } = useTranslation();
  const own = useRef<HTMLSpanElement>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const count = tags.length - most;
  const open = () => own.current !== null && setPlace(placeBeside(own.current.getBoundingClientRect()));
  const close = () => setPlace(null);
  useCloseFromOutside(place !== null, (target) => target === null || own.current?.contains(target) !== true, close);

  return (
    <span
      ref={own}
      className="shrink-0"
      onPointerEnter={({ pointerType }) => pointerType === "mouse" && open()}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && close()}
      onFocus={open}
      onBlur={({ relatedTarget }) => own.current?.contains(relatedTarget) !== true && close()}
    >
      <button
        type="button"
        aria-expanded={place !== null}
        aria-label={t("monitorList.tags.all", { count })}
        onClick={open}
        className="tnum inline-flex min-h-6 min-w-6 items-center rounded-sm"
      >
        <Badge className="hover:text-ink">+{count}</Badge>
      </button>
      {place !== null && (
        <span style={place} className="fixed z-30 block w-max max-w-72 py-1">
          <span className="flex max-h-36 flex-wrap gap-1 overflow-y-auto rounded-md border border-line bg-raised p-2 shadow-lifted">
            {tags.map((tag) => (
              <button
                key={tag}
                type="button"
                onClick={() => onTag(tag)}
                className="inline-flex min-h-6 max-w-full items-center rounded-sm"
              >
                <Badge className="hover:text-ink">{tag}</Badge>
              </button>
            ))}
          </span>
        </span>
      )}
    </span>
  );
}

/** Below what it belongs to; above where the window ends. */
function placeBeside({ left, top, bottom }: DOMRect): Place {
  const inside = Math.max(8, Math.min(left, innerWidth - box.width - 8));
  return bottom + box.height > innerHeight
    ? { left: inside, bottom: innerHeight - top }
    : { left: inside, top: bottom };
}

function useCloseFromOutside(isOpen: boolean, isOutside: (target: Node | null) => boolean, close: () => void) {
  const look = useEffectEvent(({ target }: Event) => {
    if (isOutside(target instanceof Node ? target : null)) close();
  });
  const escape = useEffectEvent(({ key }: globalThis.KeyboardEvent) => {
    if (key === "Escape") close();
  });
  useEffect(() => {
    if (!isOpen) return;
    const options = { capture: true };
    document.addEventListener("pointerdown", look, options);
    document.addEventListener("scroll", look, options);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("pointerdown", look, options);
      document.removeEventListener("scroll", look, options);
      document.removeEventListener("keydown", escape);
    };
  }, [isOpen]);
}
