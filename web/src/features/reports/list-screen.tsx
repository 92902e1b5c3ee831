import type { ReportDefinition } from "@sonde/proto/http/reports";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { documentation } from "../../app/paths.ts";
import type { Column } from "../../lists/data-table.tsx";
import { ObjectList } from "../../lists/object-pages.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { useList } from "../../lists/use-list.ts";
import { Card, Verbatim } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Time } from "../../ui/time.tsx";
import { pages, useDeleteReportMutation, useReportsQuery } from "./api.tsx";

// One chunk, because each adds to the first page, which lists them all.
export { DetailScreen } from "./detail-screen.tsx";

export default function ListScreen() {
  const list = useList({ pageSize: 50, sortFields: ["name"], filters: {} });
  const query = useReportsQuery(list.query, refreshed);
  const [remove] = useDeleteReportMutation();
  return (
    <>
      <ObjectList
        noun="reports"
        {...{ pages, list, query, remove }}
        itemsOf={({ reports }) => reports}
        columns={useColumns()}
      />
      {query.data !== undefined && <PublicKey text={query.data.publicKey} />}
    </>
  );
}

function useColumns() {
  const { t } = useTranslation();
  return useMemo(
    (): [Column<ReportDefinition, "name">, ...Column<ReportDefinition, "name">[]] => [
      {
        head: t("reports.fields.name"),
        sort: "name",
        cell: ({ every, recipients, nextAt }) => (
          <span className="block text-[13px] text-muted">
            {t(`reports.everies.${every}`)} · {t("reports.recipientCount", { count: recipients.length })}
            <span className="block md:hidden">
              {t("reports.next")}: <Time at={nextAt} short />
            </span>
          </span>
        ),
      },
      {
        head: t("reports.last"),
        from: "md",
        className: "tnum whitespace-nowrap",
        cell: ({ issues: [last] }) => last?.period ?? t("reports.none"),
      },
      {
        head: t("reports.next"),
        from: "md",
        className: "whitespace-nowrap",
        cell: ({ nextAt }) => <Time at={nextAt} short />,
      },
    ],
    [t],
  );
}

const verifyCommand = "sonde verify report.html --key key.pem";

/** What recipients need to check a report without trusting its sender. */
function PublicKey({ text }: { text: string }) {
  const { t, i18n } = useTranslation();
  return (
    <Card
      title={t("reports.key.title")}
      actions={<CopyButton text={text} about={t("reports.key.title")} />}
      className="mt-6"
      gap="gap-3"
    >
      <Verbatim>{text.trim()}</Verbatim>
      <p className="text-muted">
        {t("reports.key.text")} <code className="font-mono text-[13px]">{verifyCommand}</code>{" "}
        <a href={documentation(i18n.language, "reports")} className="underline">
          {t("reports.key.more")}
        </a>
      </p>
    </Card>
  );
}
