import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { createContext, type ReactNode, use } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../../../../ui/cx.ts";
import { GripIcon } from "../../../../ui/icons.tsx";

type Activator = Pick<ReturnType<typeof useSortable>, "setActivatorNodeRef" | "attributes" | "listeners">;
const ActivatorContext = createContext<Activator | null>(null);

type SortableLineProps = { line: string; disabled: boolean; className?: string; children: ReactNode };

/** A line that is dragged by its handle. While one is dragged, of each line only this frame and its handle are drawn again. */
export function SortableLine({ line, disabled, className, children }: SortableLineProps) {
  const { t } = useTranslation();
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({
    id: line,
    disabled: { draggable: disabled, droppable: false },
    attributes: { roleDescription: t("statusPage.order.sortable") },
  });
  return (
    <li
      ref={setNodeRef}
      data-line={line}
      // Up and down alone: the list has one column.
      style={{ transform: CSS.Translate.toString(transform && { ...transform, x: 0 }), transition }}
      className={cx(className, isDragging && "relative z-10 bg-raised shadow-lifted")}
    >
      <ActivatorContext value={disabled ? null : { setActivatorNodeRef, attributes, listeners }}>
        {children}
      </ActivatorContext>
    </li>
  );
}

/** What a line is dragged by; nothing where the order cannot be changed. */
export function DragHandle({ name }: { name: string }) {
  const { t } = useTranslation();
  const activator = use(ActivatorContext);
  if (activator === null) return null;
  const { setActivatorNodeRef, attributes, listeners } = activator;
  return (
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
