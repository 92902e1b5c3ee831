import type { ReportDefinition } from "@sonde/proto/http/reports";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { languageNames } from "../../app/i18n.ts";
import { paths } from "../../app/paths.ts";
import { isId } from "../../app/screen.tsx";
import { useChannelsInForceQuery } from "../../entities/notifications/api.ts";
import { useStatusPagesQuery } from "../../entities/pages/api.ts";
import { type Column, DataTable } from "../../lists/data-table.tsx";
import { ObjectPage, useObjectId } from "../../lists/object-pages.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { ownAddress } from "../../lib/base-path.ts";
import { formatLocalDate } from "../../lib/format.ts";
import { Alert, toast } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Entry } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckIcon, ExternalIcon, MailIcon, PendingIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";
import { pages, useDeleteReportMutation, useReportQuery, useSendReportMutation } from "./api.tsx";

export function DetailScreen() {
  const id = useObjectId();
  const { currentData, ...query } = useReportQuery(id, { skip: !isId(id), ...refreshed });
  const [remove] = useDeleteReportMutation();
  return (
    <ObjectPage
      noun="reports"
      pages={pages}
      query={{ ...query, data: currentData?.report }}
      remove={remove}
      actions={(report) => <SendButton report={report} />}
    >
      {(report) => (
        <>
          <Facts report={report} />
          <Issues report={report} />
          <Recipients report={report} />
        </>
      )}
    </ObjectPage>
  );
}

