import {
  maxReportTargets,
  type ReportDefinition,
  type ReportInput,
  reportInput,
  type ReportPatch,
  reportPeriods,
} from "@sonde/proto/http/reports";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { FormButtons, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { TimeZoneField } from "../../app/forms/time-zone-field.tsx";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { currentLanguage, languageNames, languages } from "../../app/i18n.ts";
import { paths } from "../../app/paths.ts";
import { useChannelsInForceQuery } from "../../entities/notifications/api.ts";
import { useStatusPagesQuery } from "../../entities/pages/api.ts";
import { ScopeFields, type ScopeValues } from "../../entities/targets/target-scope.tsx";
import { type FormError, schemaErrors } from "../../lib/form-errors.ts";
import { ownTimeZone } from "../../lib/format.ts";
import { ObjectForm, storedOptions, useObjectId } from "../../lists/object-pages.tsx";
import { Card } from "../../ui/card.tsx";
import { FormField, TextField } from "../../ui/form-field.tsx";
import { pages, useCreateReportMutation, useReportQuery, useUpdateReportMutation } from "./api.tsx";

/** `recipients` has one address a line. `pageId` (a slug) and `channelId` are empty for none. */
type ReportValues = ScopeValues &
  Pick<ReportDefinition, "name" | "every" | "timeZone" | "language"> & {
    pageId: string;
    recipients: string;
    channelId: string;
  };

const toValues = (report?: ReportDefinition): ReportValues => ({
  name: report?.name ?? "",
  by: report?.tag !== undefined ? "tag" : report?.pageId !== undefined ? "page" : "targets",
  targets: report?.targets?.map(({ type, id }) => ({ type, id })) ?? [],
  tag: report?.tag ?? "",
  pageId: report?.pageId ?? "",
  every: report?.every ?? "month",
  timeZone: report?.timeZone ?? ownTimeZone(),
  language: report?.language ?? currentLanguage(),
  recipients: report?.recipients.map(({ address }) => address).join("\n") ?? "",
  channelId: String(report?.channelId ?? ""),
});

function toInput({ by, targets, tag, pageId, recipients, channelId, ...values }: ReportValues): ReportInput {
  return {
    ...values,
    name: values.name.trim(),
    targets: by === "targets" && targets.length > 0 ? targets : undefined,
    tag: by === "tag" && tag !== "" ? tag : undefined,
    pageId: by === "page" && pageId !== "" ? pageId : undefined,
    recipients: recipients.split(/[\s,;，；]+/).filter((address) => address !== ""),
    channelId: channelId === "" ? undefined : Number(channelId),
  };
}

/** `null` removes a field. */
const toPatch = (input: ReportInput): ReportPatch => ({
  ...input,
  targets: input.targets ?? null,
  tag: input.tag ?? null,
  pageId: input.pageId ?? null,
  channelId: input.channelId ?? null,
});

function fieldOf(path: string, { by }: ReportValues): string {
  const [field = ""] = path.split(".");
  return field === "targets" && by === "page" ? "pageId" : field;
}

function checkValues(values: ReportValues): FormError[] {
  const input = toInput(values);
  // The schema looks at these together only once all else is valid.
  const isMissing = [input.targets, input.tag, input.pageId].every((scope) => scope === undefined);
  const message = "Choose monitors and agents, a tag, or a status page";
  return [...(isMissing ? [{ path: "targets", message } as const] : []), ...schemaErrors(reportInput, input)].map(
    (error) => ({ ...error, path: fieldOf(error.path, values) }),
  );
}

/** A new report, or the one in the address. */
export default function FormScreen() {
  const id = useObjectId();
  const { currentData, ...query } = useReportQuery(id, storedOptions(id));
  return (
    <ObjectForm noun="reports" pages={pages} query={{ ...query, data: currentData?.report }}>
      {(report) => <ReportForm report={report} />}
    </ObjectForm>
  );
}

function ReportForm({ report }: { report?: ReportDefinition | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreateReportMutation();
  const [update] = useUpdateReportMutation();
  const saveForm = useSaveForm<ReportValues>({
    initial: toValues(report),
    check: checkValues,
    fieldOf,
    fallback: "save",
    onSave: async (values) => {
      const input = toInput(values);
      const saving = report === undefined ? create(input) : update({ id: report.id, input: toPatch(input) });
      const { report: saved, message } = await saving.unwrap();
      return () => void navigate(paths.report(saved.id), { state: { notice: message }, replace: true });
    },
  });
  return (
    <SaveForm of={saveForm} draft="report">
      <Card gap="gap-4">
        <TextField<ReportValues>
          name="name"
          label={t("reports.fields.name")}
          autoFocus={report === undefined}
          required
        />
        <ScopeFields max={maxReportTargets} hint={t("reports.targetsHint")} page={<PageChoice />} />
      </Card>
      <Card gap="gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <FormField<ReportValues>
            name="every"
            label={t("reports.fields.every")}
            options={reportPeriods.map((value) => ({ value, label: t(`reports.everies.${value}`) }))}
          />
          <TimeZoneField<ReportValues>
            name="timeZone"
            label={t("reports.fields.timeZone")}
            hint={t("reports.timeZoneHint")}
          />
          <FormField<ReportValues>
            name="language"
            label={t("reports.fields.language")}
            options={languages.map((value) => ({ value, label: languageNames[value], lang: value }))}
          />
        </div>
      </Card>
      <Card gap="gap-4">
        <TextField<ReportValues>
          name="recipients"
          label={t("reports.fields.recipients")}
          hint={t("reports.recipientsHint")}
          rows={4}
        />
        <ChannelChoice />
      </Card>
      <FormButtons
        of={saveForm}
        submit={t(report === undefined ? "reports.add" : "common.saveChanges")}
        onCancel={() => void navigate(report === undefined ? paths.reports : paths.report(report.id))}
      />
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </SaveForm>
  );
}

/** A select needs its options when it is rendered, or it loses its value. */
function PageChoice() {
  const { t } = useTranslation();
  const { data } = useStatusPagesQuery();
  const options = (data ?? []).map((page) => ({ value: page.slug, label: page.title }));
  return (
    data && (
      <FormField<ReportValues>
        name="pageId"
        label={t("scope.page")}
        options={[{ value: "", label: t("reports.choosePage") }, ...options]}
        required
      />
    )
  );
}

function ChannelChoice() {
  const { t } = useTranslation();
  const { data } = useChannelsInForceQuery();
  const isChosen = useWatch<ReportValues, "channelId">({ name: "channelId" }) !== "";
  if (data === undefined || (data.length === 0 && !isChosen)) return null;
  return (
    <FormField<ReportValues>
      name="channelId"
      label={t("reports.fields.channelId")}
      hint={t("reports.channelHint")}
      options={[
        { value: "", label: t("reports.noChannel") },
        ...data.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  );
}
