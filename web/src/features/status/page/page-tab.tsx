import { type ReactNode, useId, useState } from "react";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { FormDraft, useSaveForm } from "../../../app/forms/save-form.tsx";
import { ManagedForm } from "../../../entities/managed/managed-form.tsx";
import { Loaded } from "../../../app/screen.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { useMedia } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { cx } from "../../../ui/cx.ts";
import { ExternalIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { choiceParam } from "../../../lists/params.ts";
import { useChosenPage } from "../pages/api.ts";
import { type StatusConfigAnswer, useSaveStatusConfigMutation, useStatusConfigQuery } from "./api.ts";
import { changedFields, checkValues, type PageValues, pathOf, readInput, toValues } from "./form-values.ts";
import { GroupFields } from "./group-fields.tsx";
import { LogoCard, SettingsCard, SubscriptionFields, ThemeFields } from "./page-fields.tsx";
import { Preview } from "./preview.tsx";
import { ShareCard } from "./share-card.tsx";
import { TargetFields } from "./target-fields.tsx";

export default function PageTab() {
  const slug = useChosenPage();
  const query = useStatusConfigQuery(slug);
  return (
    <Loaded query={{ ...query, data: query.currentData }} placeholder={<Skeleton className="h-[40rem] w-full" />}>
      {(stored) => (
        <div className="flex flex-col gap-4">
          <PublicAddress publicUrl={stored.publicUrl} />
          <ManagedForm managed={stored.managed} kind="page" fieldOf={documentField}>
            <PageForm key={slug} slug={slug} stored={stored} />
          </ManagedForm>
        </div>
      )}
    </Loaded>
  );
}

const documentField = (name: string) => name.split(".")[0] ?? name;

/** Absolute URL of the page. Without `PUBLIC_URL` it uses this browser's origin. */
const wholeAddress = (publicUrl: string) => new URL(publicUrl, window.location.origin).href;

function PublicAddress({ publicUrl }: { publicUrl: string }) {
  const { t } = useTranslation();
  const address = wholeAddress(publicUrl);
  return (
    <section
      aria-labelledby="public-address"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-surface px-4 py-3 md:px-5"
    >
      <h2 id="public-address" className="w-full text-[13px] font-medium text-muted sm:w-auto">
        {t("statusPage.address.title")}
      </h2>
      <code className="min-w-0 flex-1 basis-48 font-mono text-[13px] break-all">{address}</code>
      <span className="flex items-center gap-1">
        <CopyButton text={address} label={t("statusPage.address.copy")} />
        <a href={publicUrl} target="_blank" rel="noopener" className={buttonClass("ghost", "sm")}>
          <ExternalIcon />
          {t("statusPage.address.open")}
        </a>
      </span>
      {publicUrl.startsWith("/") && (
        <p className="w-full text-[13px] text-muted">{t("statusPage.address.noPublicUrl")}</p>
      )}
    </section>
  );
}

const sections = ["general", "services", "appearance", "sharing"] as const;
type Section = (typeof sections)[number];

/** The chosen section is in the address. Replacing it does not leave the form. */
function useSection() {
  const [params, setParams] = useSearchParams();
  const choose = (section: string) => {
    const others = [...params].filter(([name]) => name !== "section");
    const own = section === sections[0] ? [] : [["section", section] as [string, string]];
    setParams([...others, ...own], { replace: true, flushSync: true });
  };
  return [choiceParam(sections)(params.get("section")), choose] as const;
}

/** From this width, the preview is next to the form. Otherwise the user switches between them. */
const besideQuery = "(width >= 80rem)";

function PageForm({ slug, stored }: { slug: string; stored: StatusConfigAnswer }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const [save] = useSaveStatusConfigMutation();
  const [view, setView] = useState<"settings" | "preview">("settings");
  const [section, setSection] = useSection();
  const isBeside = useMedia(besideQuery);
  const formId = useId();
  const saveForm = useSaveForm<PageValues>({
    initial: toValues(stored.config),
    check: checkValues,
    fieldOf: pathOf,
    fallback: "saveStatusConfig",
    onSave: async (values) => {
      const answer = await save({ slug, input: changedFields(stored.config, readInput(values)) }).unwrap();
      form.reset(toValues(answer.config));
      return answer.message ?? t("statusPage.saved");
    },
    onErrors: (_paths, placed) => placed > 0 && showFirstError(),
    invalidText: () => i18n.t("statusPage.fixErrors"),
    onInvalid: showFirstError,
  });
  const { form, setError, isDirty } = saveForm;

  /** Errors in lists have no field of their own, so this finds the first invalid element. */
  function showFirstError() {
    setView("settings");
    requestAnimationFrame(() => {
      const invalid = document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid]");
      const ofInvalid = invalid?.closest<HTMLElement>("[data-section]")?.dataset["section"];
      if (ofInvalid !== undefined) setSection(ofInvalid);
      invalid?.focus();
    });
  }

  const showsPreview = mayChange && (isBeside || view === "preview");
  return (
    <FormProvider {...form}>
      <div className="-m-0.5 mb-3.5 flex flex-wrap gap-2 overflow-x-auto p-0.5 *:shrink-0">
        {mayChange && !isBeside && (
          <Segmented
            label={t("statusPage.view")}
            value={view}
            onChange={setView}
            options={[
              { value: "settings", label: t("statusPage.settings") },
              { value: "preview", label: t("statusPage.preview.title") },
            ]}
          />
        )}
        {(isBeside || view === "settings") && (
          <Segmented
            label={t("statusPage.sections.label")}
            value={section}
            onChange={setSection}
            options={sections.map((value) => ({ value, label: t(`statusPage.sections.${value}`) }))}
          />
        )}
      </div>
      <div
        className={cx(
          "grid grid-cols-[minmax(0,1fr)] items-start gap-4",
          mayChange && "xl:grid-cols-[minmax(0,1fr)_30rem]",
        )}
      >
        <form id={formId} noValidate aria-label={t("statusPage.form")} onSubmit={saveForm.submit}>
          <FormDraft name="page" form={form} unsaved={isDirty} />
          {/* Hidden but rendered, so that typed values stay. */}
          <fieldset
            disabled={!mayChange}
            className={cx("flex min-w-0 flex-col gap-4", !isBeside && showsPreview && "hidden")}
          >
            <Part of="general" shown={section}>
              <SettingsCard card="general" />
              <SubscriptionFields />
            </Part>
            <Part of="services" shown={section}>
              <TargetFields type="monitor" />
              <TargetFields type="agent" />
              <GroupFields />
            </Part>
            <Part of="appearance" shown={section}>
              <LogoCard />
              <SettingsCard card="appearance" above={<ThemeFields />} />
            </Part>
            <Part of="sharing" shown={section}>
              <SettingsCard card="visibility" />
            </Part>
          </fieldset>
          {mayChange && (
            <SaveBar
              {...saveForm}
              onDiscard={() => {
                setError(null);
                form.reset(toValues(stored.config));
              }}
            />
          )}
        </form>
        {showsPreview && (
          <div className={isBeside ? "sticky top-20" : "order-first"}>
            {/* Viewers may not send the POST of the preview. */}
            <Preview slug={slug} initialWidth={isBeside ? "desktop" : "phone"} />
          </div>
        )}
      </div>
      {section === "sharing" && (isBeside || view === "settings") && (
        <ShareCard slug={slug} config={stored.config} page={wholeAddress(stored.publicUrl)} />
      )}
      <UnsavedGuard unsaved={isDirty} />
    </FormProvider>
  );
}

