import type { acknowledgeLinkAnswer, undoByLinkInput } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import type { z } from "zod";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText, fieldErrorsOf, statusOf } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { currentLanguage } from "../../app/i18n.ts";
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
import { EvidenceFacts } from "./evidence-card.tsx";

/**
 * Target of the links in messages, for visitors with or without an account. It shows the incident, and one tap
 * acknowledges it. Opening it changes nothing, because mail scanners open links too.
 */
export default function AcknowledgeScreen() {
  const { t, i18n } = useTranslation();
  usePageTitle(t("acknowledge.title"));
  const token = useSearchParams()[0].get("token") ?? "";
  const query = useAcknowledgeLinkQuery({ token, language: i18n.language as Language }, { skip: token === "" });
  const { data, error, isFetching, refetch } = query;
  const status = statusOf(error);
  const isRefused = token === "" || (status !== null && status >= 400 && status < 500 && status !== 429);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="container-page flex h-14 items-center gap-1">
        <Logo className="mr-auto" />
        <ThemeSwitcher />
        <LanguageSwitcher />
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex w-full max-w-lg flex-col gap-4 px-4 pt-2 pb-8 outline-none"
      >
        {data !== undefined && !isRefused ? (
          <Ask token={token} linked={data} />
        ) : (
          <>
            <h1 className="text-xl font-semibold tracking-tight">{t("acknowledge.title")}</h1>
            <Card>
              {isRefused ? (
                <Refused text={token === "" ? t("acknowledge.noToken") : errorText(error, "acknowledgeLink")} />
              ) : error === undefined ? (
                <div role="status" aria-label={t("common.loading")}>
                  <Skeleton className="h-64 w-full" />
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
          </>
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

type Done = { action: UndoneAction; by: string | undefined; undoUntil?: string };

/** Shorter than the server allows. */
const undoForMs = 60_000;

function Ask({ token, linked: { incident, others = [], by } }: { token: string; linked: LinkedIncident }) {
  const { t } = useTranslation();
  const { status, user } = useSession();
  const isLoggedIn = status === "authenticated";
  const [change, { error, isLoading, originalArgs }] = useChangeByLinkMutation();
  const [done, setDone] = useState<Done | null>();
  const [name, setName] = useState(() => user?.username ?? readStored("acknowledgeAs") ?? "");
  const [note, setNote] = useState("");
  const { id, acknowledged, acknowledgedBy, acknowledgers = [], needs = 0, snoozedUntil, evidence } = incident;
  const count = 1 + others.length;
  const isOpen = incident.isOpen || others.some((one) => one.isOpen);
  const isWaiting = [incident, ...others].some((one) => one.isOpen && !one.acknowledged);
  const missing = incident.isOpen && acknowledged ? Math.max(0, needs - acknowledgers.length) : 0;
  // The server names an author in the same way.
  const author = ["", by].includes(name.trim()) ? by : `${name.trim()} (${by})`;
  const isKnown = acknowledgers.includes(author);
  const isAsked = isWaiting || (missing > 0 && done === undefined);
  const fieldError = (field: string) => fieldErrorsOf(error).find(({ path }) => path === field)?.message;
  const isSnoozed = useIsAhead(snoozedUntil);
  // A drill has its own list, and ends when it is acknowledged.
  const isDrill = id.startsWith("d");
  const canUndo = useIsAhead(done?.undoUntil) && !isDrill;
  const isSaving = (action: LinkChange["action"]) => isLoading && originalArgs?.action === action;
  /** Told only to visitors who did not just change it themselves. */
  const isAsFound = isOpen && done === undefined;

  async function act(action: UndoneAction) {
    const as = name.trim() === "" ? undefined : name.trim();
    const noted = action === "snooze" || note.trim() === "" ? {} : { note };
    const { error: failure } = await change({ action, body: { token, by: as, ...noted } });
    if (failure !== undefined) return;
    // Logged-in users have a name.
    if (!isLoggedIn) writeStored("acknowledgeAs", as ?? null);
    // Undoing would remove the first acknowledgement too.
    const isFirst = action === "snooze" || !acknowledged;
    setDone({ action, by: as, undoUntil: isFirst ? new Date(Date.now() + undoForMs).toISOString() : undefined });
    // The button that had the focus is gone.
    document.getElementById("content")?.focus({ preventScroll: true });
  }
  async function undo({ action, by: as }: Done) {
    const { error: failure } = await change({ action: "undo", body: { token, by: as, action } });
    if (failure === undefined) setDone(null);
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    void act("acknowledge");
  }
  return (
    <>
      <Card gap="gap-4">
        <State incident={incident} />
        {others.length > 0 && <Others incidents={others} />}
        {done != null && (
          <Alert
            kind="success"
            action={
              canUndo && (
                <Button saving={isSaving("undo")} onClick={() => void undo(done)}>
                  {t("common.undo")}
                </Button>
              )
            }
          >
            {t(done.action === "snooze" ? "acknowledge.snoozed" : "incidents.acknowledgedNow")}
          </Alert>
        )}
        {[
          done === null && t("common.undone"),
          !isOpen && t("acknowledge.over"),
          missing > 0 && t("acknowledge.missing", { names: acknowledgers.join(", "), count: missing }),
          isAsked && isKnown && t("acknowledge.another"),
          isAsFound &&
            acknowledged &&
            !isWaiting &&
            missing === 0 &&
            t(acknowledgedBy === undefined ? "acknowledge.already" : "acknowledge.alreadyBy", {
              name: acknowledgedBy ?? "",
            }),
          isAsFound && isSnoozed && snoozedUntil !== undefined && (
            <>
              {t("quiet.snoozedUntil")} <Until at={snoozedUntil} />
            </>
          ),
        ].map(
          (fact, index) =>
            fact !== false && (
              <Alert key={index} kind="info">
                {fact}
              </Alert>
            ),
        )}
        {error !== undefined && <Alert kind="error">{errorText(error, "acknowledge")}</Alert>}
        {isOpen && (isAsked || !isSnoozed) && (
          <form noValidate className="flex flex-col gap-3" onSubmit={submit}>
            <div className="flex flex-wrap gap-2">
              {isAsked && !isKnown && (
                <Button
                  type="submit"
                  variant="primary"
                  size="lg"
                  className="grow"
                  saving={isSaving("acknowledge")}
                  savingLabel={t("incidents.acknowledging")}
                >
                  <CheckIcon />
                  {missing > 0
                    ? t("acknowledge.too")
                    : others.length > 0
                      ? t("acknowledge.all", { count })
                      : t("acknowledge.mine")}
                </Button>
              )}
              {!isSnoozed && !isDrill && (
                <Button size="lg" className="grow" saving={isSaving("snooze")} onClick={() => void act("snooze")}>
                  <SnoozeIcon />
                  {t("acknowledge.snooze")}
                </Button>
              )}
            </div>
            {isAsked && (
              <details
                open={missing > 0 || fieldError("by") !== undefined || fieldError("note") !== undefined || undefined}
              >
                <summary className="inline-flex min-h-9 items-center text-[13px] text-accent-strong">
                  {t("acknowledge.more")}
                </summary>
                <div className="flex flex-col gap-3 pt-1">
                  <Field
                    label={t("acknowledge.as")}
                    hint={t("acknowledge.asHint", { name: by })}
                    error={fieldError("by")}
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
                  <Field label={t("incident.note")} hint={t("incident.noteHint")} error={fieldError("note")}>
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
                </div>
              </details>
            )}
          </form>
        )}
      </Card>
      <NoteCard note={incident.runbook} title={t("incident.noteOf", { name: incident.targetName })} />
      {evidence !== undefined && (
        <Card title={t("evidence.title")}>
          <EvidenceFacts evidence={evidence} />
        </Card>
      )}
      <ButtonLink
        to={isDrill ? paths.drills : others.length > 0 ? paths.incidents : paths.incident(id)}
        variant={isOpen ? "ghost" : "secondary"}
      >
        {t(
          others.length > 0
            ? "acknowledge.toIncidents"
            : isLoggedIn
              ? "acknowledge.toIncident"
              : "acknowledge.toIncidentLogin",
        )}
      </ButtonLink>
    </>
  );
}

/** The other incidents of a combined message. */
function Others({ incidents }: { incidents: LinkedIncident["others"] & {} }) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t("acknowledge.others")} className="flex flex-col divide-y divide-line border-y border-line">
      {incidents.map((incident) => (
        <li key={incident.id} className="flex items-start gap-3 py-2">
          <span className="min-w-0 flex-1 break-words">
            <span className="font-medium">{incident.targetName}</span>
            <span className="line-clamp-2 text-[13px] text-muted">
              <Reason text={incident.cause} />
            </span>
          </span>
          <Badge {...looks[stateOf(incident)]}>{t(`incidents.${stateOf(incident)}`)}</Badge>
        </li>
      ))}
    </ul>
  );
}

const stateOf = ({ isOpen, acknowledged }: { isOpen: boolean; acknowledged: boolean }) =>
  !isOpen ? "resolved" : acknowledged ? "acknowledged" : "ongoing";

function State({ incident }: { incident: LinkedIncident["incident"] }) {
  const { t } = useTranslation();
  const { targetName, cause, openedAt, isOpen } = incident;
  const state = stateOf(incident);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="min-w-0 text-xl font-semibold tracking-tight break-words">{targetName}</h1>
        <Badge {...looks[state]}>{t(`incidents.${state}`)}</Badge>
      </div>
      <p
        className={cx(
          "rounded-md border px-3 py-2 font-semibold break-words",
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
type UndoneAction = z.input<typeof undoByLinkInput>["action"];
type LinkChange = { action: UndoneAction | "undo"; body: { token: string } & Record<string, string | undefined> };

const linkPath = "/incidents/acknowledge-link";
const changePaths = { acknowledge: linkPath, snooze: `${linkPath}/snooze`, undo: `${linkPath}/undo` };

const linkApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** The server writes the evidence in the requested language. */
    acknowledgeLink: build.query<LinkedIncident, { token: string; language: Language }>({
      query: ({ token }) => ({ url: linkPath, params: { token } }),
      // The meaning of a link changes over time, so responses are not cached.
      keepUnusedDataFor: 0,
    }),
    changeByLink: build.mutation<LinkedIncident, LinkChange>({
      query: ({ action, body }) => ({ url: changePaths[action], method: "POST", body }),
      async onQueryStarted({ body: { token } }, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined);
        if (answer === undefined) return;
        const shown = { token, language: currentLanguage() };
        dispatch(
          linkApi.util.updateQueryData("acknowledgeLink", shown, ({ incident: { evidence }, ...known }) => ({
            ...known,
            others: answer.data.others,
            // Only the query's response contains evidence.
            incident: { ...answer.data.incident, evidence },
          })),
        );
      },
    }),
  }),
});

export const { useAcknowledgeLinkQuery, useChangeByLinkMutation } = linkApi;
