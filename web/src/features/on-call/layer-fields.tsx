import type { Person } from "@sonde/proto/http/on-call/schedules";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { weekdayName, weekdays } from "../../lib/weekdays.ts";
import { Button } from "../../ui/button.tsx";
import { Field, FieldError } from "../../ui/field.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { ArrowUpIcon, CrossIcon, PlusIcon } from "../../ui/icons.tsx";
import { Checkbox, Input, Select } from "../../ui/inputs.tsx";
import { namesIn } from "./api.ts";
import { type HoursValues, newHours, type ScheduleValues, units } from "./form-values.ts";

const maxMembers = 50;
const maxHours = 14;

export function LayerFields({ index, people }: { index: number; people: readonly Person[] }) {
  const { t, i18n } = useTranslation();
  const at = `layers.${index}` as const;
  const [n, unit] = useWatch<ScheduleValues, [`${typeof at}.n`, `${typeof at}.unit`]>({
    name: [`${at}.n`, `${at}.unit`],
  });
  return (
    <div className="flex flex-col gap-4">
      <Members index={index} people={people} />
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-[5rem_7rem_9rem_minmax(0,14rem)]">
        <FormField<ScheduleValues>
          name={`${at}.n`}
          label={t("onCall.every")}
          input={{ inputMode: "numeric", maxLength: 3 }}
        />
        <FormField<ScheduleValues>
          name={`${at}.unit`}
          label={t("onCall.unit")}
          options={units.map((value) => ({ value, label: t(`onCall.units.${value}`, { count: Number(n) }) }))}
        />
        <FormField<ScheduleValues> name={`${at}.time`} label={t("onCall.handoff")}>
          {(props) => <Input {...props} type="time" />}
        </FormField>
        {unit === "week" && (
          <FormField<ScheduleValues>
            name={`${at}.weekday`}
            label={t("onCall.handoffDay")}
            options={weekdays.map((day, value) => ({ value: value + 1, label: weekdayName(day, i18n.language) }))}
          />
        )}
      </div>
      <FormField<ScheduleValues> name={`${at}.from`} label={t("onCall.from")} hint={t("onCall.fromHint")}>
        {(props) => <Input {...props} type="date" className="sm:w-64" />}
      </FormField>
      <Hours index={index} />
    </div>
  );
}

/** Sets a value of the form that has no input of its own. */
function useSet() {
  const { setValue, formState } = useFormContext<ScheduleValues>();
  return (...[name, value]: Parameters<typeof setValue>) =>
    setValue(name, value, { shouldDirty: true, shouldValidate: formState.isSubmitted });
}

function Members({ index, people }: { index: number; people: readonly Person[] }) {
  const { t } = useTranslation();
  const name = `layers.${index}.members` as const;
  const { getFieldState, formState } = useFormContext<ScheduleValues>();
  const members = useWatch<ScheduleValues, typeof name>({ name });
  const set = useSet();
  const nameOf = namesIn(people, t("onCall.deletedUser"));
  const error = getFieldState(name, formState).error?.message;
  const addable = people.filter((person) => person.name !== undefined && !members.includes(person.id));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-[13px] font-medium">{t("onCall.members")}</legend>
      <ol className="flex flex-col gap-1 empty:hidden">
        {members.map((id, place) => (
          <li key={`${id} ${place}`} className="flex items-center gap-1 rounded-md border border-line bg-sunken pl-3">
            <span className="tnum text-[13px] text-muted">{place + 1}</span>
            <span className="min-w-0 flex-1 px-1 break-words">{nameOf(id)}</span>
            {place > 0 && (
              <Button
                variant="ghost"
                size="icon"
                aria-label={t("onCall.earlier", { name: nameOf(id) })}
                onClick={() => set(name, members.with(place, members[place - 1]!).with(place - 1, id))}
              >
                <ArrowUpIcon />
              </Button>
            )}
            <Button
              variant="ghost"
              size="icon"
              aria-label={t("onCall.removeMember", { name: nameOf(id) })}
              onClick={() => set(name, members.toSpliced(place, 1))}
            >
              <CrossIcon />
            </Button>
          </li>
        ))}
      </ol>
      {members.length < maxMembers && addable.length > 0 && (
        <Select
          aria-label={t("onCall.addMember")}
          aria-invalid={error !== undefined || undefined}
          className="w-full sm:w-64"
          value=""
          onChange={({ target: { value } }) => set(name, [...members, Number(value)])}
          options={[
            { value: "", label: t("onCall.addMember") },
            ...addable.map((person) => ({ value: person.id, label: person.name })),
          ]}
        />
      )}
      <FieldError text={error && (members.length === 0 ? t("onCall.noMembers") : error)} />
    </fieldset>
  );
}

function Hours({ index }: { index: number }) {
  const { t, i18n } = useTranslation();
  const name = `layers.${index}.hours` as const;
  const hours = useWatch<ScheduleValues, typeof name>({ name });
  const { getFieldState, formState } = useFormContext<ScheduleValues>();
  const set = useSet();
  const change = (place: number, changed: Partial<HoursValues>) =>
    set(name, hours.with(place, { ...hours[place]!, ...changed }));
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-[13px] font-medium">{t("onCall.hours")}</legend>
      {hours.length === 0 && <p className="text-[13px] text-faint">{t("onCall.always")}</p>}
      {hours.map(({ days, start, end }, place) => (
        <div key={place} className="flex flex-wrap items-end gap-x-4 gap-y-2">
          <fieldset className="min-w-0">
            <legend className="sr-only">{t("onCall.days")}</legend>
            <div className="flex flex-wrap gap-x-3 gap-y-1 sm:pb-1.5">
              {weekdays.map((day, offset) => (
                <Checkbox
                  key={day}
                  label={weekdayName(day, i18n.language, "short")}
                  aria-label={weekdayName(day, i18n.language)}
                  checked={days.includes(offset + 1)}
                  onChange={({ target: { checked } }) =>
                    change(place, {
                      days: checked
                        ? [...days, offset + 1].toSorted((one, other) => one - other)
                        : days.filter((each) => each !== offset + 1),
                    })
                  }
                />
              ))}
            </div>
            <FieldError text={getFieldState(`${name}.${place}.days`, formState).error && t("onCall.noDays")} />
          </fieldset>
          <div className="flex items-end gap-2">
            {(["start", "end"] as const).map((part) => (
              <Field key={part} label={t(`onCall.${part}`)} className="w-36">
                {(ids) => (
                  <Input
                    {...ids}
                    type="time"
                    value={part === "start" ? start : end}
                    onChange={({ target: { value } }) => change(place, { [part]: value })}
                  />
                )}
              </Field>
            ))}
            <Button
              variant="ghost"
              size="icon"
              aria-label={t("onCall.removeHours", { number: place + 1 })}
              onClick={() => set(name, hours.toSpliced(place, 1))}
            >
              <CrossIcon />
            </Button>
          </div>
        </div>
      ))}
      {hours.length < maxHours && (
        <Button size="sm" className="self-start" onClick={() => set(name, [...hours, newHours()])}>
          <PlusIcon />
          {t(hours.length === 0 ? "onCall.addHours" : "onCall.moreHours")}
        </Button>
      )}
    </fieldset>
  );
}
