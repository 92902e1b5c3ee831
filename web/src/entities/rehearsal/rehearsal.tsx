import type { Notified, rehearsalAnswer, RehearsalInput } from "@sonde/proto/http/on-call/rehearsal";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { CheckIcon, DashIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

export type RehearsalDraft = Omit<RehearsalInput, "from" | "to">;

const days = 30;
const maxShown = 50;
/** Longer than the gateway waits. */
const timeoutMs = 30_000;

const rehearsalApi = api.injectEndpoints({
  endpoints: (build) => ({
    rehearsal: build.query<AnswerOf<typeof rehearsalAnswer>, RehearsalInput>({
      query: (body) => ({ url: "/notifications/rehearse", method: "POST", body, timeout: timeoutMs }),
      keepUnusedDataFor: 0,
    }),
  }),
});

export default function Rehearsal({ draft, atMs }: { draft: RehearsalDraft | null; atMs: number }) {
  const { t } = useTranslation();
  const [from, to] = [atMs - days * 86_400_000, atMs].map((ms) => new Date(ms).toISOString());
  const input = { ...draft, from: from!, to: to! };
  const { data, error } = rehearsalApi.useRehearsalQuery(input, { skip: draft === null });
  if (draft === null) return <Alert kind="error">{t("notificationSettings.fixErrors")}</Alert>;
  if (error !== undefined) {
    const [fault] = fieldErrorsOf(error);
    return <Alert kind="error">{fault?.message ?? errorText(error, "fetchData")}</Alert>;
  }
  if (data === undefined) return <Skeleton className="h-24 w-full" />;
  const { totals, difference } = data;
  const marked = (entries: readonly Notified[], isAdded: boolean) => entries.map((entry) => ({ ...entry, isAdded }));
  const changes = [...marked(difference.added, true), ...marked(difference.removed, false)].sort((one, other) =>
    one.at.localeCompare(other.at),
  );
  const total = totals.added + totals.removed;
  return (
    <section aria-label={t("rehearsal.title")} className="rounded-md border border-line">
      <div className="px-3 py-2">
        <p className="font-medium">
          {t("rehearsal.sum", { days, would: totals.wouldNotify, count: totals.didNotify })}
        </p>
        <p className="text-[13px] text-muted">
          {total === 0 ? t("rehearsal.same") : t("rehearsal.changes", { added: totals.added, removed: totals.removed })}
        </p>
      </div>
      {total > 0 && (
        <ol
          className="max-h-96 divide-y divide-line overflow-y-auto border-t border-line"
          tabIndex={0}
          aria-label={t("rehearsal.list")}
          aria-live="off"
        >
          {changes.slice(0, maxShown).map((change, index) => (
            <Change key={index} {...change} />
          ))}
        </ol>
      )}
      {total > maxShown && (
        <p className="border-t border-line px-3 py-2 text-[13px] text-muted">
          {t("rehearsal.first", { shown: maxShown, count: total })}
        </p>
      )}
    </section>
  );
}

function Change({ isAdded, at, whom, target, reason }: Notified & { isAdded: boolean }) {
  const { t } = useTranslation();
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
      <Badge tone={isAdded ? "accent" : "plain"} icon={isAdded ? CheckIcon : DashIcon}>
        {t(isAdded ? "rehearsal.added" : "rehearsal.removed")}
      </Badge>
      <span className="text-[13px] text-muted">
        <Time at={at} short />
      </span>
      <span className="min-w-0 font-medium break-words">{whom.name}</span>
      <span className="min-w-0 text-muted break-words">
        {target.name} · {t(`notifications.kinds.${reason}`)}
      </span>
    </li>
  );
}
