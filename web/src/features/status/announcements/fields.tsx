import {
  type Announcement,
  type AnnouncementInput,
  announcementInput,
  announcementPatch,
  announcementUpdateInput,
} from "@sonde/proto/http/status/announcements";
import { type Impact, impacts, type UpdateState, updateStates } from "@sonde/proto/http/status/states";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useController, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { usePageContentsQuery } from "../../../entities/announcements/api.ts";
import { idsOf, targetFieldOf, targetsOf } from "../../../entities/targets/api.ts";
import { TargetPicker } from "../../../entities/targets/target-picker.tsx";
import { schemaErrors, type FormError } from "../../../lib/form-errors.ts";
import { Field } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { type OnPages, PagesField } from "../../../entities/pages/pages-field.tsx";

export type DetailValues = OnPages & { title: string; impact: Impact; targets: TargetRef[] };
export type UpdateValues = { state: UpdateState; text: string };
export type NewValues = DetailValues & UpdateValues;

const maxTargets = 500;

export const toDetails = ({ title, impact, pages, ...ids }: Announcement): DetailValues => ({
  title,
  impact,
  ...(pages !== undefined && { pages }),
  targets: targetsOf(ids),
});

export const detailsInput = ({ title, impact, targets, pages }: DetailValues) => ({
  title: title.trim(),
  impact,
  ...(pages !== undefined && { pages }),
  ...idsOf(targets),
});

export const newInput = ({ state, text, ...details }: NewValues, incidentId: string | null): AnnouncementInput => ({
  ...detailsInput(details),
  ...(incidentId === null ? {} : { incidentId }),
  state,
  text,
});

const atField = <Item extends { path: string }>(error: Item) => ({ ...error, path: targetFieldOf(error.path) });

export const checkDetails = (values: DetailValues): FormError[] =>
  schemaErrors(announcementPatch, detailsInput(values)).map(atField);
export const checkUpdate = (values: UpdateValues): FormError[] => schemaErrors(announcementUpdateInput, values);
export const checkNew = (values: NewValues): FormError[] => [
  ...schemaErrors(announcementInput, newInput(values, null)).map(atField),
  // A new announcement needs a first update.
  ...checkUpdate({ state: values.state, text: values.text }),
];
export const checkPostMortem = ({ postMortem }: { postMortem: string }): FormError[] =>
  schemaErrors(announcementPatch, { postMortem });

export function DetailFields({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const { control, watch } = useFormContext<DetailValues>();
  const { field, fieldState } = useController({ control, name: "targets" });
  const { data: page } = usePageContentsQuery(undefined, { refetchOnMountOrArgChange: true });
  const hidden = page === undefined ? 0 : field.value.filter(({ type, id }) => !page[`${type}s`].includes(id)).length;
  return (
    <>
      <FormField<DetailValues>
        name="title"
        label={t("announcements.fields.title")}
        hint={t("announcements.titleHint")}
        input={{ autoFocus }}
        required
      />
      <FormField<DetailValues>
        name="impact"
        label={t("announcements.fields.impact")}
        hint={t(`announcements.impactHints.${watch("impact")}`)}
        selectClass="w-full sm:w-64"
        options={impacts.map((value) => ({ value, label: t(`announcements.impacts.${value}`) }))}
      />
      <div className="flex flex-col gap-1.5">
        <Field
          label={t("announcements.affected")}
          hint={t("announcements.affectedHint")}
          error={fieldState.error?.message}
        >
          {(ids) => (
            <TargetPicker {...ids} ref={field.ref} value={field.value} onChange={field.onChange} max={maxTargets} />
          )}
        </Field>
        <p role="status" className="text-[13px] text-warn-ink empty:hidden">
          {hidden > 0 && t("announcements.notShown", { count: hidden })}
        </p>
      </div>
      <PagesField />
    </>
  );
}

export function StateField({ hint }: { hint?: string | undefined }) {
  const { t } = useTranslation();
  return (
    <FormField<UpdateValues>
      name="state"
      label={t("announcements.fields.state")}
      hint={hint}
      selectClass="w-full sm:w-64"
      options={updateStates.map((value) => ({ value, label: t(`announcements.states.${value}`) }))}
    />
  );
}
