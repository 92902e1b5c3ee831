import type {
  acknowledgeByLinkInput,
  acknowledgeLinkAnswer,
  incidentAnswer,
  snoozeByLinkInput,
} from "@sonde/proto/http/incidents/incidents";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import type { z } from "zod";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText, fieldErrorsOf, statusOf } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { LanguageSwitcher, ThemeSwitcher } from "../../app/layout/menus.tsx";
import { paths } from "../../app/paths.ts";
import { readStored, writeStored } from "../../app/storage.ts";
import { NoteCard } from "../../entities/targets/target-line.tsx";
import { useIsAhead } from "../../lib/hooks.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { Field } from "../../ui/field.tsx";
import { Lasted } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { CheckIcon, CrossIcon, EyeIcon, SnoozeIcon } from "../../ui/icons.tsx";
import { Input, Textarea } from "../../ui/inputs.tsx";
import { Logo } from "../../ui/logo.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Until } from "../../ui/until.tsx";

/**
 * Target of the links in messages, for visitors with or without an account. It shows the incident and asks for
 * confirmation. Opening it changes nothing, because mail scanners open links too.
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
        {data !== undefined && !isRefused ? (
          <Ask token={token} linked={data} />
        ) : (
          <Card>
            {isRefused ? (
              <Refused text={token === "" ? t("acknowledge.noToken") : errorText(error, "acknowledgeLink")} />
            ) : error === undefined ? (
              <div role="status" aria-label={t("common.loading")}>
                <Skeleton className="h-80 w-full" />
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
        )}
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
  const { status, user } = useSession();
  const isLoggedIn = status === "authenticated";
  const [acknowledge, acknowledged] = useAcknowledgeByLinkMutation();
  const [snooze, snoozed] = useSnoozeByLinkMutation();
  const [name, setName] = useState(() => user?.username ?? readStored("acknowledgeAs") ?? "");
  const [note, setNote] = useState("");
  const { id, isOpen } = incident;
  const error = acknowledged.error ?? snoozed.error;
  const failureOf = (field: string) => fieldErrorsOf(error).find(({ path }) => path === field)?.message;
  const isAcknowledged = incident.acknowledged || acknowledged.isSuccess;
  const isSnoozed = useIsAhead(incident.snoozedUntil) || snoozed.isSuccess;

  async function send<Answer extends { error?: unknown }>(
    call: (input: { token: string; by?: string }) => PromiseLike<Answer>,
  ) {
    const as = name.trim();
    const { error: failure } = await call({ token, ...(as === "" ? {} : { by: as }) });
    // Logged-in users have a name.
    if (failure === undefined && !isLoggedIn) writeStored("acknowledgeAs", as === "" ? null : as);
  }
  async function submit(event: FormEvent) {
    event.preventDefault();
    await send((input) => acknowledge({ ...input, ...(note.trim() === "" ? {} : { note }) }));
  }
  return (
    <>
      <Card>
        <div className="flex flex-col gap-4">
          <State incident={incident} isAcknowledged={isAcknowledged} />
          {acknowledged.isSuccess && <Alert kind="success">{t("incidents.acknowledgedNow")}</Alert>}
          {snoozed.isSuccess && <Alert kind="success">{t("acknowledge.snoozed")}</Alert>}
          {!isOpen && <Alert kind="info">{t("acknowledge.over")}</Alert>}
          {isOpen && incident.acknowledged && (
            <Alert kind="info">
              {incident.acknowledgedBy === undefined
                ? t("acknowledge.already")
                : t("acknowledge.alreadyBy", { name: incident.acknowledgedBy })}
            </Alert>
          )}
          {isOpen && !snoozed.isSuccess && isSnoozed && incident.snoozedUntil !== undefined && (
            <Alert kind="info">
              {t("quiet.snoozedUntil")} <Until at={incident.snoozedUntil} />
            </Alert>
          )}
          {error !== undefined && <Alert kind="error">{errorText(error, "acknowledge")}</Alert>}
          {isOpen && !(isAcknowledged && isSnoozed) && (
            <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
              {!isAcknowledged && (
                <>
                  <Field
                    label={t("acknowledge.as")}
                    hint={t("acknowledge.asHint", { name: by })}
                    error={failureOf("by")}
                  >
                    {(ids) => (
                      <Input
                        {...ids}
                        autoComplete="name"
                        maxLength={100}
                        value={name}
                        onChange={({ target }) => setName(target.value)}
                      />
                    )}
                  </Field>
                  <Field label={t("incident.note")} hint={t("incident.noteHint")} error={failureOf("note")}>
                    {(ids) => (
                      <Textarea
                        {...ids}
                        rows={2}
                        maxLength={2000}
                        value={note}
                        onChange={({ target }) => setNote(target.value)}
                      />
                    )}
                  </Field>
                </>
              )}
              <div className="flex gap-2">
                {!isAcknowledged && (
                  <Button
                    type="submit"
                    variant="primary"
                    size="lg"
                    className="flex-1"
                    saving={acknowledged.isLoading}
                    savingLabel={t("incidents.acknowledging")}
                  >
                    <CheckIcon />
                    {t("incidents.acknowledge")}
                  </Button>
                )}
                {!isSnoozed && (
                  <Button size="lg" saving={snoozed.isLoading} onClick={() => void send(snooze)}>
                    <SnoozeIcon />
                    {t("acknowledge.snooze")}
                  </Button>
                )}
              </div>
            </form>
          )}
          <ButtonLink to={paths.incident(id)} variant={isOpen ? "ghost" : "secondary"}>
            {t(isLoggedIn ? "acknowledge.toIncident" : "acknowledge.toIncidentLogin")}
          </ButtonLink>
        </div>
      </Card>
      <NoteCard note={incident.runbook} title={t("incident.noteOf", { name: incident.targetName })} />
    </>
  );
}

type StateProps = { incident: LinkedIncident["incident"]; isAcknowledged: boolean };

function State({ incident: { targetName, cause, openedAt, isOpen }, isAcknowledged }: StateProps) {
  const { t } = useTranslation();
  const state = !isOpen ? "resolved" : isAcknowledged ? "acknowledged" : "ongoing";
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="text-[16px] font-semibold">{targetName}</p>
        <Badge {...looks[state]}>{t(`incidents.${state}`)}</Badge>
      </div>
      <p
        className={cx(
          "rounded-md border px-3 py-2 font-semibold",
          isOpen ? "border-down/45 bg-down-soft text-down-ink" : "border-line bg-sunken",
        )}
      >
        <Reason text={cause} />
      </p>
      <p className="text-[13px] text-muted">
        {t("acknowledge.since")} <Time at={openedAt} short />
        {isOpen && (
          <>
            {" · "}
            <Lasted from={openedAt} to={undefined} />
          </>
        )}
      </p>
    </div>
  );
}

const looks = {
  ongoing: { tone: "down", icon: CrossIcon },
  acknowledged: { tone: "warn", icon: EyeIcon },
  resolved: { tone: "plain", icon: CheckIcon },
} as const;

type LinkedIncident = AnswerOf<typeof acknowledgeLinkAnswer>;

const linkApi = api.injectEndpoints({
  endpoints: (build) => ({
    acknowledgeLink: build.query<LinkedIncident, string>({
      query: (token) => ({ url: "/incidents/acknowledge-link", params: { token } }),
      // The meaning of a link changes over time, so responses are not cached.
      keepUnusedDataFor: 0,
    }),
    acknowledgeByLink: build.mutation<Partial<AnswerOf<typeof incidentAnswer>>, z.input<typeof acknowledgeByLinkInput>>(
      {
        query: (body) => ({ url: "/incidents/acknowledge-link", method: "POST", body }),
      },
    ),
    snoozeByLink: build.mutation<Partial<AnswerOf<typeof incidentAnswer>>, z.input<typeof snoozeByLinkInput>>({
      query: (body) => ({ url: "/incidents/acknowledge-link/snooze", method: "POST", body }),
    }),
  }),
});

export const { useAcknowledgeLinkQuery, useAcknowledgeByLinkMutation, useSnoozeByLinkMutation } = linkApi;
