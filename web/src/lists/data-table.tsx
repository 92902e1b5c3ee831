import { type ComponentProps, Fragment, memo, type ReactNode, useDeferredValue } from "react";
import { cx } from "../ui/cx.ts";
import { Checkbox } from "../ui/inputs.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Cell, HeadCell, Row, SortCell, Table } from "./table.tsx";
import { useGrowing } from "./growing.ts";
import type { FieldOf, Sort } from "./params.ts";
import { type Identified, isRange, type Selection, useRangeToggle } from "./selection.ts";

export type Column<Item, Field extends string = never> = {
  head: ReactNode;
  /** Field to sort by when the head is clicked. */
  sort?: Field;
  /** Aligns figures and actions to the right. */
  numeric?: boolean;
  /** Takes the remaining width, at least 13 or 16rem. For one column of a dense table; it spans two table columns. */
  grows?: boolean;
  /** Minimum window width at which the column is shown. By default always. */
  from?: keyof typeof shownFrom;
  headClassName?: string;
  className?: string;
  titleOf?: (item: Item) => string;
  cell: (item: Item) => ReactNode;
};

/** Columns that can only be sorted by fields of the list. */
export type Columns<Item, List extends { params: { sort: string } }> = Column<Item, FieldOf<List["params"]["sort"]>>[];

type DataTableProps<Item extends Identified, Field extends string> = {
  label: string;
  /** Must keep its identity, so that only changed rows render again. */
  columns: readonly Column<Item, Field>[];
  /** `undefined` while the first page is loading. */
  items: readonly Item[] | undefined;
  /** Without both, the table cannot be sorted. */
  sort?: Sort<Field>;
  onSort?: (sort: Sort<Field>) => void;
  selection?: Selection<Item> | undefined;
  /** One line instead of the rows, for example that there are none. */
  instead?: ReactNode;
  /** Content below a row over its full width. `undefined` or `false` for none. */
  detailOf?: (item: Item) => ReactNode;
  /** Rows of equal height with column widths set by the heads. */
  dense?: boolean;
};

/** Height of a dense row with its border. */
const denseRowPx = 45;
const shownFrom = { md: "hidden md:table-cell", lg: "hidden lg:table-cell", xl: "hidden xl:table-cell" };
const columnFrom = { md: "hidden md:table-column", lg: "hidden lg:table-column", xl: "hidden xl:table-column" };
/** Fills a screen, so that nothing jumps when the rows arrive. */
const skeletonRows = 16;

