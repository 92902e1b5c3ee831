import type { SignInProvider } from "@sonde/proto/http/sign-in";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { Loaded, Missing, Notice, useNotice } from "../../app/screen.tsx";
import { ActionDialog } from "../../lists/delete-dialog.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card, Entry } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LockIcon, PlusIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { useDeleteProviderMutation, useProvidersQuery } from "./api.ts";
import { ProviderForm } from "./provider-form.tsx";

const fresh = "new";
const addressOf = (slug: string) => `${paths.signIn}?provider=${encodeURIComponent(slug)}`;

export default function SignInScreen() {
  const { t } = useTranslation();
  const [address] = useSearchParams();
  const navigate = useNavigate();
  const query = useProvidersQuery();
  const notice = useNotice();
  const [deleted, setDeleted] = useState<string | undefined>();
  const chosen = address.get("provider");
  const back = (words?: string) => void navigate(paths.signIn, { state: words && { notice: words }, replace: true });
  if (chosen !== null) {
    return (
      <div className="max-w-3xl">
        <PageHeader title={t(chosen === fresh ? "signIn.createTitle" : "signIn.editTitle")} />
        <Loaded query={query} placeholder={<Skeleton className="h-96 w-full" />}>
          {({ providers }) => {
            const provider = providers.find(({ slug }) => slug === chosen);
            if (provider === undefined && chosen !== fresh)
              return (
                <Missing
                  icon={<LockIcon />}
                  title={t("signIn.missing")}
                  back={t("signIn.back")}
                  backTo={paths.signIn}
                />
              );
            return <ProviderForm key={chosen} provider={provider} onDone={back} />;
          }}
        </Loaded>
      </div>
    );
  }
  return (
    <div className="max-w-4xl">
      <PageHeader
        title={t("signIn.title")}
        description={t("signIn.text")}
        actions={
          <ButtonLink variant="primary" to={addressOf(fresh)}>
            <PlusIcon /> {t("signIn.add")}
          </ButtonLink>
        }
      />
      <Notice text={deleted ?? notice} />
      <Loaded query={query} placeholder={<Skeleton className="h-64 w-full" />}>
        {({ providers, passwords }) => (
          <div className="flex flex-col gap-4">
            {providers.length === 0 && (
              <Card>
                <EmptyState icon={<LockIcon />} title={t("signIn.empty")}>
                  {t("signIn.emptyText")}
                </EmptyState>
              </Card>
            )}
            {providers.map((provider) => (
              <ProviderCard key={provider.slug} provider={provider} onDeleted={setDeleted} />
            ))}
            <p className="text-[13px] text-muted">{t(`signIn.passwords.${passwords}`)}</p>
          </div>
        )}
      </Loaded>
    </div>
  );
}

type ProviderCardProps = { provider: SignInProvider; onDeleted: (notice: string) => void };

function ProviderCard({ provider, onDeleted }: ProviderCardProps) {
  const { t } = useTranslation();
  const [toDelete, setToDelete] = useState<SignInProvider | null>(null);
  const [remove] = useDeleteProviderMutation();
  const { slug, name, issuer, roles, otherwise, isReadOnly, redirectUri, logoutUri } = provider;
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-words">{name}</span>
          {isReadOnly && <Badge icon={LockIcon}>{t("signIn.readOnly")}</Badge>}
        </span>
      }
      actions={
        !isReadOnly && (
          <span className="flex flex-wrap gap-2">
            <ButtonLink size="sm" to={addressOf(slug)} aria-label={`${t("signIn.edit")}: ${name}`}>
              {t("signIn.edit")}
            </ButtonLink>
            <Button size="sm" aria-label={`${t("signIn.delete")}: ${name}`} onClick={() => setToDelete(provider)}>
              {t("signIn.delete")}
            </Button>
          </span>
        )
      }
      gap="gap-4"
    >
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <Entry name={t("signIn.fields.issuer")}>
          <span className="font-mono text-[13px] break-all">{issuer}</span>
        </Entry>
        <Entry name={t("signIn.fields.roles")}>
          {roles.map(({ value, role }) => `${value} → ${t(`users.roles.${role}`)}`).join(", ") || t("common.none")} ·{" "}
          {t("signIn.others", { role: otherwise === "none" ? t("signIn.noRole") : t(`users.roles.${otherwise}`) })}
        </Entry>
        <Uri name={t("signIn.fields.redirectUri")} text={redirectUri} />
        <Uri name={t("signIn.fields.logoutUri")} text={logoutUri} />
      </dl>
      <ActionDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDone={(message) => onDeleted(message ?? t("signIn.deleted"))}
        title={t("signIn.deleteTitle", { name })}
        text={t("signIn.deleteText")}
        act={({ slug: gone }) => remove({ slug: gone })}
        fallback="deleteProvider"
      />
    </Card>
  );
}

function Uri({ name, text }: { name: string; text: string }) {
  return (
    <Entry name={name}>
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="min-w-0 font-mono text-[13px] break-all">{text}</span>
        <CopyButton text={text} about={name} />
      </span>
    </Entry>
  );
}
