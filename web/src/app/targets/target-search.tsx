import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { type KeyboardEvent, type Ref, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../lib/settled.ts";
import { cx } from "../../ui/cx.ts";
import { controlClass, type FieldIds } from "../../ui/field.tsx";
import { errorText } from "../errors.ts";
import { type TargetSummary, useFindTargetsQuery } from "./api.ts";
import { TargetIcon, TargetState } from "./target-line.tsx";

type TargetSearchProps = FieldIds & {
  /** Offers monitors alone, or agents alone. */
  type?: TargetType | undefined;
  isOffered: (target: TargetSummary) => boolean;
  onPick: (target: TargetSummary) => void;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
};

const waitMs = 150;
const longestSearch = 200;

/** A combobox over monitors and agents, as the server finds them. The focus stays in the field. */
export function TargetSearch({ type, isOffered, onPick, disabled, ref, ...ids }: TargetSearchProps) {
  const { t } = useTranslation();
  const listId = useId();
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const asked = useSettled(text.trim(), waitMs).slice(0, longestSearch);
  const isSettled = asked === text.trim().slice(0, longestSearch);
  const { data, currentData, error, isFetching } = useFindTargetsQuery(
    { search: asked, type },
    { skip: !open, refetchOnMountOrArgChange: true },
  );
  // Until the answer is here, what was found before is narrowed: Enter takes what matches, and never anything else.
  const isCurrent = isSettled && currentData !== undefined;
  const offered = (currentData ?? data ?? []).filter(
    (target) => isOffered(target) && (isCurrent || isMatch(target, text)),
  );
  const chosen = open ? (offered[active] ?? offered[0]) : undefined;
  const optionId = (target: TargetSummary) => `${listId}-${target.type}-${target.id}`;
  const find = t(type === undefined ? "alerting.find" : `alerting.findOne.${type}`);
  const note =
    isFetching || !isSettled
      ? t("alerting.searching")
      : error !== undefined
        ? errorText(error, "fetchData")
        : offered.length === 0
          ? t("alerting.nothingFound")
          : null;

  function pick(target: TargetSummary) {
    onPick(target);
    setText("");
    setActive(0);
    setOpen(false);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      if (open && offered.length > 0) setActive((active + step + offered.length) % offered.length);
      setOpen(true);
    } else if (event.key === "Enter" && chosen !== undefined) pick(chosen);
    else if (event.key === "Escape" && open) setOpen(false);
    // Where nothing can be taken yet, Enter must not send the form around it.
    else if (event.key !== "Enter" || !open) return;
    event.preventDefault();
  }

  return (
    <div className="relative">
      <input
        {...ids}
        ref={ref}
        type="text"
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        aria-activedescendant={chosen === undefined ? undefined : optionId(chosen)}
        aria-autocomplete="list"
        placeholder={find}
        autoComplete="off"
        spellCheck={false}
        disabled={disabled}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
        className={controlClass.line}
      />
      {open && (
        <div className="fade-in absolute inset-x-0 top-full z-20 mt-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lifted">
          <div id={listId} role="listbox" aria-label={find}>
            {offered.map((target) => (
              <div
                key={optionId(target)}
                id={optionId(target)}
                role="option"
                tabIndex={-1}
                aria-selected={target === chosen}
                // The field keeps the focus, whatever the pointer does.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => pick(target)}
                onKeyDown={(event) => event.key === "Enter" && pick(target)}
                className={cx(
                  "flex min-h-9 cursor-pointer items-center gap-2 rounded-sm px-2 select-none hover:bg-sunken",
                  target === chosen && "bg-accent-soft text-accent-strong",
                )}
              >
                <TargetIcon type={target.type} className="size-4 text-muted" />
                <span className="min-w-0 truncate">{target.name}</span>
                <span className="ml-auto min-w-0 truncate font-mono text-[12px] text-muted max-sm:hidden">
                  {target.at}
                </span>
                <span className="shrink-0 max-sm:ml-auto">
                  <TargetState target={target} />
                </span>
              </div>
            ))}
          </div>
          {note !== null && offered.length === 0 && <p className="px-2 py-2 text-[13px] text-muted">{note}</p>}
        </div>
      )}
      <p role="status" className="sr-only">
        {open && (note ?? t("alerting.found", { count: offered.length }))}
      </p>
    </div>
  );
}

function isMatch({ name, at }: TargetSummary, text: string): boolean {
  return `${name} ${at}`.toLowerCase().includes(text.trim().toLowerCase());
}
