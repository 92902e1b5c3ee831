import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { type ReactNode, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";

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
  const place = (line: string, over: string | undefined) => placeAt(line, over ?? line);
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
            return announce("pickedUp", active.id);
          },
          onDragOver: ({ active, over }) => {
            if (!hasMoved.current && over?.id === active.id) return undefined;
            hasMoved.current = true;
            return announce("over", active.id, over?.id);
          },
          onDragEnd: ({ active, over }) => announce("dropped", active.id, over?.id),
          onDragCancel: ({ active }) => announce("cancelled", active.id),
        },
      }}
    >
      <SortableContext items={items} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );

  function announce(
    what: "pickedUp" | "over" | "dropped" | "cancelled",
    line: number | string,
    over?: number | string,
  ) {
    const key = String(line);
    const at = place(key, over === undefined ? undefined : String(over));
    return t(`statusPage.order.${what}`, { name: nameOf(key), place: at });
  }
}
