import { useTranslation } from "react-i18next";
import { Button } from "./button.tsx";
import { ChevronLeftIcon, ChevronRightIcon } from "./icons.tsx";

type PaginationProps = { page: number; pageSize: number; total: number; onPage: (page: number) => void };

/** Which part of how many, and the way to the next. Nothing while everything fits on one page. */
export function Pagination({ page, pageSize, total, onPage }: PaginationProps) {
  const { t, i18n } = useTranslation();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages === 1 && page === 1) return null;
  const number = (value: number) => value.toLocaleString(i18n.language);
  const first = Math.min(total, (page - 1) * pageSize + 1);
  return (
    <nav
      aria-label={t("common.pages")}
      className="flex items-center justify-between gap-4 border-t border-line px-4 py-2.5"
    >
      <p className="tnum text-[13px] text-muted">
        {t("common.pageOf", {
          first: number(first),
          last: number(Math.min(total, page * pageSize)),
          total: number(total),
        })}
      </p>
      <div className="flex gap-2">
        <Button size="sm" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeftIcon />
          {t("common.previous")}
        </Button>
        <Button size="sm" disabled={page >= pages} onClick={() => onPage(page + 1)}>
          {t("common.next")}
          <ChevronRightIcon />
        </Button>
      </div>
    </nav>
  );
}
