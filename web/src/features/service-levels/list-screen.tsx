import type { Slo } from "@sonde/proto/http/slos";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../lists/data-table.tsx";
import { ObjectList } from "../../lists/object-pages.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { useList } from "../../lists/use-list.ts";
import { Alert } from "../../ui/alert.tsx";
import { useDeleteSloMutation, useSlosQuery } from "./api.ts";
import { BudgetBar, pages, percentOf, rateOf } from "./budget.tsx";

// One chunk, because each adds to the first page, which lists them all.
export { DetailScreen } from "./detail-screen.tsx";

export default function ListScreen() {
  const { t } = useTranslation();
  const list = useList({ pageSize: 50, sortFields: ["name", "leftMinutes"], filters: {} });
  const query = useSlosQuery(list.query, refreshed);
  const [remove] = useDeleteSloMutation();
  const unavailable = query.data?.unavailable !== undefined && (
    <Alert kind="error" className="mb-4">
      {t("slos.unavailable")}
    </Alert>
  );
  return (
    <ObjectList
      noun="slos"
      {...{ pages, list, query, remove }}
      itemsOf={({ slos }) => slos}
      columns={useColumns()}
      banner={unavailable}
    />
  );
}

function useColumns() {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return useMemo((): [Column<Slo, "name" | "leftMinutes">, ...Column<Slo, "name" | "leftMinutes">[]] => {
    const goal = ({ attained, objective }: Slo): ReactNode =>
      t("slos.attainedOf", { attained: percentOf(attained, language), objective: percentOf(objective, language) });
    return [
      {
        head: t("slos.fields.name"),
        sort: "name",
        cell: (slo) => (
          <>
            <span className="block">{slo.sentence}</span>
            <BudgetBar budget={slo.budget} className="mt-1 max-w-72 md:hidden" />
            <span className="tnum block text-[13px] text-muted md:hidden">{goal(slo)}</span>
          </>
        ),
      },
      {
        head: t("slos.budget"),
        sort: "leftMinutes",
        from: "md",
        className: "min-w-52",
        cell: ({ budget }) => <BudgetBar budget={budget} />,
      },
      { head: t("slos.attained"), from: "md", className: "tnum whitespace-nowrap", cell: goal },
      {
        head: <span title={t("slos.burnHint")}>{t("slos.burnRate")}</span>,
        numeric: true,
        from: "lg",
        cell: ({ burnRate }) => (burnRate === undefined ? "–" : rateOf(burnRate, language)),
      },
    ];
  }, [t, language]);
}
