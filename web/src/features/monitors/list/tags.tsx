import { type ComponentProps, lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import type { SilenceMenu } from "../../../entities/silences/silence-menu.tsx";
import { useSettled } from "../../../lib/hooks.ts";
import { useCombobox } from "../../../ui/menu/combobox.tsx";
import { cx } from "../../../ui/cx.ts";
import { controlClass } from "../../../ui/field.tsx";
import { ChevronDownIcon, CrossIcon } from "../../../ui/icons.tsx";
import { useTagsQuery } from "../api.ts";

type TagFilterProps = { tag: string | undefined; onTag: (tag: string | undefined) => void };

const waitMs = 150;
const maxTagLength = 40;

export function TagFilter({ tag, onTag }: TagFilterProps) {
  const { t } = useTranslation();
  /** Typed text. `null` until the user types; then the field shows the selected tag. */
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const search = useSettled(text?.trim() ?? "", waitMs);
  const { data, isFetching } = useTagsQuery(search, { skip: !isOpen });
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
      // Accepts any typed tag, listed or not.
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
        maxLength={maxTagLength}
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
            // The button disappears with the tag, so the field takes the focus.
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

// Loaded only where a tag can be silenced.
const Menu = lazy(async () => ({ default: (await import("../../../entities/silences/silence-menu.tsx")).SilenceMenu }));

type TagSilenceProps = { tag: string | undefined } & Omit<ComponentProps<typeof SilenceMenu>, "target" | "name">;

export function TagSilence({ tag, ...look }: TagSilenceProps) {
  const { mayChange } = useSession();
  if (tag === undefined || !mayChange) return null;
  return (
    <Suspense>
      <Menu target={{ type: "tag", name: tag }} name={tag} {...look} />
    </Suspense>
  );
}
