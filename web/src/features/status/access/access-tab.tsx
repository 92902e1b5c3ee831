import { type AccessMode, accessModes } from "@sonde/proto/http/status/access";
import type { StatusPage } from "@sonde/proto/http/status/pages";
import { useState } from "react";
import { useController, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { useSession } from "../../../app/hooks.ts";
import { Loaded } from "../../../app/screen.tsx";
import { ActionDialog } from "../../../lists/delete-dialog.tsx";
import { toast } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ChoiceCards } from "../../../ui/choice.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { GlobeIcon, LockIcon, MailIcon, TrashIcon, UsersIcon } from "../../../ui/icons.tsx";
import { PasswordInput } from "../../../ui/inputs.tsx";
import { defaultPage, settingsPath, useDeletePageMutation, useSavePageMutation } from "../pages/api.ts";
import { useChosenPage, useStatusPageQuery } from "../pages/api.ts";
import { type AccessValues, checkValues, fieldOf, toInput, toValues } from "./form-values.ts";
import { DnsRecords } from "./dns-records.tsx";
import { HostChecks } from "./host-checks.tsx";
import { LinksCard } from "./links-card.tsx";

const icons: Record<AccessMode, typeof GlobeIcon> = {
  public: GlobeIcon,
  password: LockIcon,
  members: UsersIcon,
  mail: MailIcon,
};

export default function AccessTab() {
  const slug = useChosenPage();
  const query = useStatusPageQuery(slug, { refetchOnMountOrArgChange: true });
  return (
    <Loaded query={{ ...query, data: query.currentData }}>
      {(page) => (
        <div className="flex max-w-3xl flex-col gap-4">
          <AccessForm key={page.slug} page={page} />
          <LinksCard page={page} />
          <DeletePage page={page} />
        </div>
      )}
    </Loaded>
  );
}

function AccessForm({ page }: { page: StatusPage }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [save] = useSavePageMutation();
  const saveForm = useSaveForm<AccessValues>({
    initial: toValues(page),
    check: checkValues,
    fieldOf,
    fallback: "saveStatusConfig",
    onSave: async (values) => {
      const answer = await save({ slug: page.slug, input: toInput(values) }).unwrap();
      saveForm.form.reset(toValues(answer.page));
      return answer.message ?? t("statusPage.saved");
    },
  });
  return (
    <SaveForm of={saveForm}>
      <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
        <WhoCard hasPassword={page.access.hasPassword} disabled={!mayChange} />
        <Card title={t("statusPage.fields.hosts.label")} gap="gap-4">
          <TextField<AccessValues>
            name="hosts"
            label={t("statusPage.access.hostNames")}
            hint={t("statusPage.access.hostsHint")}
            placeholder="status.example.com"
            rows={2}
            mono
          />
          <DnsRecords />
          {mayChange && page.hosts.length > 0 && <HostChecks hosts={page.hosts} />}
        </Card>
        {mayChange && (
          <div className="flex justify-end">
            <Button
              type="submit"
              variant="primary"
              saving={saveForm.isSaving}
              savingLabel={t("common.saving")}
              disabled={!saveForm.isDirty}
            >
              {t("statusPage.save")}
            </Button>
          </div>
        )}
      </fieldset>
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </SaveForm>
  );
}

function WhoCard({ hasPassword, disabled }: { hasPassword: boolean; disabled: boolean }) {
  const { t } = useTranslation();
  const { field } = useController<AccessValues, "mode">({ name: "mode" });
  const mode = useWatch<AccessValues, "mode">({ name: "mode" });
  return (
    <Card title={t("statusPage.fields.access.label")} gap="gap-4">
      <ChoiceCards
        label={t("statusPage.access.who")}
        value={field.value}
        onChange={field.onChange}
        disabled={disabled}
        options={accessModes.map((value) => {
          const Icon = icons[value];
          const words = {
            name: t(`statusPage.access.modes.${value}.name`),
            hint: t(`statusPage.access.modes.${value}.hint`),
          };
          return { value, icon: <Icon className="size-4" />, ...words };
        })}
      />
      {mode === "password" && (
        <FormField<AccessValues>
          name="password"
          label={t("statusPage.access.password")}
          hint={t(hasPassword ? "statusPage.access.passwordKept" : "statusPage.access.passwordHint")}
          required={!hasPassword}
        >
          {(control) => <PasswordInput {...control} autoComplete="new-password" />}
        </FormField>
      )}
      {mode === "mail" && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField<AccessValues>
            name="domains"
            label={t("statusPage.access.domains")}
            hint={t("statusPage.access.domainsHint")}
            placeholder="example.com"
            rows={3}
            mono
          />
          <TextField<AccessValues>
            name="addresses"
            label={t("statusPage.access.addresses")}
            hint={t("statusPage.access.addressesHint")}
            rows={3}
            mono
          />
        </div>
      )}
      <TextField<AccessValues>
        name="allowFrom"
        label={t("common.optional", { label: t("statusPage.access.allowFrom") })}
        hint={t("statusPage.access.allowFromHint")}
        placeholder="192.0.2.0/24"
        rows={2}
        mono
      />
    </Card>
  );
}

function DeletePage({ page: { slug, title } }: { page: StatusPage }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { mayChange } = useSession();
  const [remove] = useDeletePageMutation();
  const [toDelete, setToDelete] = useState<string | null>(null);
  if (slug === defaultPage || !mayChange) return null;
  return (
    <Card title={t("statusPage.pages.remove")} gap="gap-4">
      <p className="text-muted">{t("statusPage.pages.removeHint")}</p>
      <Button variant="danger" className="self-start" onClick={() => setToDelete(slug)}>
        <TrashIcon />
        {t("statusPage.pages.remove")}
      </Button>
      <ActionDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDone={(message) => {
          toast("success", message ?? t("statusPage.pages.removed"));
          void navigate(settingsPath(defaultPage), { replace: true });
        }}
        title={t("statusPage.pages.removeTitle")}
        text={t("statusPage.pages.removeText", { name: title })}
        action={t("statusPage.pages.remove")}
        act={(target) => remove(target)}
        fallback="deletePage"
      />
    </Card>
  );
}
