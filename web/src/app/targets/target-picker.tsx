import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { type Ref, useRef } from "react";
import type { FieldIds } from "../../ui/field.tsx";
import { useAppDispatch } from "../hooks.ts";
import { AddAll } from "./add-all.tsx";
import { type TargetSummary, targetsApi } from "./api.ts";
import { TargetChips } from "./target-chips.tsx";
import { isSameTarget } from "./target-key.ts";
import { TargetSearch } from "./target-search.tsx";

type TargetPickerProps = FieldIds & {
  value: readonly TargetRef[];
  onChange: (value: TargetRef[]) => void;
  /** The one that is edited: nothing depends on itself. */
  self?: TargetRef | undefined;
  /** Offers monitors alone, or agents alone. */
  type?: TargetType | undefined;
  /** How many may be chosen. Where it is named, all of a kind can be added at once. */
  max?: number;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
};

/** Monitors and agents, found by search and shown as chips. */
export function TargetPicker(props: TargetPickerProps) {
  const { value, onChange, self, type, max, disabled = false, ref, ...ids } = props;
  const dispatch = useAppDispatch();
  const field = useRef<HTMLInputElement | null>(null);
  const isOffered = (target: TargetRef) =>
    !isSameTarget(target, self) && !value.some((each) => isSameTarget(each, target));
  function add(targets: TargetSummary[]) {
    const picked = targets.map((target) => ({ arg: { type: target.type, id: target.id }, value: target }));
    // Their names are known: they need not be fetched again.
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
