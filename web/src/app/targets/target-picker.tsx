import type { TargetRef } from "@sonde/proto/http/targets";
import { type Ref, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { FieldIds } from "../../ui/field.tsx";
import { CrossIcon } from "../../ui/icons.tsx";
import { useAppDispatch } from "../hooks.ts";
import { type Target, targetsApi } from "./api.ts";
import { TargetIcon, useTargetName } from "./target-line.tsx";
import { TargetSearch } from "./target-search.tsx";

type TargetPickerProps = FieldIds & {
  value: readonly TargetRef[];
  onChange: (value: TargetRef[]) => void;
  /** The one that is edited: nothing depends on itself. */
  self?: TargetRef | undefined;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
};

const isSame = (one: TargetRef, other: TargetRef | undefined) => one.type === other?.type && one.id === other.id;

/** Monitors and agents, found by search and shown as chips. */
export function TargetPicker({ value, onChange, self, disabled = false, ref, ...ids }: TargetPickerProps) {
  const dispatch = useAppDispatch();
  const field = useRef<HTMLInputElement | null>(null);
  function add(target: Target) {
    const picked = { type: target.type, id: target.id };
    // Its name is known: nobody has to ask for it again.
    void dispatch(targetsApi.util.upsertQueryData("target", picked, target));
    onChange([...value, picked]);
  }
  return (
    <div className="flex flex-col gap-2">
      {value.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {value.map((each) => (
            <Chip
              key={`${each.type}:${each.id}`}
              target={each}
              disabled={disabled}
              onRemove={() => {
                onChange(value.filter((other) => !isSame(other, each)));
                field.current?.focus();
              }}
            />
          ))}
        </ul>
      )}
      <TargetSearch
        {...ids}
        disabled={disabled}
        ref={(element) => {
          field.current = element;
          if (typeof ref === "function") ref(element);
          else if (ref != null) ref.current = element;
        }}
        isOffered={(target) => !isSame(target, self) && !value.some((each) => isSame(each, target))}
        onPick={add}
      />
    </div>
  );
}

function Chip({ target, disabled, onRemove }: { target: TargetRef; disabled: boolean; onRemove: () => void }) {
  const { t } = useTranslation();
  const { name = "…" } = useTargetName(target);
  return (
    <li className="inline-flex max-w-full min-h-8 items-center gap-1.5 rounded-md border border-line bg-sunken pl-2">
      <TargetIcon type={target.type} className="size-3.5 text-muted" />
      <span className="min-w-0 truncate">{name}</span>
      <button
        type="button"
        disabled={disabled}
        aria-label={t("alerting.remove", { name })}
        title={t("alerting.remove", { name })}
        onClick={onRemove}
        className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:text-ink"
      >
        <CrossIcon className="size-3.5" />
      </button>
    </li>
  );
}
