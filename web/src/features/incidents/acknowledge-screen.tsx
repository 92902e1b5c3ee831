import type {
  acknowledgeByLinkInput,
  acknowledgeLinkAnswer,
  incidentAnswer,
} from "@sonde/proto/http/incidents/incidents";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import type { z } from "zod";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText, fieldErrorsOf, statusOf } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { LanguageSwitcher, ThemeSwitcher } from "../../app/layout/menus.tsx";
import { paths } from "../../app/paths.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Lasted } from "../../ui/health/incident-list.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { Textarea } from "../../ui/inputs.tsx";
import { Logo } from "../../ui/logo.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

/**
 * Where the link of a message leads, logged in or not: it shows the incident and asks once. Opening the page
 * changes nothing, since scanners of mail open links, too.
 */
export default function AcknowledgeScreen() {
  const { t } = useTranslation();
  usePageTitle(t("acknowledge.title"));
  const token = useSearchParams()[0].get("token") ?? "";
  const { data, error, isFetching, refetch } = useAcknowledgeLinkQuery(token, { skip: token === "" });
  const status = statusOf(error);
  const isRefused = token === "" || (status !== null && status >= 400 && status < 500 && status !== 429);
  return (
    <div className="flex min-h-dvh flex-col">
      <div className="container-page flex h-14 items-center justify-end gap-1">
        <ThemeSwitcher />
        <LanguageSwitcher />
      </div>
      <main id="content" tabIndex={-1} className="mx-auto flex w-full max-w-md flex-col gap-5 px-4 py-8 outline-none">
        <Logo className="self-center text-xl" />
        <h1 className="text-center text-xl font-semibold tracking-tight">{t("acknowledge.title")}</h1>
        <Card>
          {isRefused ? (
            <Refused text={token === "" ? t("acknowledge.noToken") : errorText(error, "acknowledgeLink")} />
          ) : data !== undefined ? (
            <Ask token={token} linked={data} />
          ) : error === undefined ? (
            <div role="status" aria-label={t("common.loading")}>
              <Skeleton className="h-32 w-full" />
            </div>
          ) : (
            <ErrorState
              message={errorText(error, "fetchData")}
              onRetry={() => void refetch()}
              retrying={isFetching}
              className="py-4"
            />
          )}
        </Card>
      </main>
    </div>
  );
}

function Refused({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-3">
      <Alert kind="error">{text}</Alert>
      <p className="text-muted">{t("acknowledge.refusedText")}</p>
      <ButtonLink to={paths.incidents} className="self-start">
        {t("acknowledge.toIncidents")}
      </ButtonLink>
    </div>
  );
}

function Ask({ token, linked: { incident, by } }: { token: string; linked: LinkedIncident }) {
  const { t } = useTranslation();
  const { id, targetName, openedAt, isOpen, acknowledged } = incident;
  const [acknowledge, { isSuccess, isLoading, error }] = useAcknowledgeByLinkMutation();
  const [note, setNote] = useState("");
  const fault = fieldErrorsOf(error).find(({ path }) => path === "note")?.message;
  async function submit(event: FormEvent) {
    event.preventDefault();
    await acknowledge({ token, ...(note.trim() === "" ? {} : { note }) });
  }
  const facts = (
    <div>
      <p className="text-[15px] font-semibold">{targetName}</p>
      <p className="text-[13px] text-muted">
        {t("acknowledge.since")} <Time at={openedAt} />
        {isOpen && (
          <>
            {" · "}
            <Lasted from={openedAt} to={undefined} />
          </>
        )}
      </p>
    </div>
  );
  if (isSuccess) return <Outcome id={id} facts={facts} kind="success" text={t("acknowledge.done")} />;
  if (!isOpen) return <Outcome id={id} facts={facts} kind="info" text={t("acknowledge.over")} />;
  if (acknowledged) return <Outcome id={id} facts={facts} kind="info" text={t("acknowledge.already")} />;
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      {facts}
      <p>{t("acknowledge.text", { name: by })}</p>
      {error !== undefined && <Alert kind="error">{errorText(error, "acknowledge")}</Alert>}
      <Field label={t("incident.note")} hint={t("incident.noteHint")} error={fault}>
        {(ids) => (
          <Textarea {...ids} rows={2} maxLength={2000} value={note} onChange={({ target }) => setNote(target.value)} />
        )}
      </Field>
      <Button type="submit" variant="primary" saving={isLoading} savingLabel={t("incident.acknowledging")}>
        <CheckIcon />
        {t("incident.acknowledge")}
      </Button>
    </form>
  );
}

type OutcomeProps = { id: string; facts: ReactNode; kind: "success" | "info"; text: string };

/** How it is now, and the way to the incident. */
function Outcome({ id, facts, kind, text }: OutcomeProps) {
  const { t } = useTranslation();
  const isLoggedIn = useSession().status === "authenticated";
  return (
    <div className="flex flex-col gap-4">
      {facts}
      <Alert kind={kind}>{text}</Alert>
      <ButtonLink to={paths.incident(id)}>
        {t(isLoggedIn ? "acknowledge.toIncident" : "acknowledge.toIncidentLogin")}
      </ButtonLink>
    </div>
  );
}

type LinkedIncident = AnswerOf<typeof acknowledgeLinkAnswer>;

const linkApi = api.injectEndpoints({
  endpoints: (build) => ({
    acknowledgeLink: build.query<LinkedIncident, string>({
      query: (token) => ({ url: "/incidents/acknowledge-link", params: { token } }),
      // What a link means changes: nothing old is shown.
      keepUnusedDataFor: 0,
    }),
    acknowledgeByLink: build.mutation<Partial<AnswerOf<typeof incidentAnswer>>, z.input<typeof acknowledgeByLinkInput>>(
      {
        query: (body) => ({ url: "/incidents/acknowledge-link", method: "POST", body }),
      },
    ),
  }),
});

export const { useAcknowledgeLinkQuery, useAcknowledgeByLinkMutation } = linkApi;
