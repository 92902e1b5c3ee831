import { Button } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { ChevronRightIcon } from "../ui/icons.tsx";
import { type Column, detailId } from "./data-table.tsx";

type ExpandOptions<Item extends { id: number | string }> = {
  head: string;
  className?: string;
  title?: string;
  /** `null` if the row has no details. */
  labelOf: (item: Item) => string | null;
  openId: Item["id"] | undefined;
  onOpen: (id: Item["id"] | undefined) => void;
};

/** First column of a table with expandable rows, one at a time. The table's `detailOf` renders the details. */
export function expandColumn<Item extends { id: number | string }>(options: ExpandOptions<Item>): Column<Item> {
  const { head, className, title, labelOf, openId, onOpen } = options;
  return {
    head: <span className="sr-only">{head}</span>,
    headClassName: "w-px",
    className,
    cell: (item) => {
      const label = labelOf(item);
      if (label === null) return null;
      const isOpen = item.id === openId;
      return (
        <Button
          variant="ghost"
          size="icon"
          title={title}
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailId(item.id) : undefined}
          aria-label={label}
          onClick={() => onOpen(isOpen ? undefined : item.id)}
        >
          <ChevronRightIcon className={cx("size-4 transition-transform", isOpen && "rotate-90")} />
        </Button>
      );
    },
  };
}
