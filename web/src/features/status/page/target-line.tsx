import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { TargetSummary } from "../../../entities/targets/api.ts";
import { TargetState, useTargetName } from "../../../entities/targets/target-line.tsx";
import { FieldError } from "../../../ui/field.tsx";
import { Input, Select } from "../../../ui/inputs.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { type Group, lineKey, type ShownTarget } from "./arrange.ts";
import { useGroupName } from "./names.ts";
import { SortableLine } from "./sortable.tsx";

export type LineActions = {
  rename: (id: number, name: string) => void;
  step: (id: number, step: 1 | -1) => void;
  group: (id: number, group: string | null) => void;
  remove: (id: number) => void;
};
type LineProps = {
  type: TargetType;
  target: ShownTarget;
  groups: readonly Group[];
  isFirst: boolean;
  isLast: boolean;
  isOrderable: boolean;
  readOnly: boolean;
  error: string | undefined;
  actions: LineActions;
};

/** A service of the page. `known` is `null` while loading, and `undefined` if it must be requested separately. */
export const PageTargetLine = memo(function TargetLine({
  known,
  ...props
}: LineProps & { known: TargetSummary | undefined | null }) {
  if (known === null) return <Line {...props} own={undefined} state={<Skeleton className="h-5 w-24" />} />;
  if (known === undefined) return <FetchedLine {...props} />;
  return <Line {...props} own={known.name} state={<TargetState target={known} />} />;
});

function FetchedLine(props: LineProps) {
  const { name, target } = useTargetName({ type: props.type, id: props.target.id });
  return <Line {...props} own={name} state={target && <TargetState target={target} />} />;
}

function Line(props: LineProps & { own: string | undefined; state: ReactNode }) {
  const { type, target, groups, error, actions, own, state, ...line } = props;
  const { t } = useTranslation();
  const groupName = useGroupName();
  const { id } = target;
  const name = target.name.trim() || own || t(`alerting.${type}`, { id });
  const errorId = `${lineKey(id)}-${type}-error`;
  return (
    <SortableLine
      {...line}
      line={lineKey(id)}
      name={name}
      onStep={(step) => actions.step(id, step)}
      removeLabel={t("statusPage.targets.remove", { name })}
      onRemove={() => actions.remove(id)}
      error={<FieldError id={errorId} text={error} className="px-3 pb-2" />}
      className="@container border-b border-line bg-surface last:border-b-0"
      rowClassName="flex flex-wrap items-center gap-x-2 gap-y-1.5 px-2 py-2 md:px-3"
    >
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 truncate font-medium">{own ?? "…"}</span>
        {state}
      </span>
      <span className="order-1 flex w-full min-w-0 gap-2 @xl:order-none @xl:w-80">
        <Input
          aria-label={t("statusPage.targets.displayName", { name: own ?? "" })}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? undefined : errorId}
          placeholder={t("statusPage.targets.displayNameHint")}
          autoComplete="off"
          maxLength={100}
          value={target.name}
          onChange={(event) => actions.rename(id, event.target.value)}
        />
        {groups.length > 0 && (
          <Select
            className="w-2/5 shrink-0"
            aria-label={t("statusPage.targets.group", { name })}
            value={target.group ?? ""}
            onChange={(event) => actions.group(id, event.target.value === "" ? null : event.target.value)}
            options={[
              { value: "", label: groupName(undefined) },
              ...groups.map((group) => ({ value: group.key, label: groupName(group) })),
            ]}
          />
        )}
      </span>
    </SortableLine>
  );
}
