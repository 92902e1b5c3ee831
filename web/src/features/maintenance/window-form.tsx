import { readTarget, targetFilter, type TargetRef } from "@sonde/proto/http/monitors/targets";
import { type Maintenance, maxTagsCovered } from "@sonde/proto/http/status/maintenance";
import { FormProvider, useController, useFormContext, useWatch } from "react-hook-form";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { ManagedForm } from "../../entities/managed/managed-form.tsx";
import { paths } from "../../app/paths.ts";
import { FormButtons, FormMessages, useSaveForm } from "../../app/forms/save-form.tsx";
import { BackLink, isId, isMissing, Loaded, Missing } from "../../app/screen.tsx";
import { TagChoice } from "../../entities/targets/tag-choice.tsx";
import { TargetPicker } from "../../entities/targets/target-picker.tsx";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { cached, ownTimeZone } from "../../lib/format.ts";
import { TimeZoneField } from "../../app/forms/time-zone-field.tsx";
import { instantOf, wallTime } from "../../lib/zone-time.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field, Lockable, useLock } from "../../ui/field.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { PauseIcon, PlayIcon } from "../../ui/icons.tsx";
import { Input, Switch } from "../../ui/inputs.tsx";
import { MarkdownField } from "../../app/forms/markdown-field.tsx";
import { PagesField } from "../../entities/pages/pages-field.tsx";
import { useMaintenanceQuery, usePlanMaintenanceMutation, useUpdateMaintenanceMutation } from "./api.ts";
import {
  checkValues,
  fieldOf,
  fields,
  hourMs,
  type MaintenanceValues,
  newValues,
  toInput,
  toValues,
} from "./form-values.ts";
import { RecurrenceFields } from "./recurrence-fields.tsx";

const maxTargets = 500;

function targetsIn(plan: string): TargetRef[] {
  const target = targetFilter.safeParse(plan).success ? readTarget(plan) : undefined;
  return target === undefined || !isId(target.id) ? [] : [target];
}

/** @param plan initial target, such as `agent:3`. Anything else starts without one. */
export function PlanWindow({ plan }: { plan: string }) {
  const { t } = useTranslation();
  const [initial] = useState(() => ({ ...newValues(Date.now()), targets: targetsIn(plan) }));
  return (
    <>
      <BackLink to={paths.maintenance} label={t("maintenance.back")} />
      <WindowForm initial={initial} window={undefined} />
    </>
  );
}

export function EditWindow({ id }: { id: number }) {
  const { t } = useTranslation();
  const query = useMaintenanceQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const back = t("maintenance.back");
  if (isMissing(id, query.error)) {
    return (
      <Missing icon={<PauseIcon />} title={t("maintenance.missing")} back={back} backTo={paths.maintenance}>
        {t("maintenance.missingText")}
      </Missing>
    );
  }
  // Waits for a refetch, so that the form does not start with cached values.
  const stored = query.error === undefined && !query.isFetching ? query.currentData : undefined;
  return (
    <>
      <BackLink to={paths.maintenance} label={back} />
      <Loaded query={{ ...query, data: stored }}>
        {(shown) => (
          <ManagedForm managed={shown.managed} kind="maintenance" fieldOf={documentField}>
            <WindowForm initial={toValues(shown)} window={shown} />
          </ManagedForm>
        )}
      </Loaded>
    </>
  );
}

const documentField = (name: string) => (name.startsWith("recurrence") ? "rrule" : name);

function WindowForm({ initial, window }: { initial: MaintenanceValues; window: Maintenance | undefined }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const [plan] = usePlanMaintenanceMutation();
  const [update] = useUpdateMaintenanceMutation();
  const isNew = window === undefined;
  const saveForm = useSaveForm<MaintenanceValues>({
    initial,
    check: checkValues,
    fieldOf: (path) => fields.find((field) => field === fieldOf(path)) ?? null,
    fallback: isNew ? "planMaintenance" : "saveMaintenance",
    onSave: async (values) => {
      const input = toInput(values, window);
      const { message } = await (isNew ? plan(input) : update({ id: window.id, input })).unwrap();
      const notice = message ?? t(isNew ? "maintenance.planned" : "maintenance.saved");
      return () => void navigate(paths.maintenance, { state: { notice }, replace: true });
    },
  });
  const { form } = saveForm;
  const targets = useController({ control: form.control, name: "targets" });
  const tags = useController({ control: form.control, name: "tags" });
  const title = isNew ? "newTitle" : mayChange ? "editTitle" : "viewTitle";
  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={saveForm.submit}>
        <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
          <FormMessages of={saveForm} draft="maintenance" />
          {mayChange && window?.status === "running" && <Alert kind="info">{t("maintenance.runsHint")}</Alert>}
          <Card title={t(`maintenance.${title}`)} gap="gap-4">
            <FormField<MaintenanceValues>
              name="name"
              label={t("maintenance.name")}
              hint={t("maintenance.nameHint")}
              input={{ autoFocus: isNew }}
              required
            />
            <Lockable name="targets">
              <Field
                label={t("maintenance.covers")}
                hint={t("maintenance.coversHint")}
                error={targets.fieldState.error?.message}
                required={tags.field.value.length === 0}
              >
                {(ids) => (
                  <TargetPicker
                    {...ids}
                    ref={targets.field.ref}
                    value={targets.field.value}
                    onChange={targets.field.onChange}
                    max={maxTargets}
                    disabled={!mayChange}
                  />
                )}
              </Field>
            </Lockable>
            <Lockable name="tags">
              <TagChoice
                label={t("maintenance.tags")}
                hint={t("maintenance.tagsHint")}
                error={tags.fieldState.error?.message}
                value={tags.field.value}
                onChange={(chosen) => {
                  tags.field.onChange(chosen);
                  if (form.formState.isSubmitted) void form.trigger("targets");
                }}
                max={maxTagsCovered}
                disabled={!mayChange}
              />
            </Lockable>
            <MarkdownField<MaintenanceValues>
              name="note"
              label={t("maintenance.note")}
              hint={t("maintenance.noteHint")}
              rows={4}
            />
            <Switch
              label={t("maintenance.fields.public")}
              hint={t("maintenance.publicHint")}
              {...form.register("public")}
            />
            <PagesField />
          </Card>
          <Card title={t("maintenance.when")} gap="gap-4">
            <ScheduleFields offersNow={window?.status !== "running"} />
            <Lockable name="recurrence">
              <RecurrenceFields />
            </Lockable>
          </Card>
          {mayChange && (
            <FormButtons
              of={saveForm}
              submit={t(isNew ? "maintenance.plan" : "common.saveChanges")}
              saving={t(isNew ? "maintenance.planning" : "common.saving")}
              onCancel={() => void navigate(paths.maintenance)}
            />
          )}
        </fieldset>
        <UnsavedGuard unsaved={saveForm.unsaved} />
      </form>
    </FormProvider>
  );
}

