import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { type ReactNode, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { ArrowDownIcon, ArrowUpIcon, CrossIcon, GripIcon } from "../../../ui/icons.tsx";

type SortableProps = {
  /** Keys of the lines, in order; none holds a space. */
  lines: string[];
  nameOf: (line: string) => string;
  /** Where a line would stand if it were dropped on another, in words. */
  placeAt: (line: string, over: string) => string;
  onMove: (line: string, over: string) => void;
  children: ReactNode;
};

/** Beyond so many pixels a press is a drag. */
const distance = 4;

/** A list whose lines are put in order by dragging, or by Space, arrow keys and Space; each move is announced. */
export function Sortable({ lines, nameOf, placeAt, onMove, children }: SortableProps) {
  const { t } = useTranslation();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  // A line that was just picked up lies over itself: that is no move yet.
  const hasMoved = useRef(false);
  // The same array for the same lines: every line is drawn again for another one.
  const all = lines.join(" ");
  const items = useMemo(() => (all === "" ? [] : all.split(" ")), [all]);
  const announce = (
    what: "pickedUp" | "over" | "dropped" | "cancelled",
    active: { id: number | string },
    over?: { id: number | string } | null,
  ) => {
    const line = String(active.id);
    return t(`statusPage.order.${what}`, { name: nameOf(line), place: placeAt(line, String(over?.id ?? line)) });
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={({ active, over }) => {
        if (over !== null && over.id !== active.id) onMove(String(active.id), String(over.id));
      }}
      accessibility={{
        screenReaderInstructions: { draggable: t("statusPage.order.instructions") },
        announcements: {
          onDragStart: ({ active }) => {
            hasMoved.current = false;
            return announce("pickedUp", active);
          },
          onDragOver: ({ active, over }) => {
            if (!hasMoved.current && over?.id === active.id) return undefined;
            hasMoved.current = true;
            return announce("over", active, over);
          },
          onDragEnd: ({ active, over }) => announce("dropped", active, over),
          onDragCancel: ({ active }) => announce("cancelled", active),
        },
      }}
    >
      <SortableContext items={items} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}

type SortableLineProps = {
  line: string;
  name: string;
  readOnly: boolean;
  /** False while there is no order to change. */
  isOrderable?: boolean;
  isFirst: boolean;
  isLast: boolean;
  onStep: (step: 1 | -1) => void;
  removeLabel: string;
  onRemove: () => void;
  error: ReactNode;
  className: string;
  rowClassName: string;
  /** Not drawn again while a line is dragged. */
  children: ReactNode;
};

export function SortableLine(props: SortableLineProps) {
  const { line, name, readOnly, isOrderable = true, removeLabel, onRemove } = props;
  const { t } = useTranslation();
  const isFixed = readOnly || !isOrderable;
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({
    id: line,
    disabled: { draggable: isFixed, droppable: false },
    attributes: { roleDescription: t("statusPage.order.sortable") },
  });
  return (
    <li
      ref={setNodeRef}
      data-line={line}
      // Up and down alone: the list has one column.
      style={{ transform: CSS.Translate.toString(transform && { ...transform, x: 0 }), transition }}
      className={cx(props.className, isDragging && "relative z-10 bg-raised shadow-lifted")}
    >
      <div className={props.rowClassName}>
        {!isFixed && (
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
        )}
        {props.children}
        {!readOnly && (
          <span className="flex">
            {isOrderable && <StepButtons {...props} />}
            <Button variant="ghost" size="icon" aria-label={removeLabel} title={removeLabel} onClick={onRemove}>
              <CrossIcon />
            </Button>
          </span>
        )}
      </div>
      {props.error}
    </li>
  );
}

type StepButtonsProps = Pick<SortableLineProps, "name" | "isFirst" | "isLast" | "onStep">;

/** Up and down by one place. At an end a button stays focusable, so that pressing it again loses nothing. */
function StepButtons({ name, isFirst, isLast, onStep }: StepButtonsProps) {
  const { t } = useTranslation();
  const steps = [
    { step: -1, ends: isFirst, label: t("statusPage.order.up", { name }), icon: <ArrowUpIcon /> },
    { step: 1, ends: isLast, label: t("statusPage.order.down", { name }), icon: <ArrowDownIcon /> },
  ] as const;
  return steps.map(({ step, ends, label, icon }) => (
    <Button
      key={step}
      variant="ghost"
      size="icon"
      aria-label={label}
      title={label}
      aria-disabled={ends || undefined}
      onClick={() => {
        if (!ends) onStep(step);
      }}
    >
      {icon}
    </Button>
  ));
}

/** A line that is never dragged, and that others are dropped around. */
export function FixedLine({ line, className, children }: { line: string; className: string; children: ReactNode }) {
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
