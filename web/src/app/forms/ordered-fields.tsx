import { type ReactNode, useEffect, useRef } from "react";
import { type FieldValues, useFieldArray, useFormContext } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { ArrowDownIcon, ArrowUpIcon, CrossIcon, PlusIcon } from "../../ui/icons.tsx";

type OrderedFieldsProps = {
  name: string;
  label: string;
  min: number;
  max: number;
  added: () => object;
  /** Names an item, counted from 1, and the buttons. */
  wordOf: (what: "item" | "up" | "down" | "remove" | "add", number: number) => string;
  children: (index: number) => ReactNode;
};

/** Groups of fields whose order matters. */
export function OrderedFields({ name, label, min, max, added, wordOf, children }: OrderedFieldsProps) {
  const { control } = useFormContext<FieldValues>();
  const { fields, append, remove, move } = useFieldArray({ control, name });
  // Restores the focus, which a moved button loses.
  const pressed = useRef<HTMLElement>(null);
  useEffect(() => {
    pressed.current?.focus();
    pressed.current = null;
  });
  const count = fields.length;
  return (
    <>
      <ol className="flex flex-col gap-3 empty:hidden" aria-label={label}>
        {fields.map(({ id }, index) => (
          <li key={id} aria-label={wordOf("item", index + 1)} className="rounded-md border border-line p-3">
            <div className="mb-2 flex items-center gap-1">
              <p className="mr-auto text-[13px] font-semibold">{wordOf("item", index + 1)}</p>
              {count > 1 && (
                <>
                  {moveButton("up", index, index - 1)}
                  {moveButton("down", index, index + 1)}
                </>
              )}
              {count > min && (
                <Button variant="ghost" size="icon" {...labelled("remove", index)} onClick={() => remove(index)}>
                  <CrossIcon />
                </Button>
              )}
            </div>
            {children(index)}
          </li>
        ))}
      </ol>
      {count < max && (
        <Button size="sm" className="self-start" onClick={() => append(added())}>
          <PlusIcon />
          {wordOf("add", count + 1)}
        </Button>
      )}
    </>
  );

  function labelled(what: "up" | "down" | "remove", index: number) {
    const label = wordOf(what, index + 1);
    return { "aria-label": label, title: label };
  }

  function moveButton(what: "up" | "down", index: number, to: number) {
    const isPossible = to >= 0 && to < count;
    return (
      <Button
        variant="ghost"
        size="icon"
        {...labelled(what, index)}
        // Not `disabled`, so that the button keeps its focus.
        aria-disabled={!isPossible || undefined}
        onClick={({ currentTarget }) => {
          if (!isPossible) return;
          pressed.current = currentTarget;
          move(index, to);
        }}
      >
        {what === "up" ? <ArrowUpIcon /> : <ArrowDownIcon />}
      </Button>
    );
  }
}
