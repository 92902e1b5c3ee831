import { type ApiKey, createServiceAccountInput, type serviceAccount } from "@sonde/proto/http/keys";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { ActionDialog } from "../../../lists/delete-dialog.tsx";
import { Alert, toast } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { PlusIcon } from "../../../ui/icons.tsx";
import {
  useCreateServiceAccountMutation,
  useDeleteServiceAccountMutation,
  useKeysQuery,
  useServiceAccountsQuery,
} from "./api.ts";
import { KeyList, keysError } from "./key-list.tsx";

type ServiceAccount = z.infer<typeof serviceAccount>;

export function ServiceAccounts() {
  const { t } = useTranslation();
  const accounts = useServiceAccountsQuery();
  const keys = useKeysQuery({ all: true });
  const [isAdding, setIsAdding] = useState(false);
  const [toDelete, setToDelete] = useState<ServiceAccount | null>(null);
  const [remove] = useDeleteServiceAccountMutation();
  const error = accounts.error ?? keys.error;
  return (
    <Card
      title={t("serviceAccounts.title")}
      className="mt-6"
      gap="gap-3"
      actions={
        <Button size="sm" onClick={() => setIsAdding(true)}>
          <PlusIcon />
          {t("serviceAccounts.add")}
        </Button>
      }
    >
      <p className="text-muted">{t("serviceAccounts.text")}</p>
      {error !== undefined && <Alert kind="error">{keysError(error)}</Alert>}
      {accounts.data?.accounts.map((account) => (
        <Account
          key={account.id}
          account={account}
          keys={keys.data?.keys.filter(({ owner }) => owner.id === account.id) ?? []}
          onDelete={() => setToDelete(account)}
        />
      ))}
      {isAdding && <AccountDialog onClose={() => setIsAdding(false)} />}
      <ActionDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDone={(message) => toast("success", message ?? t("serviceAccounts.deleted"))}
        title={t("serviceAccounts.deleteTitle")}
        text={t("serviceAccounts.deleteText", { name: toDelete?.username ?? "" })}
        act={({ id }) => remove(id)}
        fallback="deleteServiceAccount"
      />
    </Card>
  );
}

type AccountProps = { account: ServiceAccount; keys: readonly ApiKey[]; onDelete: () => void };

function Account({ account: { id, username, role }, keys, onDelete }: AccountProps) {
  const { t } = useTranslation();
  const [isAdding, setIsAdding] = useState(false);
  return (
    <section aria-label={username} className="rounded-md border border-line px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 font-medium break-words">
          {username} <span className="text-[13px] font-normal text-muted">{t(`users.roles.${role}`)}</span>
        </p>
        <span className="flex gap-2">
          <Button size="sm" onClick={() => setIsAdding(true)}>
            {t("keys.add")}
          </Button>
          <Button size="sm" onClick={onDelete}>
            {t("common.delete")}
          </Button>
        </span>
      </div>
      <KeyList keys={keys} accountId={id} isAdding={isAdding} onAdded={() => setIsAdding(false)} />
    </section>
  );
}

type AccountValues = { name: string; role: "user" | "viewer" };

function AccountDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [create] = useCreateServiceAccountMutation();
  const saveForm = useSaveForm<AccountValues>({
    initial: { name: "", role: "viewer" },
    check: (values) => schemaErrors(createServiceAccountInput, values),
    // The server reports a taken name as `username`.
    fieldOf: (path) => (path === "username" ? "name" : undefined),
    fallback: "createServiceAccount",
    onSave: async (values) => {
      await create(values).unwrap();
      onClose();
    },
  });
  const roles = (["viewer", "user"] as const).map((value) => ({ value, label: t(`users.roles.${value}`) }));
  return (
    <Dialog onClose={onClose} title={t("serviceAccounts.add")}>
      <SaveForm of={saveForm}>
        <TextField<AccountValues> name="name" label={t("keys.name")} required autoFocus />
        <FormField<AccountValues> name="role" label={t("users.fields.role")} options={roles} />
        <FormButtons
          of={saveForm}
          submit={t("serviceAccounts.create")}
          saving={t("keys.creating")}
          onCancel={onClose}
        />
      </SaveForm>
    </Dialog>
  );
}
