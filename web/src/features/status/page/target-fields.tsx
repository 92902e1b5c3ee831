import { maxTargets } from "@sonde/proto/http/status/config";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useUndo } from "../../../app/undo.ts";
import { useLatest } from "../../../lib/hooks.ts";
import { AddAll, TargetSearch } from "../../../entities/targets/target-picker.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { cx } from "../../../ui/cx.ts";
import { Field, Lockable } from "../../../ui/field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import {
  orderedTargets,
  type Line,
  lineKey,
  groupedLines,
  moveBy,
  moveTo,
  moveToGroup,
  placeOf,
  type ShownTarget,
} from "./arrange.ts";
import type { PageValues } from "./form-values.ts";
import { useGroupName, useMayEdit, usePositionText, useTargets } from "./names.ts";
import { FixedLine, Sortable } from "./sortable.tsx";
import { type LineActions, PageTargetLine } from "./target-line.tsx";

export function TargetFields({ type }: { type: TargetType }) {
  const kind = `${type}s` as const;
  const { t } = useTranslation();
  const mayChange = useMayEdit(kind);
  const { control, formState, getValues } = useFormContext<PageValues>();
  const { field } = useController<PageValues, `${TargetType}s`>({ name: kind, control });
  const others = useWatch<PageValues, `${TargetType}s`>({ name: kind === "monitors" ? "agents" : "monitors", control });
  const search = useRef<HTMLInputElement>(null);
  const { value: shown, onChange } = field;
  const room = maxTargets - shown.length - others.length;
  const isOffered = (target: TargetRef) => !shown.some(({ id }) => id === target.id);
  const error = formState.errors[kind]?.root?.message;
  const targets = useTargets(type);
  const offerUndo = useUndo();
  /** Closes the undo toast when the form unmounts. */
  const endOffer = useRef<() => void>(undefined);
  useEffect(() => () => endOffer.current?.(), []);
  const remove = useLatest((id: number) => {
    const at = shown.findIndex((each) => each.id === id);
    const [removed] = shown.slice(at, at + 1);
    if (removed === undefined) return;
    onChange(shown.toSpliced(at, 1));
    search.current?.focus();
    const name = removed.name.trim() || targets?.get(id)?.name || t(`alerting.${type}`, { id });
    const undo = async () => {
      const now = getValues(kind);
      if (now.every((each) => each.id !== id)) onChange(now.toSpliced(at, 0, removed));
      return {};
    };
    endOffer.current = offerUndo(t("statusPage.targets.removed", { name }), undo);
  });
  const add = (ids: number[]) => onChange([...shown, ...ids.map((id): ShownTarget => ({ id, name: "", group: null }))]);

  return (
    <Lockable name={kind} isCard>
      <Card title={t(`statusPage.fields.${kind}.label`)} flush>
        <div className="flex flex-col gap-2 px-4 py-4 md:px-5">
          <Field label={t(`statusPage.${kind}.add`)} hint={t(`statusPage.${kind}.hint`)} error={error}>
            {(ids) => (
              <TargetSearch
                {...ids}
                ref={search}
                type={type}
                disabled={!mayChange || room <= 0}
                isOffered={isOffered}
                onPick={({ id }) => add([id])}
              />
            )}
          </Field>
          {mayChange && (
            <AddAll
              types={[type]}
              room={room}
              max={maxTargets}
              isOffered={isOffered}
              onAdd={(all) => add(all.map(({ id }) => id))}
            />
          )}
        </div>
        {shown.length === 0 ? (
          <p className="border-t border-line px-4 py-4 text-muted md:px-5">{t(`statusPage.${kind}.none`)}</p>
        ) : (
          <TargetList type={type} stored={shown} readOnly={!mayChange} onChange={onChange} onRemove={remove} />
        )}
      </Card>
    </Lockable>
  );
}

/** Longer lists get a filter and are rendered in parts. */
const longList = 50;
const moreLines = 100;

type TargetListProps = {
  type: TargetType;
  stored: ShownTarget[];
  readOnly: boolean;
  onChange: (shown: ShownTarget[]) => void;
  onRemove: (id: number) => void;
};

