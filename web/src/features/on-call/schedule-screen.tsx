import type { NamedUser, OnCallSchedule } from "@sonde/proto/http/on-call/schedules";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router-dom";
import { OrderedFields } from "../../app/forms/ordered-fields.tsx";
import { FormButtons, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { TimeZoneField } from "../../app/forms/time-zone-field.tsx";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { paths } from "../../app/paths.ts";
import { BackLink, isId, isMissing, Loaded, Missing } from "../../app/screen.tsx";
import { ManagedForm } from "../../entities/managed/managed-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Lockable } from "../../ui/field.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { OnCallIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useAddScheduleMutation, usePeopleQuery, useOnCallScheduleQuery, useUpdateScheduleMutation } from "./api.ts";
import { checkValues, fieldOf, newLayer, newValues, type OnCallValues, toInput, toValues } from "./form-values.ts";
import { LayerFields } from "./layer-fields.tsx";
import { Preview } from "./preview.tsx";

const maxLayers = 10;

/** A new schedule, or the one in the address. */
export default function ScheduleScreen() {
  const { t } = useTranslation();
  const { id } = useParams();
  const [initial] = useState(newValues);
  const people = usePeopleQuery(undefined, { refetchOnMountOrArgChange: true });
  const isNew = id === undefined;
  return (
    <>
      <BackLink to={paths.onCall} label={t("nav.onCall")} />
      <PageHeader title={t(isNew ? "onCall.add" : "onCall.edit")} />
      <Loaded query={people}>
        {({ people: active }) =>
          isNew ? <ScheduleForm initial={initial} people={active} /> : <Edit id={Number(id)} people={active} />
        }
      </Loaded>
    </>
  );
}

function Edit({ id, people }: { id: number; people: readonly NamedUser[] }) {
  const { t } = useTranslation();
  const query = useOnCallScheduleQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  if (isMissing(id, query.error)) {
    return (
      <Missing icon={<OnCallIcon />} title={t("onCall.missing")} back={t("nav.onCall")} backTo={paths.onCall}>
        {t("onCall.missingText")}
      </Missing>
    );
  }
  // Waits for a refetch, so that the form does not start with cached values.
  const stored = query.error === undefined && !query.isFetching ? query.currentData : undefined;
  return (
    <Loaded query={{ ...query, data: stored }}>
      {({ schedule, people: named }) => (
        <ManagedForm managed={schedule.managed} kind="schedule" fieldOf={(name) => name.split(".")[0] ?? name}>
          <ScheduleForm
            initial={toValues(schedule)}
            schedule={schedule}
            people={[...people, ...named.filter((one) => !people.some((other) => other.id === one.id))]}
          />
        </ManagedForm>
      )}
    </Loaded>
  );
}

type FormProps = { initial: OnCallValues; schedule?: OnCallSchedule; people: readonly NamedUser[] };

function ScheduleForm({ initial, schedule, people }: FormProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [add] = useAddScheduleMutation();
  const [update] = useUpdateScheduleMutation();
  const saveForm = useSaveForm<OnCallValues>({
    initial,
    check: checkValues,
    fieldOf,
    fallback: "saveSchedule",
    onSave: async (values) => {
      const input = toInput(values);
      const saved = await (schedule === undefined ? add(input) : update({ id: schedule.id, input })).unwrap();
      const to = `${paths.onCall}?schedule=${saved.schedule.id}`;
      return () => void navigate(to, { state: { notice: saved.message }, replace: true });
    },
  });
  const { form } = saveForm;
  return (
    <SaveForm of={saveForm} draft="onCall">
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card gap="gap-4">
            <div className="grid gap-4 sm:grid-cols-2">
              <FormField<OnCallValues>
                name="name"
                label={t("onCall.fields.name")}
                hint={t("onCall.nameHint")}
                input={{ autoFocus: schedule === undefined, maxLength: 100 }}
                required
              />
              <TimeZoneField<OnCallValues>
                name="timeZone"
                label={t("onCall.fields.timeZone")}
                hint={t("onCall.timeZoneHint")}
              />
            </div>
          </Card>
          <Card title={t("onCall.fields.layers")} gap="gap-4">
            <p className="text-muted">{t("onCall.layersText")}</p>
            <Lockable name="layers" className="flex flex-col gap-3">
              <OrderedFields
                name="layers"
                label={t("onCall.fields.layers")}
                min={1}
                max={maxLayers}
                added={() => newLayer(form.getValues("timeZone"))}
                wordOf={(what, number) => t(`onCall.layer.${what}`, { number })}
              >
                {(index) => <LayerFields index={index} people={people} />}
              </OrderedFields>
            </Lockable>
          </Card>
        </div>
        <Preview people={people} />
      </div>
      <FormButtons
        of={saveForm}
        submit={t(schedule === undefined ? "onCall.create" : "common.saveChanges")}
        saving={t("common.saving")}
        onCancel={() => void navigate(paths.onCall)}
      />
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </SaveForm>
  );
}
