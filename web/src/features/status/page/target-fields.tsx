import { mostTargets } from "@sonde/proto/http/status/config";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useMemo, useRef } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { AddAll, TargetSearch } from "../../../app/targets/target-picker.tsx";
import { Card } from "../../../ui/card.tsx";
import { Field } from "../../../ui/field.tsx";
import { inOrder, moveBy, moveTo, moveToGroup, placeOf, type ShownTarget } from "./arrange.ts";
import type { TargetListName, PageValues } from "./form-values.ts";
import type { LineActions } from "./target-line.tsx";
import { TargetList } from "./target-list.tsx";
import { typeOf, useTargets } from "./target-names.ts";
import { usePlaceWords } from "./place-words.ts";

/** Which API services or agents the page shows, in which order, in which group, and what it calls them. */
export function TargetFields({ kind }: { kind: TargetListName }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { control, getValues, formState } = useFormContext<PageValues>();
  const { field } = useController<PageValues, TargetListName>({ name: kind, control });
  const groups = useWatch<PageValues, "groups">({ name: "groups", control });
  const others = useWatch<PageValues, TargetListName>({ name: kind === "monitors" ? "agents" : "monitors", control });
  const search = useRef<HTMLInputElement>(null);
  const announced = useRef<HTMLParagraphElement>(null);
  const placeWords = usePlaceWords();
  const shown = field.value;
  const type = typeOf(kind);
  const targets = useTargets(kind, shown.length === 0);
  const room = mostTargets - shown.length - others.length;
  const ordered = useMemo(() => inOrder(shown, groups), [shown, groups]);
  const isOffered = (target: TargetRef) => !shown.some(({ id }) => id === target.id);
  const errors = formState.errors[kind];
  const error = errors?.root?.message;

  const nameOf = (id: number) =>
    shown.find((each) => each.id === id)?.name.trim() || targets?.get(id)?.name || t(`alerting.${type}`, { id });
  const add = (ids: number[]) =>
    field.onChange([...shown, ...ids.map((id): ShownTarget => ({ id, name: "", group: null }))]);

  // The same functions as long as the form lives: a letter in one line draws no other line again.
  const { onChange } = field;
  const actions = useMemo<LineActions>(() => {
    const now = () => ({ shown: getValues(kind), groups: getValues("groups") });
    return {
      rename: (id, name) => onChange(now().shown.map((each) => (each.id === id ? { ...each, name } : each))),
      step: (id, step) => {
        const before = now();
        const next = moveBy(before.shown, before.groups, id, step);
        onChange(next);
        if (announced.current !== null)
          announced.current.textContent = placeWords(placeOf(next, before.groups, id), before.groups);
      },
      group: (id, group) => onChange(moveToGroup(now().shown, now().groups, id, group)),
      remove: (id) => {
        onChange(now().shown.filter((each) => each.id !== id));
        search.current?.focus();
      },
    };
  }, [getValues, kind, onChange, placeWords]);

  return (
    <Card title={t(`statusPage.${kind}.title`)} flush>
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
            max={mostTargets}
            isOffered={isOffered}
            onAdd={(all) => add(all.map(({ id }) => id))}
          />
        )}
      </div>
      {shown.length === 0 ? (
        <p className="border-t border-line px-4 py-4 text-muted md:px-5">{t(`statusPage.${kind}.none`)}</p>
      ) : (
        <TargetList
          kind={kind}
          shown={ordered}
          groups={groups}
          targets={targets}
          nameOf={nameOf}
          readOnly={!mayChange}
          errors={(id) => errors?.[shown.findIndex((each) => each.id === id)]?.name?.message}
          actions={actions}
          onMove={(from, to) => onChange(moveTo(shown, groups, from, to))}
        />
      )}
      <p ref={announced} role="status" className="sr-only" />
    </Card>
  );
}
