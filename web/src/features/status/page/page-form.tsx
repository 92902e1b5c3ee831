import { useId, useState } from "react";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormDraft, useSaveForm } from "../../../app/save-form.tsx";
import { useSession } from "../../../app/hooks.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { cx } from "../../../ui/cx.ts";
import { Segmented } from "../../../ui/choice.tsx";
import { UnsavedGuard } from "../../../app/unsaved-guard.tsx";
import { type StatusConfigAnswer, useSaveStatusConfigMutation } from "./api.ts";
import { AppearanceFields } from "./appearance-fields.tsx";
import { changedFields, checkValues, type PageValues, pathOf, readInput, toValues } from "./form-values.ts";
import { GeneralFields } from "./general-fields.tsx";
import { GroupFields } from "./group-fields.tsx";
import { Preview } from "./preview.tsx";
import { SaveBar } from "./save-bar.tsx";
import { ShareCard } from "./share-card.tsx";
import { SubscriptionFields } from "./subscription-fields.tsx";
import { TargetFields } from "./target-fields.tsx";
import { VisibilityFields } from "./visibility-fields.tsx";

/** From this width on the preview stands beside the form; below it, the two take turns. */
const besideQuery = "(width >= 80rem)";

/** What the page shows and how it looks, with a preview that follows. Nothing that was typed is lost by a failure. */
export function PageForm({ stored }: { stored: StatusConfigAnswer }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const [save] = useSaveStatusConfigMutation();
  const [view, setView] = useState<"settings" | "preview">("settings");
  const isBeside = useMedia(besideQuery);
  const formId = useId();
  const saveForm = useSaveForm<PageValues>({
    initial: toValues(stored.config),
    check: checkValues,
    fieldOf: pathOf,
    focusFaults: false,
    fallback: "saveStatusConfig",
    onSave: async (values) => {
      const answer = await save(changedFields(stored.config, readInput(values))).unwrap();
      form.reset(toValues(answer.config));
      return answer.message ?? t("statusPage.saved");
    },
    onFaults: (_paths, placed) => placed > 0 && showFirstFault(),
    invalidText: () => i18n.t("statusPage.fixErrors"),
    onInvalid: showFirstFault,
  });
  const { form, error, setError, saved, isDirty, isSaving } = saveForm;

  /** Lines of lists are no fields of their own: the form finds the first that is wrong. */
  function showFirstFault() {
    setView("settings");
    requestAnimationFrame(() => document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
  }

  const showsPreview = mayChange && (isBeside || view === "preview");
  return (
    <FormProvider {...form}>
      {mayChange && !isBeside && (
        <div>
          <Segmented
            label={t("statusPage.view")}
            value={view}
            onChange={setView}
            options={[
              { value: "settings", label: t("statusPage.settings") },
              { value: "preview", label: t("statusPage.preview.title") },
            ]}
          />
        </div>
      )}
      <div
        className={cx(
          "grid grid-cols-[minmax(0,1fr)] items-start gap-4",
          mayChange && "xl:grid-cols-[minmax(0,1fr)_30rem]",
        )}
      >
        <form id={formId} noValidate aria-label={t("statusPage.form")} onSubmit={saveForm.submit}>
          <FormDraft name="page" form={form} unsaved={isDirty} />
          {/* Hidden rather than taken away: what was typed stays. */}
          <fieldset
            disabled={!mayChange}
            className={cx("flex min-w-0 flex-col gap-4", !isBeside && showsPreview && "hidden")}
          >
            <GeneralFields />
            <TargetFields kind="monitors" />
            <TargetFields kind="agents" />
            <GroupFields />
            <AppearanceFields />
            <VisibilityFields />
            <SubscriptionFields />
          </fieldset>
          {mayChange && (
            <SaveBar
              error={error}
              saved={saved}
              isDirty={isDirty}
              isSaving={isSaving}
              onDiscard={() => {
                setError(null);
                form.reset(toValues(stored.config));
              }}
            />
          )}
        </form>
        {showsPreview && (
          <div className={isBeside ? "sticky top-20" : "order-first"}>
            {/* A preview is a POST, which those who may only read may not send. */}
            <Preview initialWidth={isBeside ? "desktop" : "phone"} />
          </div>
        )}
      </div>
      <ShareCard config={stored.config} publicUrl={stored.publicUrl} />
      <UnsavedGuard unsaved={isDirty} />
    </FormProvider>
  );
}
