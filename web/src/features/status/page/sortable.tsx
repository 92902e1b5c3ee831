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
  /** Keys of the lines, in order. They may not contain spaces. */
  lines: string[];
  nameOf: (line: string) => string;
  /** Describes a line's position if it were dropped on another. */
  placeAt: (line: string, over: string) => string;
  onMove: (line: string, over: string) => void;
  children: ReactNode;
};

/** Minimum pointer movement of a drag, in pixels. */
const distance = 4;

/** A list sortable by dragging or by keyboard (Space, arrow keys, Space), with announcements for screen readers. */
export function Sortable({ lines, nameOf, placeAt, onMove, children }: SortableProps) {
  const { t } = useTranslation();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  // A line that was just picked up is over itself, which is not a move.
  const hasMoved = useRef(false);
  // Keeps the array's identity, because a new one renders every line again.
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
  isOrderable?: boolean;
  isFirst: boolean;
  isLast: boolean;
  onStep: (step: 1 | -1) => void;
  removeLabel: string;
  onRemove: () => void;
  error: ReactNode;
  className: string;
  rowClassName: string;
  /** Does not render again during a drag. */
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

/** Buttons to move a line by one. At an end they are not `disabled`, so that they keep the focus. */
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

/** A line that cannot be dragged, but marks a position. */
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
