import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { type Ref, useRef, useState } from "react";
import { type FieldIds, controlClass } from "../../ui/field.tsx";
import { useAppDispatch } from "../../app/hooks.ts";
import { type TargetSummary, targetsApi, isSameTarget, useFindTargetsQuery, targetKey } from "./api.ts";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../lib/hooks.ts";
import { Chip } from "../../ui/chip.tsx";
import { useCombobox } from "../../ui/menu/combobox.tsx";
import { cx } from "../../ui/cx.ts";
import { errorText } from "../../app/errors.ts";
import { TargetIcon, TargetState, useTargetName } from "./target-line.tsx";
import { Button } from "../../ui/button.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { useTranslatedMessage } from "../../lib/form-errors.ts";

type TargetPickerProps = FieldIds & {
  value: readonly TargetRef[];
  onChange: (value: TargetRef[]) => void;
  /** The edited target, which cannot depend on itself. */
  self?: TargetRef | undefined;
  type?: TargetType | undefined;
  /** Maximum number of targets. If set, all targets of a type can be added at once. */
  max?: number;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
};

export function TargetPicker(props: TargetPickerProps) {
  const { value, onChange, self, type, max, disabled = false, ref, ...ids } = props;
  const dispatch = useAppDispatch();
  const field = useRef<HTMLInputElement | null>(null);
  const isOffered = (target: TargetRef) =>
    !isSameTarget(target, self) && !value.some((each) => isSameTarget(each, target));
  function add(targets: TargetSummary[]) {
    const picked = targets.map((target) => ({ arg: { type: target.type, id: target.id }, value: target }));
    // Caches the selected targets, so that they are not fetched again.
    void dispatch(targetsApi.util.upsertQueryEntries(picked.map((each) => ({ endpointName: "target", ...each }))));
    onChange([...value, ...picked.map(({ arg }) => arg)]);
  }
  function change(next: TargetRef[]) {
    onChange(next);
    field.current?.focus();
  }
  const isFull = max !== undefined && value.length >= max;
  return (
    <div className="flex flex-col gap-2">
      <TargetChips value={value} onChange={change} disabled={disabled} />
      <TargetSearch
        {...ids}
        type={type}
        disabled={disabled || isFull}
        ref={(element) => {
          field.current = element;
          if (typeof ref === "function") ref(element);
          else if (ref != null) ref.current = element;
        }}
        isOffered={isOffered}
        onPick={(target) => add([target])}
      />
      {max !== undefined && !disabled && (
        <AddAll
          types={type === undefined ? ["monitor", "agent"] : [type]}
          room={max - value.length}
          max={max}
          isOffered={isOffered}
          onAdd={add}
        />
      )}
    </div>
  );
}

type TargetSearchProps = FieldIds & {
  type?: TargetType | undefined;
  isOffered?: (target: TargetSummary) => boolean;
  onPick: (target: TargetSummary) => void;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
};

const waitMs = 150;
const maxSearchLength = 200;

