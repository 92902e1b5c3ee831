import { createInviteInput, type Invite, type invitesAnswer, type newInviteAnswer } from "@sonde/proto/http/invites";
import type { messageAnswer } from "@sonde/proto/http/auth";
import type { Role } from "@sonde/proto/http/users";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import type { z } from "zod";
import { type AnswerOf, api } from "../../app/api.ts";
import { FormButtons, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { post, remove } from "../../app/mutations.ts";
import { ActionDialog } from "../../lists/delete-dialog.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { schemaErrors } from "../../lib/form-errors.ts";
import { toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormField, TextField } from "../../ui/form-field.tsx";
import { MailIcon } from "../../ui/icons.tsx";
import { OnceDialog } from "../../ui/once-dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { roles } from "./list.ts";

const { useInvitesQuery, useCreateInviteMutation, useDeleteInviteMutation } = api
  .enhanceEndpoints({ addTagTypes: ["Invites"] })
  .injectEndpoints({
    endpoints: (build) => ({
      invites: build.query<AnswerOf<typeof invitesAnswer>, void>({
        query: () => "/users/invites",
        providesTags: ["Invites"],
      }),
      createInvite: build.mutation<AnswerOf<typeof newInviteAnswer>, z.input<typeof createInviteInput>>(
        post("/users/invites", "Invites"),
      ),
      deleteInvite: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/users/invites", "Invites")),
    }),
  });

type Made = AnswerOf<typeof newInviteAnswer>;

/** `?invite=new` opens the dialog. */
export function InviteButton() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const isOpen = params.has("invite");
  function setOpen(open: boolean) {
    if (open) params.set("invite", "new");
    else params.delete("invite");
    setParams(params, { replace: true });
  }
  const [made, setMade] = useState<Made | null>(null);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <MailIcon />
        {t("invites.add")}
      </Button>
      {isOpen && <InviteDialog onClose={() => setOpen(false)} onCreated={setMade} />}
      {made !== null && (
        <OnceDialog
          title={t("invites.linkTitle")}
          note={[
            made.mail && t(`invites.mail.${made.mail}`, { email: made.invite.email ?? "" }),
            t("invites.once"),
          ].join(" ")}
          texts={[{ about: t("invites.link"), text: made.url }]}
          onClose={() => setMade(null)}
        />
      )}
    </>
  );
}

type InviteValues = { email: string; role: Role };
const inputOf = ({ email, role }: InviteValues) => ({ email: email.trim() || undefined, role });

function InviteDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (made: Made) => void }) {
  const { t } = useTranslation();
  const [create] = useCreateInviteMutation();
  const saveForm = useSaveForm<InviteValues>({
    initial: { email: "", role: "viewer" },
    check: (values) => schemaErrors(createInviteInput, inputOf(values)),
    fallback: "createInvite",
    onSave: async (values) => {
      onCreated(await create(inputOf(values)).unwrap());
      onClose();
    },
  });
  const role = saveForm.form.watch("role");
  return (
    <Dialog onClose={onClose} title={t("invites.title")}>
      <SaveForm of={saveForm}>
        <p className="text-muted">{t("invites.text")}</p>
        <FormField<InviteValues>
          name="role"
          label={t("users.fields.role")}
          hint={t(`users.roleHints.${role}`)}
          options={roles.toReversed().map((value) => ({ value, label: t(`users.roles.${value}`) }))}
        />
        <TextField<InviteValues>
          name="email"
          label={t("common.optional", { label: t("users.fields.email") })}
          hint={t("invites.emailHint")}
        />
        <FormButtons of={saveForm} submit={t("invites.create")} saving={t("invites.creating")} onCancel={onClose} />
      </SaveForm>
    </Dialog>
  );
}

/** Open invites. Renders nothing if there are none. */
export function OpenInvites() {
  const { t } = useTranslation();
  const invites = useInvitesQuery(undefined, refreshed).data?.invites ?? [];
  const [toRevoke, setToRevoke] = useState<Invite | null>(null);
  const [revoke] = useDeleteInviteMutation();
  if (invites.length === 0) return null;
  return (
    <Card title={t("invites.open")} className="mt-6" flush>
      <ul>
        {invites.map((invite) => (
          <li
            key={invite.id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0 md:px-5"
          >
            <span className="min-w-0">
              <span className="font-medium break-all">{invite.email ?? t("invites.anyone")}</span>
              <span className="block text-[13px] text-muted">
                {t(`users.roles.${invite.role}`)} · {t("invites.by", { name: invite.createdBy })} ·{" "}
                {t("invites.expires")} <Time at={invite.expiresAt} relative />
              </span>
            </span>
            <Button size="sm" onClick={() => setToRevoke(invite)}>
              {t("invites.revoke")}
            </Button>
          </li>
        ))}
      </ul>
      <ActionDialog
        target={toRevoke}
        onClose={() => setToRevoke(null)}
        onDone={(message) => toast("success", message ?? t("invites.revoked"))}
        title={t("invites.revokeTitle")}
        text={t("invites.revokeText")}
        action={t("invites.revoke")}
        savingLabel={t("keys.revoking")}
        act={({ id }) => revoke(id)}
        fallback="deleteInvite"
      />
    </Card>
  );
}