function Part({ of, shown, children }: { of: Section; shown: Section; children: ReactNode }) {
  return (
    <div data-section={of} className={cx("flex flex-col gap-4", of !== shown && "hidden")}>
      {children}
    </div>
  );
}

type SaveBarProps = Pick<ReturnType<typeof useSaveForm>, "error" | "saved" | "isDirty" | "isSaving"> & {
  onDiscard: () => void;
};

function SaveBar({ error, saved, isDirty, isSaving, onDiscard }: SaveBarProps) {
  const { t } = useTranslation();
  return (
    <div className="sticky bottom-0 z-20 -mx-4 flex flex-col gap-2 border-t border-line bg-ground/95 px-4 py-3 backdrop-blur-md md:mx-0 md:px-0">
      {error !== null && <Alert kind="error">{error}</Alert>}
      {saved !== null && !isDirty && <Alert kind="success">{saved}</Alert>}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-[13px] text-muted">{isDirty ? t("statusPage.unsaved") : t("statusPage.allSaved")}</p>
        {isDirty && (
          <Button variant="ghost" disabled={isSaving} onClick={onDiscard}>
            {t("statusPage.discard")}
          </Button>
        )}
        <Button type="submit" variant="primary" disabled={!isDirty} saving={isSaving} savingLabel={t("common.saving")}>
          {t("statusPage.save")}
        </Button>
      </div>
    </div>
  );
}