/** A combobox that searches monitors and agents on the server. The focus stays in the field. */
export function TargetSearch({ type, isOffered = () => true, onPick, disabled, ref, ...ids }: TargetSearchProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const search = useSettled(text.trim(), waitMs).slice(0, maxSearchLength);
  const isSettled = search === text.trim().slice(0, maxSearchLength);
  const { data, currentData, error, isFetching } = useFindTargetsQuery(
    { search, type },
    { skip: !open, refetchOnMountOrArgChange: true },
  );
  // Until the response arrives, previous results are filtered, so that Enter only ever picks a match.
  const isCurrent = isSettled && currentData !== undefined;
  const offered = (currentData ?? data ?? []).filter(
    (target) => isOffered(target) && (isCurrent || isMatch(target, text)),
  );
  const find = t(type === undefined ? "alerting.find" : `alerting.findOne.${type}`);
  const note =
    isFetching || !isSettled
      ? t("alerting.searching")
      : error !== undefined
        ? errorText(error, "fetchData")
        : offered.length === 0
          ? t("alerting.nothingFound")
          : null;

  const box = useCombobox({
    options: open ? offered : [],
    keyOf: targetKey,
    onPick(target) {
      onPick(target);
      setText("");
      box.reset();
      setOpen(false);
    },
    onOpen: () => setOpen(true),
    onClose: open ? () => setOpen(false) : undefined,
    // Enter must not submit the surrounding form while there is nothing to pick.
    onKey: ({ key }) => key === "Enter" && open,
  });

  return (
    <div className="relative">
      <input
        {...ids}
        {...box.field}
        ref={ref}
        type="text"
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? box.listId : undefined}
        placeholder={find}
        disabled={disabled}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          box.reset();
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        className={controlClass.line}
      />
      {open && (
        <div className="fade-in absolute inset-x-0 top-full z-20 mt-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lifted">
          <div id={box.listId} role="listbox" aria-label={find}>
            {offered.map((target) => (
              <div
                key={targetKey(target)}
                {...box.propsOf(target)}
                className={cx(
                  "flex min-h-9 cursor-pointer items-center gap-2 rounded-sm px-2 select-none hover:bg-sunken",
                  target === box.active && "bg-accent-soft text-accent-strong",
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

/** Limits requests: each chip requests its target. */
const initialCount = 24;
const fewChips = 3;

type TargetChipsProps = { value: readonly TargetRef[]; onChange: (value: TargetRef[]) => void; disabled: boolean };

export function TargetChips({ value, onChange, disabled }: TargetChipsProps) {
  const { t } = useTranslation();
  const [showsAll, setShowsAll] = useState(false);
  if (value.length === 0) return null;
  const shown = showsAll ? value : value.slice(0, initialCount);
  const hidden = value.length - shown.length;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <ul className="contents">
        {shown.map((each) => (
          <TargetChip
            key={targetKey(each)}
            target={each}
            disabled={disabled}
            onRemove={() => onChange(value.filter((other) => !isSameTarget(other, each)))}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <Button size="sm" variant="ghost" onClick={() => setShowsAll(true)}>
          {t("alerting.showAll", { count: hidden })}
        </Button>
      )}
      {value.length > fewChips && !disabled && (
        <Button size="sm" variant="ghost" onClick={() => onChange([])}>
          {t("alerting.removeAll")}
        </Button>
      )}
    </div>
  );
}

function TargetChip({ target, disabled, onRemove }: { target: TargetRef; disabled: boolean; onRemove: () => void }) {
  const { t } = useTranslation();
  const { name = "…" } = useTargetName(target);
  return (
    <Chip
      icon={<TargetIcon type={target.type} className="size-3.5 text-muted" />}
      removeLabel={t("alerting.remove", { name })}
      disabled={disabled}
      onRemove={onRemove}
    >
      {name}
    </Chip>
  );
}

type AddAllProps = {
  types: readonly TargetType[];
  /** How many of `max` are left. */
  room: number;
  max: number;
  isOffered: (target: TargetSummary) => boolean;
  onAdd: (targets: TargetSummary[]) => void;
};

/** Adds all monitors or all agents, up to the limit, and reports their number. */
export function AddAll({ types, room, max, isOffered, onAdd }: AddAllProps) {
  const { t, i18n } = useTranslation();
  const dispatch = useAppDispatch();
  const [asking, setAsking] = useState<TargetType | null>(null);
  const [note, setNote] = useTranslatedMessage();
  async function addAll(type: TargetType) {
    setAsking(type);
    setNote(null);
    const request = dispatch(targetsApi.endpoints.allTargets.initiate(type, { forceRefetch: true }));
    try {
      const { targets } = await request.unwrap();
      const offered = targets.filter(isOffered);
      const count = Math.min(offered.length, room);
      onAdd(offered.slice(0, count));
      const outcome = offered.length === 0 ? "addedNone" : count < offered.length ? "addedSome" : "addedAll";
      setNote(() => i18n.t(`alerting.${outcome}`, { count, max }));
    } catch (error) {
      setNote(() => errorText(error, "fetchData"));
    } finally {
      request.unsubscribe();
      setAsking(null);
    }
  }
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1">
      {types.map((type) => (
        <Button
          key={type}
          size="sm"
          variant="ghost"
          disabled={room <= 0 || asking !== null}
          saving={asking === type}
          onClick={() => void addAll(type)}
        >
          <PlusIcon className="size-3.5" />
          {t(`alerting.addAll.${type}`)}
        </Button>
      ))}
      <span role="status" className="text-[13px] text-muted">
        {note}
      </span>
    </div>
  );
}
