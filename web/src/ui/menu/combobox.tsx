import { type KeyboardEvent, useEffect, useId, useState } from "react";

type ComboboxOptions<Item> = {
  options: readonly Item[];
  keyOf: (option: Item) => string;
  /** The first option is active initially. Otherwise none is. */
  startsAtFirst?: boolean;
  /** Hovering an option makes it active. */
  followsPointer?: boolean;
  /** Keys that select the active option. */
  pickKeys?: readonly string[];
  onPick: (option: Item) => void;
  /** Shows the options. Called by arrow keys. */
  onOpen?: () => void;
  /** Hides the options. Called by Escape. `undefined` while they are hidden. */
  onClose?: (() => void) | undefined;
  /** Handles any other key. Returns true if it was used. */
  onKey?: (event: KeyboardEvent, active: Item | undefined) => boolean;
};

/**
 * Options below a text field, which keeps the focus. Arrow keys cycle through them. Returns props for the field and for
 * each option, which connect them for screen readers.
 */
export function useCombobox<Item>(of: ComboboxOptions<Item>) {
  const { options, keyOf, startsAtFirst = true, followsPointer = false, pickKeys = ["Enter"], onPick } = of;
  const listId = useId();
  const [wanted, setWanted] = useState<string | null>(null);
  // The active option may disappear with the next letter.
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
    /** Resets the active option, for a new text. */
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
      // Clicks leave the focus in the field.
      onPointerDown: (event: { preventDefault: () => void }) => event.preventDefault(),
      ...(followsPointer && { onPointerMove: () => setWanted(keyOf(option)) }),
      onClick: () => onPick(option),
      onKeyDown: ({ key }: KeyboardEvent) => key === "Enter" && onPick(option),
    }),
  };
}