function SendButton({ report }: { report: ReportDefinition }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setAsking(true)}>
        <MailIcon />
        {t("reports.send.action")}
      </Button>
      {isAsking && <SendDialog report={report} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Asks first, because mails cannot be taken back. */
function SendDialog({ report: { id, every, recipients }, onClose }: { report: ReportDefinition; onClose: () => void }) {
  const { t } = useTranslation();
  const [send, { error, isLoading }] = useSendReportMutation();
  const count = recipients.filter(({ isConfirmed }) => isConfirmed).length;
  async function confirm() {
    const { data } = await send(id);
    if (data === undefined) return;
    toast("success", data.message ?? t("reports.send.done"));
    onClose();
  }
  // The reason is that of the period, such as one without stored results.
  const reasons = fieldErrorsOf(error).map(({ message }) => message);
  const footer = (
    <>
      <Button onClick={onClose}>{t("common.cancel")}</Button>
      <Button variant="primary" saving={isLoading} savingLabel={t("reports.send.doing")} onClick={() => void confirm()}>
        {t("reports.send.action")}
      </Button>
    </>
  );
  return (
    <Dialog
      onClose={onClose}
      title={t("reports.send.title")}
      description={t("reports.send.text", {
        last: t(`reports.send.last.${every}`),
        to: t("reports.send.to", { count }),
      })}
      footer={footer}
    >
      {error !== undefined && (
        <Alert kind="error">{reasons.length > 0 ? reasons.join(" · ") : errorText(error, "sendReport")}</Alert>
      )}
    </Dialog>
  );
}

function Facts({
  report: { targets, tag, pageId, every, timeZone, language, channelId, nextAt },
}: {
  report: ReportDefinition;
}) {
  const { t } = useTranslation();
  const { data: channels } = useChannelsInForceQuery(undefined, { skip: channelId === undefined });
  const { data: pages } = useStatusPagesQuery(undefined, { skip: pageId === undefined });
  const link = "text-accent-strong hover:underline";
  return (
    <Card>
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
        <Entry name={t("reports.next")}>
          <Time at={nextAt} short />
        </Entry>
        <Entry name={t("reports.fields.every")}>
          {t(`reports.everies.${every}`)} ({timeZone})
        </Entry>
        <Entry name={t("reports.fields.language")}>{languageNames[language]}</Entry>
        <Entry name={t("reports.fields.channelId")}>
          {channelId === undefined ? "–" : (channels?.find(({ id }) => id === channelId)?.name ?? "…")}
        </Entry>
        <Entry name={t("reports.covers")} wide>
          {tag !== undefined && t("reports.allWithTag", { tag })}
          {pageId !== undefined &&
            t("reports.ofPage", { page: pages?.find(({ slug }) => slug === pageId)?.title ?? "…" })}
          <span className="flex flex-wrap gap-x-3">
            {targets?.map(({ type, id, name }) => (
              <Link key={`${type} ${id}`} to={paths[type](id)} className={link}>
                {name}
              </Link>
            ))}
          </span>
        </Entry>
      </dl>
    </Card>
  );
}

type Issue = ReportDefinition["issues"][number] & { id: string };

/** The same report as a table. Its address differs in the ending only. */
const csvOf = (link: string) => link.replace(/\.html(?=\?|$)/, ".csv");

function Issues({ report: { issues, timeZone } }: { report: ReportDefinition }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const columns = useMemo((): Column<Issue>[] => {
    const day = (at: string, beforeMs = 0) => formatLocalDate(Date.parse(at) - beforeMs, language, timeZone);
    return [
      {
        head: t("reports.period"),
        className: "w-full min-w-40 py-2",
        cell: ({ period, from, until, createdAt }) => (
          <>
            <span className="tnum font-medium">{period}</span>
            <span className="block text-[13px] text-muted">
              {day(from)} – {day(until, 1)}
            </span>
            <span className="block text-[13px] text-muted md:hidden">
              {t("reports.made")} <Time at={createdAt} short />
            </span>
          </>
        ),
      },
      {
        head: t("reports.made"),
        from: "md",
        className: "text-[13px] whitespace-nowrap text-muted",
        cell: ({ createdAt }) => <Time at={createdAt} short />,
      },
      { head: t("reports.sentTo"), numeric: true, from: "md", cell: ({ sent }) => sent.toLocaleString(language) },
      {
        head: <span className="sr-only">{t("common.actions")}</span>,
        numeric: true,
        cell: ({ period, link }) => (
          <span className="inline-flex gap-1 max-md:flex-col max-md:items-end">
            <a href={ownAddress + link} target="_blank" rel="noopener" className={buttonClass("ghost", "sm")}>
              <ExternalIcon />
              {t("reports.open")}
              <span className="sr-only">: {period}</span>
            </a>
            <a href={ownAddress + csvOf(link)} download className={buttonClass("ghost", "sm")}>
              {t("reports.csv")}
              <span className="sr-only">: {period}</span>
            </a>
            <CopyButton text={ownAddress + link} label={t("reports.copyLink")} about={period} />
          </span>
        ),
      },
    ];
  }, [t, language, timeZone]);
  const items = useMemo(() => issues.map((issue) => ({ ...issue, id: issue.period })), [issues]);
  return (
    <Card title={t("reports.issues")} flush className="overflow-hidden">
      {items.length === 0 ? (
        <p className="px-4 py-4 text-muted md:px-5">{t("reports.noIssues")}</p>
      ) : (
        <DataTable label={t("reports.issues")} columns={columns} items={items} />
      )}
    </Card>
  );
}

function Recipients({ report: { recipients } }: { report: ReportDefinition }) {
  const { t } = useTranslation();
  const isWaiting = recipients.some(({ isConfirmed }) => !isConfirmed);
  return (
    <Card title={t("reports.fields.recipients")} gap="gap-3">
      {recipients.length === 0 && <p className="text-muted">{t("reports.noRecipients")}</p>}
      <ul className="grid gap-x-6 gap-y-2 empty:hidden lg:grid-cols-2">
        {recipients.map(({ address, isConfirmed }) => (
          <li key={address} className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <span className="min-w-0 break-all">{address}</span>
            <Badge tone={isConfirmed ? "up" : "warn"} icon={isConfirmed ? CheckIcon : PendingIcon}>
              {t(isConfirmed ? "reports.confirmed" : "reports.waiting")}
            </Badge>
          </li>
        ))}
      </ul>
      {isWaiting && <p className="text-[13px] text-faint">{t("reports.waitingText")}</p>}
    </Card>
  );
}