function ScheduleFields({ offersNow }: { offersNow: boolean }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const isLocked = [useLock("start"), useLock("end")].some((reason) => reason !== undefined);
  const { setValue, formState } = useFormContext<MaintenanceValues>();
  const [start, end, timeZone] = useWatch<MaintenanceValues, ["start", "end", "timeZone"]>({
    name: ["start", "end", "timeZone"],
  });
  const options = { shouldDirty: true, shouldValidate: formState.isSubmitted };
  const isEndChosen = useRef(false);
  const lastStart = useRef(start);
  /** Until the user chooses an end, it moves with the start. */
  function moveEnd(nextStart: string) {
    const [fromMs, toMs, endMs] = [lastStart.current, nextStart, end].map((wall) => Date.parse(`${wall}Z`));
    if (isEndChosen.current || Number.isNaN(fromMs! + toMs! + endMs!)) return;
    lastStart.current = nextStart;
    setValue("end", new Date(endMs! + toMs! - fromMs!).toISOString().slice(0, 16), options);
  }
  function startNow() {
    const nowMs = Date.now();
    lastStart.current = wallTime(nowMs, timeZone);
    setValue("start", lastStart.current, options);
    setValue("end", wallTime(nowMs + hourMs, timeZone), options);
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-[13rem_13rem_minmax(0,1fr)]">
        {(["start", "end"] as const).map((name) => (
          <FormField<MaintenanceValues> key={name} name={name} label={t(`maintenance.fields.${name}`)} required>
            {(props) => (
              <Input
                {...props}
                type="datetime-local"
                onChange={(event) => {
                  if (name === "start") moveEnd(event.target.value);
                  else isEndChosen.current = true;
                  return props.onChange(event);
                }}
              />
            )}
          </FormField>
        ))}
        <TimeZoneField<MaintenanceValues>
          name="timeZone"
          label={t("maintenance.fields.timeZone")}
          hint={t("maintenance.timeZoneHint")}
          className="sm:col-span-2 lg:col-span-1"
        />
      </div>
      <p className="text-[13px] text-muted empty:hidden" aria-live="polite">
        {timeZone !== ownTimeZone() && <InOwnTime start={start} end={end} timeZone={timeZone} />}
      </p>
      {offersNow && mayChange && !isLocked && (
        <Button size="sm" className="self-start" onClick={startNow}>
          <PlayIcon />
          {t("maintenance.now")}
        </Button>
      )}
    </div>
  );
}

function InOwnTime({ start, end, timeZone }: { start: string; end: string; timeZone: string }) {
  const [fromMs, toMs] = [instantOf(start, timeZone), instantOf(end, timeZone)];
  if (fromMs === null || toMs === null || toMs <= fromMs) return null;
  return <When start={new Date(fromMs).toISOString()} end={new Date(toMs).toISOString()} timeZone={timeZone} />;
}

/** A period in its time zone, and in the user's if that differs. */
export function When({ start, end, timeZone }: { start: string; end: string; timeZone: string }) {
  const { t, i18n } = useTranslation();
  const there = rangeText(start, end, timeZone, i18n.language);
  const here = rangeText(start, end, ownTimeZone(), i18n.language);
  return (
    <span className="tnum flex flex-wrap gap-x-3">
      <span>
        {there} ({timeZone})
      </span>
      {here !== there && (
        <span className="text-faint">
          {t("maintenance.yourTime")}: {here}
        </span>
      )}
    </span>
  );
}

function rangeText(start: string, end: string, timeZone: string, language: string): string {
  const style = cached(
    `range ${language} ${timeZone}`,
    () => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone }),
  );
  return style.formatRange(new Date(start), new Date(end));
}