export function DataTable<Item extends Identified, Field extends string>(props: DataTableProps<Item, Field>) {
  const { label, columns, sort, onSort, selection, instead, detailOf, dense = false } = props;
  // Deferring new rows of a long list keeps the page responsive. Deletions are shown at once, because otherwise the
  // focus would return to a deleted row.
  const drawn = useDeferredValue(props.items);
  const isAtOnce = !dense || drawn === undefined || (props.items?.length ?? 0) < drawn.length;
  const items = isAtOnce ? props.items : drawn;
  const { count, restPx, end } = useGrowing<HTMLDivElement>(items?.length ?? 0, dense ? denseRowPx : 0, sort ?? "");
  const onToggle = useRangeToggle(items, selection);
  const spans = columns.map(({ grows }) => (grows ? 2 : 1));
  const width = spans.reduce((sum, span) => sum + span, selection === undefined ? 0 : 1);
  return (
    <Table label={label} dense={dense} end={restPx > 0 && <div ref={end} style={{ height: restPx }} />}>
      {dense && (
        <colgroup>
          {selection !== undefined && <col className="w-11" />}
          {columns.map(({ grows, from, headClassName }, index) => (
            <Fragment key={index}>
              <col className={cx(from && columnFrom[from], grows ? "w-52 lg:w-64" : headClassName)} />
              {grows && <col />}
            </Fragment>
          ))}
        </colgroup>
      )}
      <thead>
        <tr>
          {selection !== undefined && (
            <HeadCell className={dense ? undefined : "w-px"}>
              <SelectAll items={props.items ?? []} selection={selection} aria-label={selection.allLabel} />
            </HeadCell>
          )}
          {columns.map(({ head, sort: field, numeric = false, grows, from, headClassName }, index) => {
            const look = { className: cx(from && shownFrom[from], headClassName), colSpan: grows ? 2 : 1 };
            return field === undefined || onSort === undefined ? (
              <HeadCell key={index} numeric={numeric} {...look}>
                {head}
              </HeadCell>
            ) : (
              <SortCell key={index} field={field} sort={sort} onSort={onSort} {...look}>
                {head}
              </SortCell>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {instead !== undefined ? (
          <Row>
            <Cell colSpan={width} className="h-28 text-center text-muted">
              {instead}
            </Cell>
          </Row>
        ) : items === undefined ? (
          Array.from({ length: skeletonRows }, (_, index) => (
            <Row key={index}>
              {selection !== undefined && <Cell dense={dense} />}
              {columns.map(({ grows, from }, column) => (
                <Cell key={column} dense={dense} colSpan={grows ? 2 : 1} className={from && shownFrom[from]}>
                  <Skeleton className="h-5 w-full" />
                </Cell>
              ))}
            </Row>
          ))
        ) : (
          items.slice(0, count).map((item) => (
            <Fragment key={item.id}>
              <ItemRow
                item={item}
                columns={columns}
                dense={dense}
                isListed={onSort !== undefined}
                isSelected={selection?.selected.has(item.id) ?? false}
                onToggle={selection && onToggle}
                labelOf={selection?.labelOf}
                canSelect={selection?.canSelect}
              />
              <DetailRow id={detailId(item.id)} width={width}>
                {detailOf?.(item)}
              </DetailRow>
            </Fragment>
          ))
        )}
      </tbody>
    </Table>
  );
}

type ItemCellsProps<Item extends Identified, Field extends string> = {
  item: Item;
  columns: readonly Column<Item, Field>[];
  dense: boolean;
};
type ItemRowProps<Item extends Identified, Field extends string> = ItemCellsProps<Item, Field> &
  Partial<Pick<Selection<Item>, "labelOf" | "canSelect">> & {
    onToggle: ((id: Item["id"], range: boolean) => void) | undefined;
    /** True for a list, whose rows are links. */
    isListed: boolean;
    isSelected: boolean;
  };

// Memoised in two parts: selecting a row renders only its checkbox, and changing an item only its cells.
const ItemRow = memo(PlainRow) as typeof PlainRow;
const ItemCells = memo(PlainCells) as typeof PlainCells;

function PlainRow<Item extends Identified, Field extends string>(props: ItemRowProps<Item, Field>) {
  const { item, columns, dense, isListed, isSelected, onToggle, labelOf, canSelect } = props;
  return (
    <Row className={isSelected ? "bg-accent-soft/60" : isListed ? "hover:bg-sunken/60" : undefined}>
      {onToggle !== undefined && (
        <Cell dense={dense}>
          {canSelect?.(item) !== false && (
            <Checkbox
              aria-label={labelOf?.(item)}
              aria-keyshortcuts="X"
              checked={isSelected}
              onChange={(event) => onToggle(item.id, isRange(event))}
            />
          )}
        </Cell>
      )}
      <ItemCells item={item} columns={columns} dense={dense} />
    </Row>
  );
}

function PlainCells<Item extends Identified, Field extends string>(props: ItemCellsProps<Item, Field>): ReactNode {
  const { item, columns, dense } = props;
  return columns.map(({ numeric = false, grows, from, className, titleOf, cell }, index) => (
    <Cell
      key={index}
      dense={dense}
      numeric={numeric}
      colSpan={grows ? 2 : 1}
      title={titleOf?.(item)}
      className={cx(from && shownFrom[from], className)}
    >
      {cell(item)}
    </Cell>
  ));
}

/** Id of the element with a row's details. Item ids may contain spaces. */
export const detailId = (id: number | string) => `details-${String(id).replaceAll(" ", "_")}`;

function DetailRow({ id, width, children }: { id: string; width: number; children: ReactNode }) {
  if (children === undefined || children === false) return null;
  return (
    <Row id={id} className="bg-sunken/60">
      <Cell colSpan={width}>{children}</Cell>
    </Row>
  );
}

type SelectAllProps<Item extends Identified> = Omit<ComponentProps<typeof Checkbox>, "checked"> & {
  items: readonly Item[];
  selection: Selection<Item>;
};

export function SelectAll<Item extends Identified>({ items, selection, ...look }: SelectAllProps<Item>) {
  const { selected, onSelect, canSelect = () => true } = selection;
  const selectable = items.filter(canSelect);
  const count = selectable.filter(({ id }) => selected.has(id)).length;
  return (
    <Checkbox
      {...look}
      checked={count > 0 && count === selectable.length}
      indeterminate={count > 0 && count < selectable.length}
      onChange={() => onSelect(new Set(count === 0 ? selectable.map(({ id }) => id) : []))}
    />
  );
}
