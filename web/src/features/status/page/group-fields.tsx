import { useRef } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { FieldError, Lockable } from "../../../ui/field.tsx";
import { PlusIcon } from "../../../ui/icons.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { moveElement } from "./arrange.ts";
import type { PageValues } from "./form-values.ts";
import { useGroupName, useMayEdit } from "./names.ts";
import { Sortable, SortableLine } from "./sortable.tsx";

const maxGroups = 50;
const maxNameLength = 60;
const newKey = "new-";
let createdGroups = 0;

export function GroupFields() {
  const { t } = useTranslation();
  const mayChange = useMayEdit("groups");
  const { control, formState } = useFormContext<PageValues>();
  const { field } = useController<PageValues, "groups">({ name: "groups", control });
  const [monitors, agents] = useWatch<PageValues, ["monitors", "agents"]>({ name: ["monitors", "agents"], control });
  const addButton = useRef<HTMLButtonElement>(null);
  const announced = useRef<HTMLParagraphElement>(null);
  const groupName = useGroupName();
  const groups = field.value;
  const errors = formState.errors.groups;
  const at = (key: string) => groups.findIndex((group) => group.key === key);
  const positionText = (index: number) => t("statusPage.order.place", { position: index + 1, total: groups.length });
  const count = (key: string) => [...monitors, ...agents].filter(({ group }) => group === key).length;

  function add() {
    createdGroups += 1;
    field.onChange([...groups, { key: `${newKey}${createdGroups}`, name: "" }]);
  }
  function step(from: number, by: 1 | -1) {
    field.onChange(moveElement(groups, from, from + by));
    if (announced.current !== null) announced.current.textContent = positionText(from + by);
  }

  return (
    <Lockable name="groups" isCard>
      <Card title={t("statusPage.fields.groups.label")} flush>
        <p className="px-4 py-4 text-muted md:px-5">{t("statusPage.groups.hint")}</p>
        <Sortable
          lines={groups.map(({ key }) => key)}
          nameOf={(key) => groupName(groups[at(key)])}
          placeAt={(_key, over) => positionText(at(over))}
          onMove={(key, over) => field.onChange(moveElement(groups, at(key), at(over)))}
        >
          <ul aria-label={t("statusPage.fields.groups.label")}>
            {groups.map((group, index) => {
              const { key } = group;
              const error = errors?.[index]?.name?.message;
              const name = groupName(group);
              return (
                <SortableLine
                  key={key}
                  line={key}
                  name={name}
                  readOnly={!mayChange}
                  isFirst={index === 0}
                  isLast={index === groups.length - 1}
                  onStep={(by) => step(index, by)}
                  removeLabel={t("statusPage.groups.remove", { name })}
                  onRemove={() => {
                    field.onChange(groups.filter((each) => each.key !== key));
                    addButton.current?.focus();
                  }}
                  error={<FieldError id={`${key}-error`} text={error} className="px-3 pb-2 md:px-5" />}
                  className="border-t border-line bg-surface"
                  rowClassName="flex items-center gap-2 px-2 py-2 md:px-3"
                >
                  <Input
                    autoFocus={key.startsWith(newKey)}
                    aria-label={t("statusPage.groups.name", { position: index + 1 })}
                    aria-invalid={error !== undefined || undefined}
                    aria-describedby={error === undefined ? undefined : `${key}-error`}
                    autoComplete="off"
                    maxLength={maxNameLength}
                    placeholder={t("statusPage.groups.namePlaceholder")}
                    value={group.name}
                    onChange={({ target }) =>
                      field.onChange(groups.map((each) => (each.key === key ? { ...each, name: target.value } : each)))
                    }
                  />
                  <span className="shrink-0 text-[13px] text-muted max-sm:hidden">
                    {t("statusPage.groups.count", { count: count(key) })}
                  </span>
                </SortableLine>
              );
            })}
          </ul>
        </Sortable>
        <FieldError text={errors?.root?.message} className="px-4 pb-2 md:px-5" />
        {mayChange && (
          <div className="border-t border-line px-4 py-3 md:px-5">
            <Button ref={addButton} size="sm" disabled={groups.length >= maxGroups} onClick={add}>
              <PlusIcon />
              {t("statusPage.groups.add")}
            </Button>
          </div>
        )}
        <p ref={announced} role="status" className="sr-only" />
      </Card>
    </Lockable>
  );
}
