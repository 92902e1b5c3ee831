import { createKeyInput, maxKeyDays, type KeyScope, scopes } from "@sonde/proto/http/keys";
import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { FormButtons, ownField, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { FieldError } from "../../../ui/field.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { Checkbox } from "../../../ui/inputs.tsx";
import { useCreateKeyMutation } from "./api.ts";

type KeyValues = { name: string; scopes: KeyScope[]; expires: string; allowFrom: string };
const empty: KeyValues = { name: "", scopes: ["read"], expires: "90", allowFrom: "" };
const never = "never";
const dayMs = 86_400_000;

function readInput({ name, scopes: chosen, expires, allowFrom }: KeyValues) {
  const networks = allowFrom.split(/[\s,]+/).filter((text) => text !== "");
  // A minute less than the maximum, because the server's clock may differ.
  const inDays = (days: number) => new Date(Date.now() + days * dayMs - 60_000).toISOString();
  return { name, scopes: chosen, expiresAt: expires === never ? null : inDays(Number(expires)), allowFrom: networks };
}

const fieldOf = (path: string) => (path === "expiresAt" ? "expires" : ownField(path, empty));

type KeyDialogProps = {
  /** Service account of the key. Absent for the user's own key. */
  accountId?: number | undefined;
  onClose: () => void;
  onCreated: (secret: string) => void;
};

export function KeyDialog({ accountId, onClose, onCreated }: KeyDialogProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  const [create] = useCreateKeyMutation();
  const saveForm = useSaveForm<KeyValues>({
    initial: empty,
    check: (values) =>
      schemaErrors(createKeyInput, readInput(values)).map((error) => ({
        ...error,
        path: fieldOf(error.path) ?? error.path,
      })),
    fieldOf,
    fallback: "createKey",
    onSave: async (values) => {
      const { secret } = await create({ ...readInput(values), accountId }).unwrap();
      onCreated(secret);
    },
  });
  const days = [30, 90, maxKeyDays].map((count) => ({
    value: String(count),
    label: count === maxKeyDays ? t("keys.year") : t("keys.days", { count }),
  }));
  const mayLiveForEver = user?.role === "admin";
  return (
    <Dialog onClose={onClose} title={t("keys.createTitle")}>
      <SaveForm of={saveForm}>
        <TextField<KeyValues> name="name" label={t("keys.name")} hint={t("keys.nameHint")} required autoFocus />
        <Scopes />
        <FormField<KeyValues>
          name="expires"
          label={t("keys.fields.expiresAt")}
          options={mayLiveForEver ? [...days, { value: never, label: t("keys.never") }] : days}
        />
        <TextField<KeyValues>
          name="allowFrom"
          label={t("common.optional", { label: t("keys.fields.allowFrom") })}
          hint={t("keys.allowFromHint")}
          rows={2}
          mono
        />
        <FormButtons of={saveForm} submit={t("keys.create")} saving={t("keys.creating")} onCancel={onClose} />
      </SaveForm>
    </Dialog>
  );
}

function Scopes() {
  const { t } = useTranslation();
  const { register, getFieldState, formState } = useFormContext<KeyValues>();
  const text = getFieldState("scopes", formState).error?.message;
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 text-[13px] font-medium">{t("keys.fields.scopes")}</legend>
      {scopes.map((scope) => (
        <Checkbox
          key={scope}
          {...register("scopes")}
          value={scope}
          label={t(`keys.scope.${scope}`)}
          aria-invalid={text !== undefined || undefined}
        />
      ))}
      <FieldError text={text} />
    </fieldset>
  );
}
