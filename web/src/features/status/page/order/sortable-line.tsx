import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../../../../ui/cx.ts";
import { GripIcon } from "../icons.tsx";

type SortableLineProps = {
  line: string;
  name: string;
  disabled: boolean;
  className?: string;
  children: (handle: ReactNode) => ReactNode;
};

/** A line that is dragged by its handle. */
export function SortableLine({ line, name, disabled, className, children }: SortableLineProps) {
  const { t } = useTranslation();
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({
    id: line,
    disabled: { draggable: disabled, droppable: false },
    attributes: { roleDescription: t("statusPage.order.sortable") },
  });
  const handle = disabled ? null : (
    <button
      type="button"
      ref={setActivatorNodeRef}
      {...attributes}
      {...listeners}
      aria-label={t("statusPage.order.handle", { name })}
      className="inline-flex size-8 shrink-0 cursor-grab touch-none items-center justify-center rounded-md text-faint hover:bg-sunken hover:text-ink active:cursor-grabbing"
    >
      <GripIcon />
    </button>
  );
  return (
    <li
      ref={setNodeRef}
      data-line={line}
      // Up and down alone: the list has one column.
      style={{ transform: CSS.Translate.toString(transform && { ...transform, x: 0 }), transition }}
      className={cx(className, isDragging && "relative z-10 bg-raised shadow-lifted")}
    >
      {children(handle)}
    </li>
  );
}

/** A line that is never dragged, and that others are dropped around. */
export function FixedLine({ line, className, children }: { line: string; className?: string; children: ReactNode }) {
  const { setNodeRef, transform, transition } = useSortable({ id: line, disabled: { draggable: true } });
  return (
    <li
      ref={setNodeRef}
      data-line={line}
      style={{ transform: CSS.Translate.toString(transform && { ...transform, x: 0 }), transition }}
      className={className}
    >
      {children}
    </li>
  );
}
