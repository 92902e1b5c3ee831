import { useRef } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CrossIcon, PlusIcon } from "../../../ui/icons.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { type Group, moveElement } from "./arrange.ts";
import type { PageValues } from "./form-values.ts";
import { Sortable } from "./order/sortable.tsx";
import { DragHandle, SortableLine } from "./order/sortable-line.tsx";
import { StepButtons } from "./order/step-buttons.tsx";

const mostGroups = 50;
const longestName = 60;
const newKey = "new-";
let made = 0;

/** The named groups in the page's order. Which service is in which is shown beside each service. */
export function GroupFields() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { control, formState } = useFormContext<PageValues>();
  const { field } = useController<PageValues, "groups">({ name: "groups", control });
  const [monitors, agents] = useWatch<PageValues, ["monitors", "agents"]>({ name: ["monitors", "agents"], control });
  const addButton = useRef<HTMLButtonElement>(null);
  const announced = useRef<HTMLParagraphElement>(null);
  const groups = field.value;
  const at = (key: string) => groups.findIndex((group) => group.key === key);
  const nameOf = ({ name }: Group) => name.trim() || t("statusPage.groups.unnamed");
  const placeWords = (index: number) => t("statusPage.order.place", { position: index + 1, total: groups.length });
  const count = (key: string) => [...monitors, ...agents].filter(({ group }) => group === key).length;
  const root = formState.errors.groups?.root?.message;

  function add() {
    made += 1;
    field.onChange([...groups, { key: `${newKey}${made}`, name: "" }]);
  }
  function step(from: number, by: 1 | -1) {
    field.onChange(moveElement(groups, from, from + by));
    if (announced.current !== null) announced.current.textContent = placeWords(from + by);
  }

  return (
    <Card title={t("statusPage.groups.title")} flush>
      <p className="px-4 py-4 text-muted md:px-5">{t("statusPage.groups.hint")}</p>
      <Sortable
        lines={groups.map(({ key }) => key)}
        nameOf={(key) => nameOf(groups[at(key)] ?? { key, name: "" })}
        placeAt={(_key, over) => placeWords(at(over))}
        onMove={(key, over) => field.onChange(moveElement(groups, at(key), at(over)))}
      >
        <ul aria-label={t("statusPage.groups.title")}>
          {groups.map((group, index) => {
            const error = formState.errors.groups?.[index]?.name?.message;
            const name = nameOf(group);
            return (
              <SortableLine
                key={group.key}
                line={group.key}
                disabled={!mayChange}
                className="border-t border-line bg-surface"
              >
                <div className="flex items-center gap-2 px-2 py-2 md:px-3">
                  <DragHandle name={name} />
                  <Input
                    // Who asked for a group names it.
                    autoFocus={group.key.startsWith(newKey)}
                    aria-label={t("statusPage.groups.name", { position: index + 1 })}
                    aria-invalid={error !== undefined || undefined}
                    aria-describedby={error === undefined ? undefined : `${group.key}-error`}
                    autoComplete="off"
                    maxLength={longestName}
                    placeholder={t("statusPage.groups.namePlaceholder")}
                    value={group.name}
                    onChange={({ target }) =>
                      field.onChange(
                        groups.map((each) => (each.key === group.key ? { ...each, name: target.value } : each)),
                      )
                    }
                  />
                  <span className="shrink-0 text-[13px] text-muted max-sm:hidden">
                    {t("statusPage.groups.count", { count: count(group.key) })}
                  </span>
                  {mayChange && (
                    <span className="flex">
                      <StepButtons
                        name={name}
                        isFirst={index === 0}
                        isLast={index === groups.length - 1}
                        onStep={(by) => step(index, by)}
                      />
                      <Button
                        variant="ghost"
                        size="icon"
                        aria-label={t("statusPage.groups.remove", { name })}
                        title={t("statusPage.groups.remove", { name })}
                        onClick={() => {
                          field.onChange(groups.filter((each) => each.key !== group.key));
                          addButton.current?.focus();
                        }}
                      >
                        <CrossIcon />
                      </Button>
                    </span>
                  )}
                </div>
                {error !== undefined && (
                  <p id={`${group.key}-error`} role="alert" className="px-3 pb-2 text-[13px] text-down-ink md:px-5">
                    {error}
                  </p>
                )}
              </SortableLine>
            );
          })}
        </ul>
      </Sortable>
      {root !== undefined && (
        <p role="alert" className="px-4 pb-2 text-[13px] text-down-ink md:px-5">
          {root}
        </p>
      )}
      {mayChange && (
        <div className="border-t border-line px-4 py-3 md:px-5">
          <Button ref={addButton} size="sm" disabled={groups.length >= mostGroups} onClick={add}>
            <PlusIcon />
            {t("statusPage.groups.add")}
          </Button>
        </div>
      )}
      <p ref={announced} role="status" className="sr-only" />
    </Card>
  );
}