function TargetList({ type, stored, readOnly, onChange, onRemove }: TargetListProps) {
  const kind = `${type}s` as const;
  const { t } = useTranslation();
  const { control, getValues, formState } = useFormContext<PageValues>();
  const groups = useWatch<PageValues, "groups">({ name: "groups", control });
  const targets = useTargets(type);
  const announced = useRef<HTMLParagraphElement>(null);
  const positionText = usePositionText();
  const groupName = useGroupName();
  const [filter, setFilter] = useState("");
  const [maxDrawn, setMaxDrawn] = useState(longList);
  const shown = useMemo(() => orderedTargets(stored, groups), [stored, groups]);
  const isLong = shown.length > longList;
  const wanted = useDeferredValue(isLong ? filter.trim().toLowerCase() : "");
  const lines = groupedLines(shown, groups);
  const matching = wanted === "" ? lines : lines.filter((line) => isMatch(line, wanted));
  const drawn = isLong ? matching.slice(0, maxDrawn) : matching;
  const hidden = matching.length - drawn.length;
  const idOf = (key: string) => shown.find(({ id }) => lineKey(id) === key)?.id ?? 0;

  function isMatch(line: Line, text: string): boolean {
    if (line.kind === "heading") return false;
    const { id, name } = line.target;
    return `${name} ${targets?.get(id)?.name ?? ""} ${targets?.get(id)?.at ?? ""}`.toLowerCase().includes(text);
  }
  const nameOf = (id: number) =>
    shown.find((each) => each.id === id)?.name.trim() || targets?.get(id)?.name || t(`alerting.${type}`, { id });
  const errorOf = (id: number) => formState.errors[kind]?.[stored.findIndex((each) => each.id === id)]?.name?.message;
  const headingOf = (group: string | null) => {
    const count = shown.filter((each) => each.group === group).length;
    return `${groupName(groups.find(({ key }) => key === group))} · ${count}`;
  };
  const first = lines[groups.length > 0 ? 1 : 0];

  // Stable callbacks, so that typing in one line does not render the others.
  const actions = useMemo<LineActions>(() => {
    const now = () => ({ shown: getValues(kind), groups: getValues("groups") });
    return {
      rename: (id, name) => onChange(now().shown.map((each) => (each.id === id ? { ...each, name } : each))),
      step: (id, step) => {
        const before = now();
        const next = moveBy(before.shown, before.groups, id, step);
        onChange(next);
        if (announced.current !== null)
          announced.current.textContent = positionText(placeOf(next, before.groups, id), before.groups);
      },
      group: (id, group) => onChange(moveToGroup(now().shown, now().groups, id, group)),
      remove: onRemove,
    };
  }, [getValues, kind, onChange, onRemove, positionText]);

  return (
    <>
      {isLong && (
        <div className="border-t border-line px-4 py-2 md:px-5">
          <Input
            type="search"
            aria-label={t("statusPage.targets.filter")}
            placeholder={t("statusPage.targets.filter")}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            // Elsewhere in the form Enter saves.
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
        </div>
      )}
      <Sortable
        lines={drawn.map(({ key }) => key)}
        nameOf={(key) => nameOf(idOf(key))}
        placeAt={(key, over) => positionText(placeOf(moveTo(shown, groups, key, over), groups, idOf(key)), groups)}
        onMove={(from, to) => onChange(moveTo(shown, groups, from, to))}
      >
        <ul
          aria-label={t(`statusPage.fields.${kind}.label`)}
          // Skips the layout of lines outside the viewport.
          className={cx(
            "border-t border-line",
            drawn.length > longList && "[&>li]:[contain-intrinsic-size:auto_3.25rem] [&>li]:[content-visibility:auto]",
          )}
        >
          {drawn.map((line) =>
            line.kind === "heading" ? (
              <FixedLine
                key={line.key}
                line={line.key}
                className="border-b border-line bg-sunken px-4 py-1.5 text-[13px] font-semibold text-muted last:border-b-0 md:px-5"
              >
                {headingOf(line.group)}
              </FixedLine>
            ) : (
              <PageTargetLine
                key={line.key}
                type={type}
                target={line.target}
                groups={groups}
                known={targets === undefined ? null : targets.get(line.target.id)}
                isFirst={line === first}
                isLast={line === lines.at(-1)}
                isOrderable={wanted === ""}
                readOnly={readOnly}
                error={errorOf(line.target.id)}
                actions={actions}
              />
            ),
          )}
        </ul>
      </Sortable>
      {hidden > 0 && (
        <div className="border-t border-line p-2 text-center">
          <Button variant="ghost" size="sm" onClick={() => setMaxDrawn(maxDrawn + moreLines)}>
            {t("alerting.showAll", { count: Math.min(hidden, moreLines) })}
          </Button>
        </div>
      )}
      {wanted !== "" && matching.length === 0 && (
        <p className="border-t border-line px-4 py-3 text-muted">{t("alerting.nothingFound")}</p>
      )}
      <p ref={announced} role="status" className="sr-only" />
    </>
  );
}
