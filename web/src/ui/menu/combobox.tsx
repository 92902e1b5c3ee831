import { type KeyboardEvent, useEffect, useId, useState } from "react";

type ComboboxOptions<Item> = {
  options: readonly Item[];
  keyOf: (option: Item) => string;
  /** The first is active until another one is; else none is. */
  startsAtFirst?: boolean;
  /** The option under the pointer becomes active. */
  followsPointer?: boolean;
  /** The keys that pick the active option. */
  pickKeys?: readonly string[];
  onPick: (option: Item) => void;
  /** Shows the options; arrow keys do. */
  onOpen?: () => void;
  /** Hides the options; Escape does. Undefined while there is nothing to hide. */
  onClose?: (() => void) | undefined;
  /** Any other key; answers whether it was used. */
  onKey?: (event: KeyboardEvent, active: Item | undefined) => boolean;
};

/**
 * The options below a text field, which keeps the focus: the arrow keys walk through them in a circle. Gives the props of
 * the field and of each option's element, which tie them together for screen readers.
 */
export function useCombobox<Item>(of: ComboboxOptions<Item>) {
  const { options, keyOf, startsAtFirst = true, followsPointer = false, pickKeys = ["Enter"], onPick } = of;
  const listId = useId();
  const [wanted, setWanted] = useState<string | null>(null);
  // What was active may be gone with the next letter.
  const active = options.find((option) => keyOf(option) === wanted) ?? (startsAtFirst ? options[0] : undefined);
  const idOf = (option: Item) => `${listId}-${encodeURIComponent(keyOf(option))}`;
  const activeId = active && idOf(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView?.({ block: "nearest" });
  }, [activeId]);

  function walk(step: 1 | -1) {
    const from = active === undefined ? (step === 1 ? -1 : 0) : options.indexOf(active);
    const next = options[(from + step + options.length) % options.length];
    setWanted(next === undefined ? null : keyOf(next));
    of.onOpen?.();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
    if (step !== undefined && (options.length > 0 || of.onOpen !== undefined)) walk(step);
    else if (active !== undefined && pickKeys.includes(event.key)) onPick(active);
    else if (event.key === "Escape" && of.onClose !== undefined) of.onClose();
    else if (of.onKey?.(event, active) !== true) return;
    event.preventDefault();
  }
  return {
    listId,
    active,
    /** As at first: for another text. */
    reset: () => setWanted(null),
    field: {
      "aria-activedescendant": activeId,
      "aria-autocomplete": "list",
      autoComplete: "off",
      spellCheck: false,
      onKeyDown,
    } as const,
    propsOf: (option: Item) => ({
      id: idOf(option),
      role: "option",
      tabIndex: -1,
      "aria-selected": option === active,
      // The field keeps the focus, whatever the pointer does.
      onPointerDown: (event: { preventDefault: () => void }) => event.preventDefault(),
      ...(followsPointer && { onPointerMove: () => setWanted(keyOf(option)) }),
      onClick: () => onPick(option),
      onKeyDown: ({ key }: KeyboardEvent) => key === "Enter" && onPick(option),
    }),
  };
}
