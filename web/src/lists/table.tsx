import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../ui/cx.ts";
import { ArrowDownIcon, ArrowUpIcon, SortIcon } from "../ui/icons.tsx";

type TableProps = { label: string; dense?: boolean; end?: ReactNode; children: ReactNode };

/** A table that scrolls sideways in its own frame, also by keyboard. */
export function Table({ label, dense = false, end, children }: TableProps) {
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="relative overflow-x-auto focus-visible:outline-offset-[-2px]"
    >
      <table className={cx("w-full border-collapse text-left", dense && "table-fixed")}>{children}</table>
      {end}
    </div>
  );
}

type HeadCellProps = ComponentProps<"th"> & { numeric?: boolean };

export function HeadCell({ numeric = false, className, ...rest }: HeadCellProps) {
  return (
    <th
      scope="col"
      {...rest}
      className={cx(
        "h-10 px-3 text-[13px] font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4",
        numeric && "text-right",
        className,
      )}
    />
  );
}

type SortCellProps<Field extends string> = {
  field: Field;
  sort: Field | `-${Field}` | undefined;
  onSort: (sort: Field | `-${Field}`) => void;
  className?: string;
  colSpan?: number;
  children: ReactNode;
};

export function SortCell<Field extends string>(props: SortCellProps<Field>) {
  const { field, sort, onSort, children, ...cell } = props;
  const { t } = useTranslation();
  const order = sort === field ? "ascending" : sort === `-${field}` ? "descending" : "none";
  const Icon = order === "ascending" ? ArrowUpIcon : order === "descending" ? ArrowDownIcon : SortIcon;
  return (
    <HeadCell aria-sort={order} {...cell}>
      <button
        type="button"
        title={t("common.sort")}
        onClick={() => onSort(order === "ascending" ? `-${field}` : field)}
        className="-mx-1.5 inline-flex min-h-7 items-center gap-1 rounded-sm px-1.5 font-medium hover:text-ink"
      >
        {children}
        <Icon className={cx("size-3", order === "none" && "opacity-50")} />
      </button>
    </HeadCell>
  );
}

export function Row({ className, ...rest }: ComponentProps<"tr">) {
  return (
    <tr
      {...rest}
      // No `:has()` and no transition, for speed: a page has a hundred rows, which may all change at once.
      className={cx("border-t border-line focus-within:bg-sunken/60", className)}
    />
  );
}

type CellProps = ComponentProps<"td"> & {
  numeric?: boolean;
  dense?: boolean;
};

export function Cell({ numeric = false, dense = false, className, ...rest }: CellProps) {
  return (
    <td
      {...rest}
      className={cx(
        "px-3 first:pl-4 last:pr-4",
        dense ? "h-11 py-0.5" : "h-12 py-1.5",
        numeric && "tnum text-right whitespace-nowrap",
        className,
      )}
    />
  );
}
