import { ownAddress } from "../../../lib/base-path.ts";
import { type PageLink, pageLinkInput, type StatusPage } from "@sonde/proto/http/status/pages";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { useSession } from "../../../app/hooks.ts";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { useNow } from "../../../lib/hooks.ts";
import { ActionDialog } from "../../../lists/delete-dialog.tsx";
import { toast } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { PlusIcon } from "../../../ui/icons.tsx";
import { OnceDialog } from "../../../ui/once-dialog.tsx";
import { Time } from "../../../ui/time.tsx";
import { useCreatePageLinkMutation, useDeletePageLinkMutation } from "../pages/api.ts";

export function LinksCard({ page: { slug, access, links } }: { page: StatusPage }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const [url, setUrl] = useState<string | null>(null);
  const [toDelete, setToDelete] = useState<PageLink | null>(null);
  const [remove] = useDeletePageLinkMutation();
  if (access.mode === "public" && links.length === 0) return null;
  return (
    <Card
      title={t("statusPage.fields.links.label")}
      actions={
        mayChange && (
          <Button size="sm" onClick={() => setIsAdding(true)}>
            <PlusIcon />
            {t("statusPage.links.add")}
          </Button>
        )
      }
    >
      <p className="text-muted">{t("statusPage.links.hint")}</p>
      {links.length > 0 && (
        <ul className="divide-y divide-line">
          {links.map((link) => (
            <li key={link.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
              <LinkFacts link={link} />
              {mayChange && (
                <Button size="sm" onClick={() => setToDelete(link)}>
                  {t("statusPage.links.remove")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdding && (
        <NewLink
          slug={slug}
          onClose={() => setIsAdding(false)}
          onCreated={(made) => {
            setIsAdding(false);
            setUrl(made);
          }}
        />
      )}
      {url !== null && (
        <OnceDialog
          title={t("statusPage.links.madeTitle")}
          note={t("statusPage.links.once")}
          texts={[{ about: t("statusPage.links.link"), text: url.startsWith("/") ? ownAddress + url : url }]}
          onClose={() => setUrl(null)}
        />
      )}
      <ActionDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDone={(message) => toast("success", message ?? t("statusPage.links.removed"))}
        title={t("statusPage.links.removeTitle")}
        text={t("statusPage.links.removeText", { name: toDelete?.name ?? "" })}
        act={({ id }) => remove({ slug, id })}
        fallback="deletePageLink"
      />
    </Card>
  );
}

function LinkFacts({ link: { name, createdAt, expiresAt } }: { link: PageLink }) {
  const { t } = useTranslation();
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= useNow();
  return (
    <div className="min-w-0">
      <p className="font-medium break-words">{name}</p>
      <p className="text-[13px] text-muted">
        {t("statusPage.links.created")} <Time at={createdAt} relative />
        {" · "}
        {expiresAt === undefined ? (
          t("statusPage.links.noEnd")
        ) : (
          <span className={isOver ? "text-down-ink" : undefined}>
            {t(isOver ? "statusPage.links.ended" : "statusPage.links.ends")} <Time at={expiresAt} relative />
          </span>
        )}
      </p>
    </div>
  );
}

type NewLinkValues = { name: string; days: string };
const dayMs = 86_400_000;
const dayChoices = [7, 30, 90, 365];

const readInput = ({ name, days }: NewLinkValues) => ({
  name: name.trim(),
  ...(days !== "" && { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
});

type NewLinkProps = { slug: string; onClose: () => void; onCreated: (url: string) => void };

function NewLink({ slug, onClose, onCreated }: NewLinkProps) {
  const { t } = useTranslation();
  const [create] = useCreatePageLinkMutation();
  const saveForm = useSaveForm<NewLinkValues>({
    initial: { name: "", days: "30" },
    check: (values) => schemaErrors(pageLinkInput, readInput(values)),
    fieldOf: (path) => (path === "expiresAt" ? "days" : undefined),
    fallback: "createPageLink",
    onSave: async (values) => onCreated((await create({ slug, input: readInput(values) }).unwrap()).url),
  });
  const days = dayChoices.map((count) => ({ value: String(count), label: t("statusPage.links.days", { count }) }));
  return (
    <Dialog onClose={onClose} title={t("statusPage.links.add")}>
      <SaveForm of={saveForm}>
        <TextField<NewLinkValues>
          name="name"
          label={t("statusPage.links.name")}
          hint={t("statusPage.links.nameHint")}
          required
          autoFocus
        />
        <FormField<NewLinkValues>
          name="days"
          label={t("statusPage.links.life")}
          options={[...days, { value: "", label: t("statusPage.links.noEnd") }]}
        />
        <FormButtons of={saveForm} submit={t("statusPage.links.create")} onCancel={onClose} />
      </SaveForm>
    </Dialog>
  );
}
